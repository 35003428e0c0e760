//! The columns of a table that share the files of one array.
//!
//! ```text
//! dtype: int64                        an array: data/__1__.bin
//! dtype: {a: int8, b: "(4,)float32"}  columns of scalars and of rows of four: data/a/__1__.bin, data/b/__1__.bin
//! dtype: {p: {x: int8, y: int8}}      columns in columns, p.x and p.y: data/p/x/__1__.bin, data/p/y/__1__.bin
//! ```

use serde_json::{Map, Value};

use super::{Storage, parse_dtype};
use crate::rootdir::excerpt;
use crate::rootdir::fill_value;
use crate::rootdir::meta::Meta;
use crate::{ByteOrder, Dtype};
use trevni::{Error, Result};

/// The maximum nesting depth of columns.
const DEPTH: usize = 8;

/// An array of a file, whether alone or a column.
#[derive(Debug, Clone)]
pub(in crate::rootdir) struct Column {
    /// The names from the outermost on; none if it is alone.
    pub(in crate::rootdir) names: Vec<String>,
    /// What it is.
    pub(in crate::rootdir) storage: Storage,
    /// The shape of what an element of the table has of it; nothing for a scalar, or an array alone.
    pub(in crate::rootdir) item_shape: Vec<u64>,
}

/// What a file describes.
#[derive(Debug, Clone)]
pub(in crate::rootdir) struct Columns(pub(in crate::rootdir) Vec<Column>);

impl Column {
    /// Creates a column of this name, or an array alone if the name is empty.
    pub(in crate::rootdir) fn new(name: &str, storage: Storage, item_shape: Vec<u64>) -> Self {
        let names = name.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self { names, storage, item_shape }
    }

    /// Elements of a chunk along each dimension of the table.
    pub(super) fn shared_chunk_shape(&self) -> &[u64] {
        let shape = self.storage.chunk_shape.as_slice();
        match shape {
            [_] => shape,
            _ => shape.strip_suffix(self.item_shape.as_slice()).unwrap_or(shape),
        }
    }

    /// Returns where its superchunks are.
    pub(in crate::rootdir) fn folder(&self) -> String {
        let names = self.names.iter().map(String::as_str);
        std::iter::once("data").chain(names).collect::<Vec<_>>().join("/")
    }

    /// Returns the name of a column, with dots.
    pub(in crate::rootdir) fn name(&self) -> String {
        self.names.join(".")
    }
}

impl Columns {
    /// Parses a file, for an array or a table of this shape.
    pub(in crate::rootdir) fn parse(meta: &Meta, shape: &[u64]) -> Result<Self> {
        let big = match meta.text("endianness")? {
            None | Some("little") => false,
            Some("big") => true,
            Some(_) => return Err(meta.wrong("endianness", "little or big")),
        };
        let dflt = meta.get("dflt");
        let mut columns = Vec::new();
        match meta.get("dtype") {
            Some(Value::String(text)) => {
                let storage = Storage::parse(meta, parse_dtype(text, big)?, dflt, shape)?;
                columns.push(Column { names: Vec::new(), storage, item_shape: Vec::new() });
            }
            Some(Value::Object(map)) => {
                Table { meta, shape, big }.walk(map, dflt, &[], &mut columns)?;
                if meta.get("chunkshape").or(meta.get("chunklen")).is_none() {
                    share_chunklen(&mut columns);
                }
            }
            _ => return Err(meta.wrong("dtype", "a type or a map of columns")),
        }
        Ok(Self(columns))
    }

    /// Returns whether this is a table.
    pub(in crate::rootdir) fn is_table(&self) -> bool {
        self.0.iter().any(|column| !column.names.is_empty())
    }

    /// Returns the first column, for what all share.
    pub(super) fn first(&self) -> Option<&Column> {
        self.0.first()
    }

    /// Returns whether every type has its high byte first.
    pub(super) fn all_big(&self) -> bool {
        self.0.iter().all(|column| column.storage.dtype.order == ByteOrder::Big)
    }

    /// Returns the value of `dtype`; `big` is the default byte order.
    pub(super) fn dtype(&self, big: bool) -> Result<Value> {
        self.tree(|column| Ok(column.dtype_text(big).into()))
    }

    /// Returns the value of `dflt`.
    pub(super) fn dflt(&self) -> Result<Value> {
        self.tree(|column| fill_value::to_value(&column.storage.fill, &column.storage.dtype))
    }

    /// Returns a value for each column, in maps by their names.
    fn tree(&self, value: impl Fn(&Column) -> Result<Value>) -> Result<Value> {
        let mut tree = Value::Object(Map::new());
        for column in &self.0 {
            let Some((last, parents)) = column.names.split_last() else { return value(column) };
            let mut at = &mut tree;
            for name in parents {
                let Value::Object(map) = at else { return Err(twice(column)) };
                at = map.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
            }
            let Value::Object(map) = at else { return Err(twice(column)) };
            if map.insert(last.clone(), value(column)?).is_some() {
                return Err(twice(column));
            }
        }
        Ok(tree)
    }
}

impl Column {
    fn dtype_text(&self, big: bool) -> String {
        let dtype = &self.storage.dtype;
        let name = match big {
            true => Dtype { order: ByteOrder::Little, ..dtype.clone() }.name(),
            false => dtype.name(),
        };
        match (self.names.as_slice(), self.item_shape.as_slice()) {
            ([], _) | (_, []) => name,
            (_, [one]) => format!("({one},){name}"),
            (_, shape) => {
                let shape: Vec<_> = shape.iter().map(u64::to_string).collect();
                format!("({}){name}", shape.join(", "))
            }
        }
    }
}

fn twice(column: &Column) -> Error {
    Error::invalid(format!("column {:?} is there twice, or also a map of columns", column.name()))
}

/// What all columns of a table share.
struct Table<'a> {
    meta: &'a Meta,
    shape: &'a [u64],
    big: bool,
}

impl Table<'_> {
    fn walk(
        &self,
        map: &Map<String, Value>,
        dflt: Option<&Value>,
        names: &[String],
        columns: &mut Vec<Column>,
    ) -> Result<()> {
        for (name, value) in map {
            if name.is_empty()
                || name.len() > 255
                || name.contains(['.', '/'])
                || names.len() >= DEPTH
            {
                return Err(Error::malformed(format!("a column {}", excerpt::text(name))));
            }
            let names = [names, std::slice::from_ref(name)].concat();
            // A fill value that is no map is that of all columns.
            let dflt = match dflt {
                Some(Value::Object(dflt)) => dflt.get(name),
                other => other,
            };
            match value {
                Value::Object(map) => self.walk(map, dflt, &names, columns)?,
                Value::String(text) => columns.push(self.column(text, dflt, names)?),
                _ => return Err(self.meta.wrong("dtype", "a map of types")),
            }
        }
        Ok(())
    }

    fn column(&self, text: &str, dflt: Option<&Value>, names: Vec<String>) -> Result<Column> {
        let (item_shape, text) = split_shape(text)?;
        let shape = [self.shape, item_shape.as_slice()].concat();
        let mut storage = Storage::parse(self.meta, parse_dtype(text, self.big)?, dflt, &shape)?;
        if storage.chunk_shape.len() > 1 {
            // Boxes of elements have all that is in these.
            storage.chunk_shape.extend(&item_shape);
        }
        Ok(Column { names, storage, item_shape })
    }
}

/// Sets a common chunk length for columns without one.
fn share_chunklen(columns: &mut [Column]) {
    let shapes = columns.iter().map(|column| column.storage.chunk_shape.clone());
    let Some(least) = shapes.min() else { return };
    columns.iter_mut().for_each(|column| column.storage.chunk_shape.clone_from(&least));
}

/// `(2, 3)float32`: the shape of a row, and the type.
fn split_shape(text: &str) -> Result<(Vec<u64>, &str)> {
    let Some((shape, text)) = text.strip_prefix('(').and_then(|text| text.split_once(')')) else {
        return Ok((Vec::new(), text));
    };
    let numbers = shape.split(',').map(str::trim).filter(|number| !number.is_empty());
    let shape = numbers.map(|number| number.parse().ok()).collect::<Option<Vec<_>>>();
    let shape = shape.ok_or_else(|| {
        Error::malformed(format!("a shape before the type {}", excerpt::text(text)))
    })?;
    Ok((shape, text))
}
