//! The answer to `open`: what is known without reading blocks.

use arrow::datatypes::{DataType, Field};
use serde_json::{Value as Json, json};
use trevni::{FileReader, Result};

use crate::counted_source::CountedSource;
use crate::session::Session;

/// Levels of types that are shown.
const MOST_LEVELS: usize = 32;

pub(crate) fn summary(session: &Session) -> Result<Json> {
    let fields = session.schema.fields().iter().map(|field| tree(field, MOST_LEVELS));
    let columns = session.file.as_ref().map(columns).transpose()?;
    let metadata = session.file.as_ref().map(|file| {
        let all = file.header().metadata.iter();
        all.map(|(key, value)| json!([key, text(value)])).collect::<Vec<_>>()
    });
    Ok(json!({
        "name": session.name,
        "format": session.format,
        "rows": session.row_count,
        "bytes": session.bytes,
        "fields": fields.collect::<Vec<_>>(),
        "columns": columns,
        "metadata": metadata,
        "other": session.other.as_deref().map(summary).transpose()?,
    }))
}

/// Returns the start of a value as text.
fn text(value: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(value.get(..MOST).unwrap_or(value));
    if value.len() > MOST {
        format!("{text}… ({} bytes)", value.len())
    } else {
        text.into_owned()
    }
}

fn tree(field: &Field, levels: usize) -> Json {
    let children: Vec<&Field> = match field.data_type() {
        DataType::Struct(fields) => fields.iter().map(AsRef::as_ref).collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.as_ref()],
        _ => Vec::new(),
    };
    let name = match field.data_type() {
        DataType::Struct(_) => "Struct".to_owned(),
        DataType::List(_) | DataType::LargeList(_) => "List".to_owned(),
        DataType::ListView(_) | DataType::LargeListView(_) => "ListView".to_owned(),
        DataType::FixedSizeList(_, n) => format!("FixedSizeList({n})"),
        DataType::Map(..) => "Map".to_owned(),
        other => other.to_string(),
    };
    let children = match levels {
        0 => Vec::new(),
        _ => children.into_iter().map(|child| tree(child, levels - 1)).collect(),
    };
    json!({ "name": field.name(), "type": name, "nullable": field.is_nullable(), "children": children })
}

/// The columns of the file, of which a field may have several.
fn columns(file: &FileReader<CountedSource>) -> Result<Vec<Json>> {
    let header = file.header();
    let columns = file.columns().iter().enumerate().map(|(number, column)| {
        let (start, end) = (header.start(number), header.start(number + 1));
        let end = end.unwrap_or_else(|| file.file_len());
        Ok(json!({
            "name": column.name(),
            "type": column.value_type().name(),
            "array": column.is_array(),
            "parent": column.parent(),
            "codec": header.codec(number)?.name(),
            "checksum": header.checksum(number)?.name(),
            "start": start,
            "bytes": start.map_or(0, |start| end.saturating_sub(start)),
        }))
    });
    columns.collect()
}
