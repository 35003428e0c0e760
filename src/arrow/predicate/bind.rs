//! Binds a predicate to a schema: resolves columns, and converts literals to the types of their columns.
//!
//! ```text
//! column   literal      test                    column   literal      test
//! int8     = 10         = 10                    int8     = 300        false
//! int8     < 10.5       <= 10                   int8     < 300        true
//! date32   = '2024..'   = 19753                 float32  < 1e39       < inf        of a row that is null: null
//! ```
//! What cannot be compared is found here, before any row is read.

use arrow::array::*;
use arrow::datatypes::*;

use super::bound::{Bound, ColumnRoute, Test, ValueSet};
use super::literal::Literal;
use super::{ColumnPath, MOST_LEVELS, Node, Operator};
use crate::error::{Error, Result};

mod columns;
mod moments;
mod numbers;

use columns::common_type;
use moments::moments;
use numbers::{decimals, floats, integers};

/// A list of at least this many values becomes a set.
const MANY: usize = 16;

impl Bound {
    /// Binds a condition to the columns of a schema.
    pub(crate) fn new(node: &Node, fields: &Fields) -> Result<Self> {
        let all = |nodes: &[Node]| -> Result<Vec<_>> {
            nodes.iter().map(|node| Self::new(node, fields)).collect()
        };
        Ok(match node {
            Node::Compare { column, operator, literal } => {
                let (route, field) = find(column, fields)?;
                let tests = vec![test(column, field.data_type(), *operator, literal)?];
                Bound::Tests { column: route, tests }
            }
            Node::In { column, literals } => {
                let (route, field) = find(column, fields)?;
                let equal = |literal| test(column, field.data_type(), Operator::Eq, literal);
                let tests = literals.iter().map(equal).collect::<Result<_>>()?;
                Bound::Tests { column: route, tests: gather(tests)? }
            }
            Node::CompareColumns { left, operator, right } => {
                let ((left_route, left_field), (right_route, right_field)) =
                    (find(left, fields)?, find(right, fields)?);
                let (one, other) = (left_field.data_type(), right_field.data_type());
                let data_type = common_type(values(one), values(other)).ok_or_else(|| {
                    let what = format!("column {left} is {one}, and {right} is {other}");
                    Error::invalid(format!("{what}: they cannot be compared"))
                })?;
                Bound::Columns {
                    left: left_route,
                    operator: *operator,
                    right: right_route,
                    data_type,
                }
            }
            Node::Like { column, pattern, ignore_case } => {
                let (route, field) = find(column, fields)?;
                let test = like(column, field.data_type(), pattern, *ignore_case)?;
                Bound::Tests { column: route, tests: vec![test] }
            }
            Node::IsNull(column) => Bound::IsNull(find(column, fields)?.0),
            Node::IsTrue(column) => {
                let (route, field) = find(column, fields)?;
                match values(field.data_type()) {
                    DataType::Boolean | DataType::Null => Bound::IsTrue(route),
                    other => {
                        let what = format!("column {column} is {other}: by itself it is no answer");
                        return Err(Error::invalid(what));
                    }
                }
            }
            Node::And(nodes) => Bound::And(all(nodes)?),
            Node::Or(nodes) => Bound::Or(all(nodes)?),
            Node::Not(node) => Bound::Not(Box::new(Self::new(node, fields)?)),
            Node::TooDeep => {
                let what = format!("a condition that nests more than {MOST_LEVELS} levels");
                return Err(Error::invalid(what));
            }
        })
    }
}

/// Returns the field at a path. A name that several fields have means none of them.
pub(crate) fn find<'a>(
    column: &ColumnPath,
    fields: &'a Fields,
) -> Result<(ColumnRoute, &'a Field)> {
    let routes = column.routes(fields);
    let mut inside_structs = routes.iter().filter_map(|route| Some((route, leaf(route, fields)?)));
    let Some((route, field)) = inside_structs.next() else { return Err(missing(column, fields)) };
    if inside_structs.next().is_some() {
        return Err(Error::invalid(format!("more than one column is named {column}")));
    }
    Ok((ColumnRoute(route.clone()), field))
}

/// Returns the field at a route through structs; `None` if it is within a list, a map or a union.
fn leaf<'a>(route: &[usize], fields: &'a Fields) -> Option<&'a Field> {
    let (last, above) = route.split_last()?;
    let mut fields = fields;
    for index in above {
        fields = match fields.get(*index)?.data_type() {
            DataType::Struct(fields) => fields,
            _ => return None,
        };
    }
    fields.get(*last).map(AsRef::as_ref)
}

fn missing(column: &ColumnPath, fields: &Fields) -> Error {
    let all: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
    Error::invalid(format!("no column {column}: there are {}", all.join(", ")))
}

/// Returns the type of the values of dictionaries and run-end arrays.
fn values(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, inner) => values(inner),
        DataType::RunEndEncoded(_, inner) => values(inner.data_type()),
        other => other,
    }
}

/// Returns whether text matches a pattern.
fn like(column: &ColumnPath, of: &DataType, pattern: &str, ignore_case: bool) -> Result<Test> {
    match values(of) {
        DataType::Null => Ok(Test::Always(false)),
        text @ (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => {
            let pattern = arrow::compute::cast(&StringArray::from(vec![pattern]), text)?;
            Ok(Test::Like { pattern, ignore_case })
        }
        other => {
            let what = format!("column {column} is {other}: only text can be `like` a pattern");
            Err(Error::invalid(what))
        }
    }
}

/// Returns the test of a comparison with a literal for values of a type.
fn test(
    column: &ColumnPath,
    data_type: &DataType,
    operator: Operator,
    literal: &Literal,
) -> Result<Test> {
    use super::literal::LiteralKind::{Boolean, Bytes, Number, Text};
    let data_type = values(data_type);
    let compare = |value: ArrayRef| Ok(Some(Test::Compare(operator, value)));
    let made = match (data_type, &literal.0) {
        (DataType::Null, _) => Ok(Some(Test::Always(false))),
        (DataType::Boolean, Boolean(value)) => {
            compare(std::sync::Arc::new(BooleanArray::from(vec![*value])))
        }
        (data_type, Number(number)) if data_type.is_integer() => {
            integers(data_type, operator, number)
        }
        (data_type, Number(number)) if data_type.is_floating() => {
            floats(data_type, operator, number).map(Some)
        }
        (data_type, Number(number)) => decimals(data_type, operator, number),
        (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View, Text(text)) => {
            compare(arrow::compute::cast(&StringArray::from(vec![text.as_str()]), data_type)?)
        }
        (DataType::FixedSizeBinary(size), Bytes(bytes))
            if usize::try_from(*size) != Ok(bytes.len()) || *size == 0 =>
        {
            compare(std::sync::Arc::new(BinaryArray::from(vec![bytes.as_slice()])))
        }
        (data_type, Bytes(bytes)) if is_binary(data_type) => {
            compare(arrow::compute::cast(&BinaryArray::from(vec![bytes.as_slice()]), data_type)?)
        }
        (data_type, Text(text)) => moments(data_type, operator, text),
        _ => Ok(None),
    };
    let unfit = |why: &str| {
        let what = format!("column {column} is {data_type}: ");
        Error::invalid(format!("{what}it cannot be compared with {}{why}", literal.describe()))
    };
    match made {
        Ok(Some(test)) => Ok(test),
        Ok(None) => Err(unfit(advice(data_type))),
        Err(e) => match e.kind() {
            crate::ErrorKind::Invalid(why) => Err(unfit(&format!(", {why}"))),
            _ => Err(e),
        },
    }
}

fn is_binary(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Binary | LargeBinary | BinaryView | FixedSizeBinary(_))
}

/// Returns how a literal of a type is written.
fn advice(data_type: &DataType) -> &'static str {
    use DataType::*;
    match data_type {
        Boolean => ", but with true and false",
        Utf8 | LargeUtf8 | Utf8View => ", but with 'text'",
        Date32 | Date64 => ", but with a date like '2024-01-31'",
        Timestamp(..) => ", but with a time like '2024-01-31T10:00:00'",
        Time32(_) | Time64(_) => ", but with a time like '10:00:00'",
        Duration(_) => ", but with a duration like '1h 30m'",
        data_type if is_binary(data_type) => ", but with bytes like x'6162'",
        data_type if data_type.is_numeric() => ", but with a number",
        _ => "; only `is null` can be tested",
    }
}

/// Fewer tests that ask the same: of many values of one type, whether it is among them.
fn gather(tests: Vec<Test>) -> Result<Vec<Test>> {
    if tests.len() < MANY {
        return Ok(tests);
    }
    let (mut values, mut others): (Vec<ArrayRef>, Vec<Test>) = (Vec::new(), Vec::new());
    for test in tests {
        match test {
            Test::Compare(_, value)
                if values.first().is_none_or(|first| first.data_type() == value.data_type()) =>
            {
                values.push(value);
            }
            other => others.push(other),
        }
    }
    // A test that is never true still returns null for nulls; several return the same.
    let mut said = false;
    others
        .retain(|test| !matches!(test, Test::Always(false)) || !std::mem::replace(&mut said, true));
    let arrays: Vec<&dyn Array> = values.iter().map(|value| value.as_ref()).collect();
    if !arrays.is_empty() {
        others.push(Test::ValueSet(ValueSet::new(&arrow::compute::concat(&arrays)?)?));
    }
    Ok(others)
}
