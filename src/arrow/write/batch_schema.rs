//! Matches a batch with the schema of a writer.
//!
//! ```text
//! schema       batch                                         as the crate `parquet` does it
//! same names, same types                                     unchanged
//! Utf8         LargeUtf8, Utf8View, Dictionary(_, Utf8)      cast; binary and nested types alike
//! other names, other order, other types                      an error that names both
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::error::{Error, Result};

/// Returns the columns of a batch with the types of a schema.
///
/// Columns are matched by position. A name that differs is an error, so that no column is written in the place of
/// another, and so is a type that cannot hold the values without a conversion that the caller did not ask for.
pub(crate) fn conform<'a>(
    batch: &'a RecordBatch,
    schema: &SchemaRef,
) -> Result<Cow<'a, RecordBatch>> {
    let given = batch.schema_ref();
    if given.fields().len() != schema.fields().len() {
        return Err(Error::invalid(format!(
            "the batch has {} columns, the schema has {}",
            given.fields().len(),
            schema.fields().len()
        )));
    }
    let pairs = || given.fields().iter().zip(schema.fields());
    if let Some(place) = pairs().position(|(given, field)| given.name() != field.name()) {
        return Err(Error::invalid(format!(
            "column {place} of the batch is {:?}, of the schema {:?}: the columns of the batch are {}, those of the schema {}",
            given.field(place).name(),
            schema.field(place).name(),
            names(given),
            names(schema)
        )));
    }
    if pairs().all(|(given, field)| given.data_type() == field.data_type()) {
        return Ok(Cow::Borrowed(batch));
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(array, field)| conform_array(array, field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    // The nullability of the schema is checked where the nulls are removed, with the path of the field.
    let fields: Vec<_> =
        schema.fields().iter().map(|f| f.as_ref().clone().with_nullable(true)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let schema = Arc::new(Schema::new(fields));
    Ok(Cow::Owned(RecordBatch::try_new_with_options(schema, columns, &options)?))
}

fn conform_array(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let (given, wanted) = (array.data_type(), field.data_type());
    if given == wanted {
        return Ok(array.clone());
    }
    let refused = |why: &str| {
        Error::invalid(format!("field {}: {given} given for {wanted}{why}", field.name()))
    };
    if !is_compatible(wanted, given) {
        return Err(refused(""));
    }
    cast(array, wanted).map_err(|e| refused(&format!(": {e}")))
}

/// Whether values of one type are written as another without a loss.
fn is_compatible(wanted: &DataType, given: &DataType) -> bool {
    use DataType::*;
    let fields =
        |wanted: &Field, given: &Field| is_compatible(wanted.data_type(), given.data_type());
    match (wanted, given) {
        (wanted, given) if wanted == given => true,
        (Dictionary(_, wanted), Dictionary(_, given)) => is_compatible(wanted, given),
        (Dictionary(_, wanted), given) => is_compatible(wanted, given),
        (wanted, Dictionary(_, given)) => is_compatible(wanted, given),
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8 | Utf8View) => true,
        (Binary | LargeBinary | BinaryView, Binary | LargeBinary | BinaryView) => true,
        (List(wanted), List(given)) | (LargeList(wanted), LargeList(given)) => {
            fields(wanted, given)
        }
        (Struct(wanted), Struct(given)) => {
            wanted.len() == given.len()
                && wanted.iter().zip(given).all(|(w, g)| w.name() == g.name() && fields(w, g))
        }
        _ => false,
    }
}

/// The first names of a schema, for messages.
fn names(schema: &SchemaRef) -> String {
    const MOST: usize = 8;
    let mut names: Vec<_> = schema.fields().iter().take(MOST).map(|f| f.name().as_str()).collect();
    if schema.fields().len() > MOST {
        names.push("...");
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use arrow::array::*;
    use arrow::datatypes::Int32Type;

    use super::*;

    fn schema(fields: &[(&str, DataType)]) -> SchemaRef {
        let field = |(name, of): &(&str, DataType)| Field::new(*name, of.clone(), true);
        Arc::new(Schema::new(fields.iter().map(field).collect::<Vec<_>>()))
    }

    #[test]
    fn columns_in_another_order_are_refused() {
        let ints = || Arc::new(Int32Array::from(vec![1])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("b", ints()), ("a", ints())]).unwrap();
        let schema = schema(&[("a", DataType::Int32), ("b", DataType::Int32)]);
        let error = conform(&batch, &schema).unwrap_err().to_string();
        let expected = "invalid: column 0 of the batch is \"b\", of the schema \"a\": \
                        the columns of the batch are b, a, those of the schema a, b";
        assert_eq!(error, expected);
        let error = conform(&batch.project(&[0]).unwrap(), &schema).unwrap_err().to_string();
        assert_eq!(error, "invalid: the batch has 1 columns, the schema has 2");
    }

    #[test]
    fn text_of_other_types_is_cast() {
        let wanted = schema(&[("t", DataType::Utf8)]);
        let given: [ArrayRef; 3] = [
            Arc::new(LargeStringArray::from(vec![Some("x"), None])),
            Arc::new(StringViewArray::from(vec![Some("x"), None])),
            Arc::new(DictionaryArray::<Int32Type>::from_iter([Some("x"), None])),
        ];
        for array in given {
            let batch = RecordBatch::try_from_iter([("t", array)]).unwrap();
            let found = conform(&batch, &wanted).unwrap();
            assert_eq!(
                found.column(0).as_string::<i32>(),
                &StringArray::from(vec![Some("x"), None])
            );
        }
        let batch =
            RecordBatch::try_from_iter([("t", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
        let error = conform(&batch.unwrap(), &wanted).unwrap_err().to_string();
        assert_eq!(error, "invalid: field t: Int32 given for Utf8");
    }

    #[test]
    fn nested_text_is_cast_and_other_children_are_refused() {
        let item = |of| DataType::new_list(of, true);
        let wanted = schema(&[("l", item(DataType::Utf8))]);
        let list = |of| {
            let empty = new_empty_array(&item(of));
            RecordBatch::try_from_iter([("l", empty)]).unwrap()
        };
        assert_eq!(
            conform(&list(DataType::Utf8View), &wanted).unwrap().column(0).data_type(),
            &item(DataType::Utf8)
        );
        assert!(conform(&list(DataType::Int8), &wanted).is_err());
    }
}
