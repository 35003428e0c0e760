//! `trevni describe`: profiles each column in one pass.

mod block_chart;
mod blocks;
mod html;
mod html_text;
#[cfg(feature = "parquet")]
mod parquet;
mod profile;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, NullArray};
use arrow::datatypes::DataType;
use serde_json::{Value as Json, json};
use trevni_convert::Source;

use crate::exit::CliError;
use crate::input::progress::RowProgress;
use crate::input::rows::{Opened, ReadArgs, batch_fault, tell_report};
use crate::output::row_table::escaped;
use crate::output::target::Target;
use crate::output::type_name::type_name;
use crate::stdout;

use blocks::FileLayout;
use profile::{ColumnProfile, Histogram};

/// Describe each column: type, nulls, distinct values, min, max, mean, a histogram or the most frequent values.
///
/// All rows are read once. Counts of distinct values are estimates with an error of about 1 % (HyperLogLog), and
/// exact if they are few; histograms come from a t-digest. NaN counts as a value, but not in min, max, mean and
/// histogram.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, folders, patterns such as 'data/*.csv', or URLs; `-` is standard input. Several are one table.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write a page for a browser, without scripts; of a Trevni file with the bytes and the blocks of columns, of
    /// Parquet with the bytes. `-` is standard output.
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    /// Replace the page if it exists.
    #[arg(long, requires = "html")]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Characters of a name, a type and a value.
const NAME: usize = 28;
const TYPE: usize = 28;
const VALUE: usize = 26;
/// Frequent values that are shown.
const TOP: usize = 4;
const TOP_JSON: usize = 10;
/// The blocks of histograms, by height.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What one pass over the rows found.
struct Profile {
    name: String,
    /// The format, if all inputs have one.
    format: Option<&'static str>,
    rows: u64,
    /// Bytes of the inputs, if they are known.
    bytes: Option<u64>,
    columns: Vec<ColumnProfile>,
}

pub(crate) fn run(args: Args) -> Result<(), CliError> {
    let target = args.html.as_ref().map(|path| Target::create(path, args.force)).transpose()?;
    let is_one = matches!(args.files.as_slice(), [file] if file.is_file());
    let profile = args.read.read_all(&args.files, |opened| profile(opened, is_one))?;
    if let (Some(target), Some(path)) = (target, &args.html) {
        return write_page(&args, &profile, target, path);
    }
    let Profile { name, rows, columns, .. } = profile;
    if args.json {
        let columns: Vec<Json> = columns.iter().map(to_json).collect();
        return stdout::print_json(&json!({ "rows": rows, "columns": columns }), true);
    }
    let mut out = stdout::stdout();
    let s = if columns.len() == 1 { "" } else { "s" };
    writeln!(out, "{}: {rows} rows, {} column{s}", escaped(&name, usize::MAX), columns.len())?;
    let width = columns.iter().map(|column| escaped(column.name(), NAME).chars().count()).max();
    for column in &columns {
        write_column(column, width.unwrap_or(0), &mut out)?;
    }
    Ok(out.flush()?)
}

fn write_page(
    args: &Args,
    profile: &Profile,
    mut target: Target,
    path: &Path,
) -> Result<(), CliError> {
    let layout = match args.files.as_slice() {
        [file] if file.is_file() => layout(file, &args.read)?,
        _ => None,
    };
    let page = html::page(profile, layout.as_ref()).map_err(CliError::of("html"))?;
    target.write_all(page.as_bytes())?;
    target.commit(path)?;
    Ok(())
}

/// Returns the byte ranges of the columns of a file, if its format has them. A compressed file has none.
fn layout(path: &Path, read: &ReadArgs) -> Result<Option<FileLayout>, CliError> {
    let format = read.find(path)?.2.name;
    let mut source = Source::open(path).map_err(CliError::of(path.display()))?;
    let head = source.head().map_err(CliError::of(path.display()))?;
    match format {
        "trv" if head.starts_with(b"Trv") => FileLayout::read(path).map(Some),
        #[cfg(feature = "parquet")]
        "parquet" if head.starts_with(b"PAR1") => parquet::layout(path).map(Some),
        _ => Ok(None),
    }
}

/// Reads all rows, unless there is one file that has nothing but nulls: a few bytes are any number of them.
fn profile(opened: Opened, is_one: bool) -> Result<Profile, CliError> {
    let wrong = |e| batch_fault(&opened.name, e);
    let fields = opened.rows.schema();
    let columns = fields.fields().iter().map(|field| ColumnProfile::try_new(field.clone()));
    let mut columns: Vec<_> = columns.collect::<Result<_, _>>().map_err(wrong)?;
    let has_nulls_only = fields.fields().iter().all(|field| field.data_type().is_null());
    if let Some(rows) = opened.input_size().rows.filter(|_| is_one && has_nulls_only) {
        let nulls: ArrayRef = Arc::new(NullArray::new(usize::try_from(rows).unwrap_or(usize::MAX)));
        columns.iter_mut().try_for_each(|column| column.add(&nulls)).map_err(wrong)?;
        return Ok(Profile {
            name: opened.name,
            format: opened.format,
            rows,
            bytes: opened.size,
            columns,
        });
    }
    let mut progress = RowProgress::new(&opened.input_size());
    for batch in opened.rows {
        let batch = batch.map_err(wrong)?;
        progress.add(batch.num_rows());
        for (column, values) in columns.iter_mut().zip(batch.columns()) {
            column.add(values).map_err(wrong)?;
        }
    }
    let rows = progress.rows();
    drop(progress);
    tell_report(&opened.report);
    Ok(Profile { name: opened.name, format: opened.format, rows, bytes: opened.size, columns })
}

/// Two lines: name, type and counts; then the values.
fn write_column(column: &ColumnProfile, width: usize, out: &mut impl Write) -> std::io::Result<()> {
    let nulls = match column.nulls {
        0 => "no nulls".to_owned(),
        nulls => format!("{nulls} nulls"),
    };
    let distinct = column.distinct().map(|distinct| format!(", {distinct} distinct"));
    let name = escaped(column.name(), NAME);
    let of = escaped(&type_name(column.data_type()), TYPE);
    writeln!(out, "\n{name:width$}  {of}  {nulls}{}", distinct.unwrap_or_default())?;
    let mut parts = Vec::new();
    if let Some((least, greatest)) = column.bounds(VALUE) {
        parts.push(match least == greatest {
            true => least,
            false => format!("{least} to {greatest}"),
        });
    }
    if let Some(mean) = column.mean() {
        parts.push(format!("mean {mean}"));
    }
    if !parts.is_empty() {
        writeln!(out, "{:width$}  {}", "", parts.join(", "))?;
    }
    let top = column.top(TOP);
    let values = column.rows - column.nulls;
    let top: Vec<String> = top
        .iter()
        .map(|(value, times)| format!("{} {}", escaped(value, VALUE), percent(*times, values)))
        .collect();
    if !top.is_empty() {
        writeln!(out, "{:width$}  {}", "", top.join(", "))?;
    }
    if let Some(histogram) = column.histogram().filter(|histogram| histogram.counts.len() > 1) {
        writeln!(out, "{:width$}  {}", "", bars(&histogram))?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0}%", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Returns a block for each bin; blanks where nothing is.
fn bars(histogram: &Histogram) -> String {
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &u64| match count {
        0 => ' ',
        count => {
            let level = (u128::from(*count) * 8).div_ceil(u128::from(most)).saturating_sub(1);
            usize::try_from(level).ok().and_then(|level| BLOCKS.get(level)).copied().unwrap_or('█')
        }
    };
    histogram.counts.iter().map(bar).collect()
}

fn to_json(column: &ColumnProfile) -> Json {
    let of = column.data_type();
    let mut fields = serde_json::Map::new();
    let mut put = |name: &str, value: Json| fields.insert(name.to_owned(), value);
    put("name", column.name().into());
    put("type", of.to_string().into());
    put("rows", column.rows.into());
    put("nulls", column.nulls.into());
    if let Some(distinct) = column.distinct() {
        put("distinct", distinct.into());
    }
    if let Some((least, greatest)) = column.bounds(usize::MAX) {
        put("min", value_json(least, of));
        put("max", value_json(greatest, of));
    }
    if let Some(mean) = column.mean() {
        put("mean", value_json(mean, of));
    }
    if let Some(Histogram { min, max, counts }) = column.histogram() {
        put("histogram", json!({ "min": min, "max": max, "counts": counts }));
    }
    let top = column.top(TOP_JSON);
    if !top.is_empty() {
        let pair = |(value, count): &(String, u64)| json!({ "value": value, "count": count });
        put("top", top.iter().map(pair).collect());
    }
    fields.into()
}

/// Returns a value as a number, if it is one.
fn value_json(text: String, of: &DataType) -> Json {
    let number = of.is_numeric().then(|| serde_json::from_str::<serde_json::Number>(&text).ok());
    number.flatten().map_or(Json::String(text), Json::Number)
}
