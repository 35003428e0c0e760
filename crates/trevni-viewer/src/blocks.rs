//! The answers to `blocks`, the descriptors of a column's blocks and their statistics, and to `block`.

use serde_json::{Value as Json, json};
use trevni::{FileReader, Result, Value, ValueType};

use crate::cell::shortened;
use crate::counted_source::CountedSource;

/// Blocks of an answer. Where there are more, neighbors are given as one.
const MOST: usize = 2_000;

pub(crate) fn blocks(file: &FileReader<CountedSource>, column: usize) -> Result<Json> {
    let (blocks, statistics) = (file.blocks(column)?, file.statistics(column)?);
    let value_type = file.column(column)?.value_type();
    let text = |value: &Value<'_>| text(value, value_type);
    let step = blocks.len().div_ceil(MOST).max(1);
    let groups = blocks.chunks(step).enumerate().map(|(number, group)| {
        let (first, number) = (group.first(), number * step);
        let sum = |of: fn(&trevni::BlockDescriptor) -> u32| {
            group.iter().map(|block| u64::from(of(block))).sum::<u64>()
        };
        let known = statistics.as_ref().filter(|_| step == 1);
        let known = known.and_then(|known| known.blocks.get(number));
        let bounds = known.and_then(|known| known.bounds.as_ref());
        json!({
            "number": number,
            "blocks": group.len(),
            "row": first.map(|block| block.first_row),
            "offset": first.map(|block| block.offset),
            "rows": sum(|block| block.rows),
            "stored": sum(|block| block.compressed_size),
            "uncompressed": sum(|block| block.uncompressed_size),
            "first": first.and_then(|block| block.first_value.as_ref()).map(text),
            "nulls": known.map(|known| known.nulls),
            "min": bounds.map(|bounds| text(&bounds.min)),
            "max": bounds.map(|bounds| text(&bounds.max)),
        })
    });
    Ok(json!({ "blocks": groups.collect::<Vec<_>>(), "count": blocks.len() }))
}

/// The answer to `block`: what is only known once the block is read.
pub(crate) fn block(file: &FileReader<CountedSource>, column: usize, block: usize) -> Result<Json> {
    let found = file.block_encoding(column, block)?;
    Ok(json!({
        "encoding": shortened(&found.encoding),
        "checksum": found.checksum.map(|checksum| format!("{checksum:08x}")),
        "verified": found.is_verified,
    }))
}

fn text(value: &Value<'_>, value_type: ValueType) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Bytes(bytes) if value_type == ValueType::String => {
            shortened(&String::from_utf8_lossy(bytes))
        }
        Value::Bytes(bytes) => {
            shortened(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
    }
}
