//! The schema of a file and the layout of its fields.
//!
//! ```text
//! ARROW:schema     base64 of the encapsulated IPC message, as in Parquet       types as they were written
//! avro.schema      JSON, Avro layout                                           types as Avro has them; alone if that is all
//! neither          the columns themselves                                      types as the columns have them
//! arrow.layout     "split" or "avro": the layout of the fields of ARROW:schema       default: split
//! ```

use super::ipc;

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use super::infer;
use super::view_types::{OutputTypes, view_of};
use crate::arrow::Layout;
use crate::arrow::avro::{self, Avro};
use crate::arrow::encoded;
use crate::arrow::layout::field_layout::LayoutPlan;
use crate::arrow::layout::split;
use crate::arrow::layout::split::Joins;
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::metadata::Metadata;
use crate::format::value::ValueType;
use crate::keys::{ARROW_SCHEMA, AVRO_SCHEMA, LAYOUT};

/// Returns whether a key of the file's metadata is this module's to set.
pub(crate) fn is_own_key(key: &str) -> bool {
    key == ARROW_SCHEMA || key == AVRO_SCHEMA || key.starts_with("arrow.")
}

/// A schema and its plan.
#[derive(Debug)]
pub(crate) struct SchemaPlan {
    /// The schema of batches.
    pub(crate) schema: SchemaRef,
    /// The stored fields of the schema.
    pub(crate) stored: Fields,
    /// Where they are.
    pub(crate) plan: LayoutPlan,
}

impl SchemaPlan {
    /// Has the text and binary data of dictionaries read as views, where the codec of the column encodes values: it may
    /// store them as dictionaries, whose views are equal where values are.
    pub(crate) fn read_dictionaries_as_views(&mut self, is_encoded: impl Fn(usize) -> bool) {
        let fields = self.schema.fields().iter().zip(&self.stored).zip(&self.plan.shapes);
        let stored = fields.map(|((field, stored), shape)| {
            let mut columns = Vec::new();
            shape.columns(&mut columns);
            let is_dictionary = matches!(field.data_type(), DataType::Dictionary(..));
            match view_of(stored.data_type()) {
                Some(view) if is_dictionary && columns.iter().all(|column| is_encoded(*column)) => {
                    Arc::new(Field::clone(stored).with_data_type(view))
                }
                _ => stored.clone(),
            }
        });
        self.stored = stored.collect();
    }

    /// Returns the fields of the values that are stored, without views where a dictionary is; `None` if there is an
    /// enum, whose ordinals are stored.
    pub(crate) fn values(fields: &Fields, stored: &Fields) -> Option<Fields> {
        let values = encoded::stored_fields(fields, Layout::Split);
        let is_alike = |(stored, values): (&FieldRef, &FieldRef)| {
            stored == values || view_of(values.data_type()).as_ref() == Some(stored.data_type())
        };
        let are_alike = stored.len() == values.len() && stored.iter().zip(&values).all(is_alike);
        are_alike.then_some(values)
    }
}

/// Plans a file to write, and adds the schema to its metadata. `joins` tells which columns of the split layout hold
/// counts and values together.
pub(crate) fn plan(
    schema: &SchemaRef,
    layout: Layout,
    joins: Joins<'_>,
    metadata: &mut Metadata,
) -> Result<SchemaPlan> {
    let stored = encoded::stored_fields(schema.fields(), layout);
    let plan = match layout {
        Layout::Split => split::plan(&stored, joins)?,
        Layout::Avro => {
            let (avro, text) = avro::of_schema(schema)?;
            let (plan, says_all) = (avro::plan(&avro, &stored)?, avro::says_all(&text, schema)?);
            metadata.set(AVRO_SCHEMA, text)?;
            if says_all {
                // A schema from Avro is written as Avro's own tools write it, to the byte.
                return Ok(SchemaPlan { schema: schema.clone(), stored, plan });
            }
            plan
        }
    };
    metadata.set(ARROW_SCHEMA, ipc::schema_to_ipc_exactly(schema)?)?;
    metadata.set(LAYOUT, layout.name())?;
    Ok(SchemaPlan { schema: schema.clone(), stored, plan })
}

/// Which schema a file is read with.
#[derive(Debug, Clone, Default)]
pub(crate) enum SchemaSource {
    /// The Arrow schema in the file, if there is one.
    #[default]
    Stored,
    /// That of the Avro schema or the columns.
    Columns,
    /// Another one for the same columns.
    Given(SchemaRef),
}

/// Finds the schema of a file, with views in place of text if that is wanted, and checks it against the columns.
pub(crate) fn find(
    metadata: &Metadata,
    columns: &[ColumnMetadata],
    wanted: &SchemaSource,
    types: OutputTypes,
) -> Result<SchemaPlan> {
    let avro = metadata.get(AVRO_SCHEMA);
    let arrow = metadata.get(ARROW_SCHEMA);
    let (schema, layout) = match (wanted, arrow, avro) {
        (SchemaSource::Given(schema), None, Some(_)) => (Schema::clone(schema), Layout::Avro),
        (SchemaSource::Given(schema), _, _) => (Schema::clone(schema), layout(metadata)?),
        (SchemaSource::Stored, Some(message), _) => {
            (ipc::schema_from_ipc(message)?, layout(metadata)?)
        }
        (_, _, Some(text)) => (of_avro(text)?, Layout::Avro),
        (_, _, None) => {
            let (fields, shapes) = infer::fields(columns)?;
            let plan = LayoutPlan { shapes, columns: Vec::new() };
            let schema = Arc::new(types.of(Schema::new(fields)));
            let stored = schema.fields().clone();
            return Ok(SchemaPlan { schema, stored, plan });
        }
    };
    let schema = types.of(schema);
    let stored = encoded::stored_fields(schema.fields(), layout);
    let plan = match layout {
        Layout::Split => split::plan(&stored, &|i, _| {
            columns.get(i).is_some_and(|c| c.is_array() && c.value_type() != ValueType::Null)
        })?,
        Layout::Avro => {
            let missing = || Error::malformed("arrow.layout is avro, without avro.schema");
            avro::plan(&Avro::parse(avro.ok_or_else(missing)?)?, &stored)?
        }
    };
    match (plan.check(columns), wanted) {
        (Ok(()), _) => Ok(SchemaPlan { schema: Arc::new(schema), stored, plan }),
        (Err(e), SchemaSource::Given(_)) => Err(does_not_fit(&schema, metadata, columns, e)),
        (Err(e), _) => Err(e),
    }
}

/// Returns the error of a schema that the caller gave and that does not fit the columns, in terms of fields.
fn does_not_fit(
    given: &Schema,
    metadata: &Metadata,
    columns: &[ColumnMetadata],
    error: Error,
) -> Error {
    let own = find(metadata, columns, &SchemaSource::Stored, OutputTypes::AsStored);
    let Ok(SchemaPlan { schema: own, .. }) = own else { return error };
    if given.fields().len() != own.fields().len() {
        let (given, own) = (given.fields().len(), own.fields().len());
        return Error::invalid(format!("the schema has {given} fields, the file has {own}"));
    }
    for (given, own) in given.fields().iter().zip(own.fields()) {
        if given.name() != own.name() {
            let (given, own) = (given.name(), own.name());
            return Error::invalid(format!("the schema has field {given:?}, the file {own:?}"));
        }
        if !have_same_columns(given, own) {
            return Error::invalid(format!(
                "field {}: {} asked for, the file has {}",
                own.name(),
                described(given),
                described(own)
            ));
        }
    }
    Error::invalid(format!("the schema does not fit the file: {error}"))
}

/// Returns whether two fields are stored in the same columns of the split layout.
fn have_same_columns(given: &FieldRef, own: &FieldRef) -> bool {
    let plan = |field: &FieldRef| {
        let fields = Fields::from(vec![field.clone()]);
        split::plan(&encoded::stored_fields(&fields, Layout::Split), &|_, _| false)
    };
    let (Ok(given), Ok(own)) = (plan(given), plan(own)) else { return false };
    let columns: Vec<_> = own.columns.into_iter().map(|column| column.metadata).collect();
    given.check(&columns).is_ok()
}

/// Returns the type of a field and whether it is nullable.
fn described(field: &FieldRef) -> String {
    let not_null = if field.is_nullable() { "" } else { " not null" };
    format!("{}{not_null}", field.data_type())
}

fn of_avro(text: &[u8]) -> Result<Schema> {
    let avro = Avro::parse(text)?;
    let text = std::str::from_utf8(text);
    avro::with_text(&avro, text.map_err(|_| Error::malformed("avro.schema is not UTF-8"))?)
}

fn layout(metadata: &Metadata) -> Result<Layout> {
    let Some(name) = metadata.get(LAYOUT) else { return Ok(Layout::Split) };
    let known = std::str::from_utf8(name).ok().and_then(Layout::from_name);
    known.ok_or_else(|| {
        Error::unsupported(format!("arrow.layout {:?}", String::from_utf8_lossy(name)))
    })
}
