//! Types of Arrow that Avro has no type for, and that its readers would take for plain numbers.
//!
//! ```text
//! Duration(*)   Time64(ns)   Interval(YearMonth)   ──►   long, long, int: the unit is lost
//! Decimal(p, s), s < 0 or s > p                    ──►   bytes: the scale is lost
//! ```

use arrow::datatypes::{DataType, Field, IntervalUnit, Schema, TimeUnit};

use trevni::{Error, Result};

/// Fails with the name of the first field that would lose its type.
pub(super) fn check(schema: &Schema) -> Result<()> {
    schema.fields().iter().try_for_each(|field| check_type(field.data_type(), field.name()))
}

fn check_type(data_type: &DataType, path: &str) -> Result<()> {
    use DataType::*;
    let inner = |field: &Field| check_type(field.data_type(), &format!("{path}.{}", field.name()));
    let left = match data_type {
        Duration(_) | Time64(TimeUnit::Nanosecond) | Interval(IntervalUnit::YearMonth) => {
            "a number without its unit"
        }
        Decimal32(p, s) | Decimal64(p, s) | Decimal128(p, s) | Decimal256(p, s) => {
            match u8::try_from(*s).is_ok_and(|scale| scale <= *p) {
                true => return Ok(()),
                false => "bytes without its scale",
            }
        }
        Dictionary(_, values) => return check_type(values, path),
        Struct(fields) => return fields.iter().try_for_each(|field| inner(field)),
        Union(fields, _) => return fields.iter().try_for_each(|(_, field)| inner(field)),
        List(item)
        | LargeList(item)
        | ListView(item)
        | LargeListView(item)
        | FixedSizeList(item, _)
        | RunEndEncoded(_, item)
        | Map(item, _) => return inner(item),
        _ => return Ok(()),
    };
    let what = format!("{data_type} would be {left} in Avro: --lossy writes that");
    Err(Error::unsupported(what).in_column(path))
}
