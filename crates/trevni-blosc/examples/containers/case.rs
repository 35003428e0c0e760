//! The test matrix: every pair of a type with a compressor and with a filter, and of these two.
//!
//! ```text
//! first generation     types × compressors, filters in turns          second     types × filters, compressors in turns
//! ```
//! Lengths, chunk sizes, levels, patterns and changes cycle with other periods.

use std::path::Path;

use serde_json::json;
use trevni_blosc::chunk::{Generation, Params, Split};
use trevni_blosc::rootdir::Slack;
use trevni_blosc::{Attributes, Compressor, Dtype, DtypeKind, Filter, Filters};

use super::Result;
use super::change::{self, Change, Model, attributes};
use super::home::{Home, Place};
use super::values::{Numbers, Pattern, element};

/// Names of types, and what NumPy calls them.
const DTYPES: [(&str, &str); 23] = [
    ("bool", "|b1"),
    ("i1", "|i1"),
    ("i2", "<i2"),
    ("i4", "<i4"),
    ("i8", "<i8"),
    ("u1", "|u1"),
    ("u2", "<u2"),
    ("u4", "<u4"),
    ("u8", "<u8"),
    ("f2", "<f2"),
    ("f4", "<f4"),
    ("f8", "<f8"),
    ("S10", "|S10"),
    ("U5", "<U5"),
    ("M8ns", "<M8[ns]"),
    ("M8D", "<M8[D]"),
    ("m8us", "<m8[us]"),
    ("bigi4", ">i4"),
    ("bigf8", ">f8"),
    ("c8", "<c8"),
    ("c16", "<c16"),
    ("V7", "|V7"),
    ("record", "[('a', '<i4'), ('b', '<f8', (2,)), ('c', '|S3'), ('d', '>u2')]"),
];

const CODECS: [Compressor; 5] =
    [Compressor::BloscLz, Compressor::Lz4, Compressor::Lz4Hc, Compressor::Zlib, Compressor::Zstd];

const LEVELS: [u8; 5] = [5, 1, 9, 3, 0];
const SPLITS: [Split; 4] = [Split::Auto, Split::Always, Split::Never, Split::ForwardCompat];
const PATTERNS: [Pattern; 6] = [
    Pattern::Walk,
    Pattern::Noise,
    Pattern::Walk,
    Pattern::Constant,
    Pattern::Walk,
    Pattern::Zeros,
];

/// Rows of a chunk, and of a container: shorter, equal, longer, multiple chunks, empty.
const CHUNK_ROWS: [u64; 3] = [100, 640, 37];
const ROWS: [fn(usize) -> usize; 7] =
    [|n| 5 * n / 2, |n| 3 * n, |n| n - 1, |n| n, |_| 1, |n| 2 * n + 1, |_| 0];

/// The most bits of a fraction that are kept where some are cut off.
const KEPT_BITS: u8 = 11;

/// A column, or the only array.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) dtype: Dtype,
    /// The shape of a row.
    pub(crate) row_shape: Vec<u64>,
}

/// A container that is tried.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) home: &'static Home,
    pub(crate) columns: Vec<Column>,
    /// For elements of one byte; each column has its own size.
    pub(crate) params: Params,
    pub(crate) rows: usize,
    pub(crate) chunk_rows: u64,
    pub(crate) pattern: Pattern,
    pub(crate) changes: &'static [Change],
    /// The index into the other cycles.
    pub(crate) turn: usize,
}

/// Returns all that is tried of a container.
pub(crate) fn cases(home: &'static Home) -> Vec<Case> {
    let dtypes: Vec<_> = DTYPES.iter().filter(|(name, _)| home.takes(name)).collect();
    let filters = home.filters();
    let mut cases = Vec::new();
    if home.is_table() {
        for turn in 0..CODECS.len() * filters.len() {
            let columns = dtypes.iter().map(|(name, text)| column(home, name, text, 0));
            let (codec, filter) = (turn % CODECS.len(), filters[turn / CODECS.len()]);
            cases.push(case(home, "all", columns.collect(), codec, filter, turn));
        }
        return cases;
    }
    for (d, (name, text)) in dtypes.iter().enumerate() {
        let pairs: Vec<(usize, usize)> = match home.generation() {
            Generation::Blosc1 => (0..CODECS.len()).map(|c| (c, (c + d) % filters.len())).collect(),
            Generation::Blosc2 => (0..filters.len()).map(|f| ((f + d) % CODECS.len(), f)).collect(),
        };
        for (turn, (codec, filter)) in pairs.into_iter().enumerate() {
            let columns = vec![column(home, name, text, d + turn)];
            cases.push(case(home, name, columns, codec, filters[filter], d + 2 * turn));
        }
    }
    cases
}

fn column(home: &Home, name: &'static str, text: &str, turn: usize) -> Column {
    #[allow(clippy::unwrap_used, reason = "the types of the table above")]
    let dtype = Dtype::parse(text).unwrap();
    Column { name, dtype, row_shape: home.row_shape(turn) }
}

fn case(
    home: &'static Home,
    name: &str,
    columns: Vec<Column>,
    codec: usize,
    filter: &'static str,
    turn: usize,
) -> Case {
    let compressor = CODECS[codec];
    let mut params = Params::new(home.generation(), 1);
    params.compressor = compressor;
    params.level = LEVELS[(turn + codec) % LEVELS.len()];
    params.filters = filters(filter, &columns);
    // bcolz reads elements into a cache of one block, of the size that the first one has.
    params.block_size =
        if ["carray", "ctable"].contains(&home.kind()) { 0 } else { [0, 512, 0, 1200][turn % 4] };
    if home.generation() == Generation::Blosc2 {
        params.split = SPLITS[turn / 2 % SPLITS.len()];
        params.use_dictionary =
            compressor == Compressor::Zstd && params.level > 0 && turn.is_multiple_of(3);
    }
    // Some are long enough for blocks of the size that is chosen for them.
    let is_plain = matches!(columns.as_slice(), [column] if column.row_shape.is_empty());
    let chunk_rows = match turn % 16 == 5 && is_plain {
        true => 30_000,
        false => CHUNK_ROWS[turn % CHUNK_ROWS.len()],
    };
    let rows = ROWS[turn % ROWS.len()](usize::try_from(chunk_rows).unwrap_or(1));
    let changes = home.changes();
    Case {
        name: format!("{}-{name}-{}-{filter}", home.name, compressor.name()),
        home,
        columns,
        params,
        rows,
        chunk_rows,
        pattern: PATTERNS[(turn + codec) % PATTERNS.len()],
        changes: changes[turn % changes.len()],
        turn,
    }
}

/// Returns the steps of a name, or others where they do not fit the type.
fn filters(name: &str, columns: &[Column]) -> Filters {
    let size = columns.first().map_or(1, |column| column.dtype.size);
    let is_float =
        columns.iter().all(|c| matches!(c.dtype.kind, DtypeKind::Float) && c.dtype.size > 2);
    let byte = Filter::Shuffle { group: 0 };
    let last = match name {
        "none" => [Filter::None, Filter::None],
        "bit" => [Filter::None, Filter::BitShuffle],
        "delta" => [Filter::Delta, Filter::None],
        "deltabyte" => [Filter::Delta, byte],
        "trunc" if is_float => [Filter::TruncPrec { bits: KEPT_BITS.cast_signed() }, byte],
        "group" if size.is_multiple_of(2) => [Filter::None, Filter::Shuffle { group: 2 }],
        _ => [Filter::None, byte],
    };
    [Filter::None, Filter::None, Filter::None, Filter::None, last[0], last[1]]
}

impl Case {
    /// Writes the container, applies the changes, and writes the expected values beside it.
    pub(crate) fn put(&self, out: &Path, changes: &[Change]) -> Result<()> {
        let name = format!("{}{}", self.name, Change::names(changes));
        let path = out.join(&name);
        let mut numbers: Vec<_> = (0..self.columns.len() as u64)
            .map(|column| Numbers::new(self.pattern, self.turn as u64 * 100 + column))
            .collect();
        let mut more = |column: usize, rows: usize| {
            let Column { dtype, row_shape, .. } = &self.columns[column];
            let elements = row_shape.iter().product::<u64>() as usize;
            numbers[column].elements(dtype, rows * elements)
        };
        let mut models: Vec<Model> = (0..self.columns.len())
            .map(|column| {
                let Column { dtype, row_shape, .. } = &self.columns[column];
                let row = dtype.size * row_shape.iter().product::<u64>() as usize;
                Model { bytes: more(column, self.rows), row, fill: self.fill(dtype) }
            })
            .collect();
        self.home.write(self, &path, &models)?;
        if !changes.is_empty() {
            self.home.change(self, &path, &mut models, changes, &mut more)?;
        }
        let changed = changes.contains(&Change::Attributes);
        self.describe(out, &name, &models, &attributes(changed))
    }

    /// Returns the element that growing fills with.
    pub(crate) fn fill(&self, dtype: &Dtype) -> Vec<u8> {
        match (&self.home.place, &dtype.kind) {
            // JSON has no others of these.
            (Place::Carray(_) | Place::Ctable(_), DtypeKind::Complex | DtypeKind::Void) => {
                vec![0; dtype.size]
            }
            (Place::Carray(_) | Place::Ctable(_), _) => element(dtype, 3),
            _ => vec![0; dtype.size],
        }
    }

    fn describe(
        &self,
        out: &Path,
        name: &str,
        models: &[Model],
        attributes: &Attributes,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        let mut columns = Vec::new();
        for (column, model) in self.columns.iter().zip(models) {
            let rows = (model.bytes.len() / model.row) as u64;
            let shape: Vec<u64> = [&[rows], column.row_shape.as_slice()].concat();
            let mut kept = model.bytes.clone();
            if matches!(self.params.filters[4], Filter::TruncPrec { .. }) {
                change::cut_fractions(&mut kept, column.dtype.size, KEPT_BITS.into());
            }
            columns.push(json!({
                "name": column.name,
                "dtype": column.dtype.numpy_str(),
                "shape": shape,
                "chunk_rows": self.chunk_rows,
            }));
            bytes.extend(kept);
        }
        let Params { compressor, level, filters, use_dictionary, .. } = &self.params;
        let about = json!({
            "kind": self.home.kind(),
            "columns": columns,
            "attributes": attributes,
            "codec": compressor.name(),
            "level": level,
            "filters": filters.map(|filter| format!("{filter:?}")),
            "dictionary": use_dictionary,
            "tight": self.home.slack(self.turn) == Slack::Bytes(0),
        });
        std::fs::write(out.join(format!("{name}.bin")), bytes)?;
        std::fs::write(out.join(format!("{name}.json")), about.to_string())?;
        Ok(())
    }
}
