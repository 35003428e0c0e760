//! The fields that expressions read: columns, and fields of structs.
//!
//! ```text
//! id + 1                            [0]
//! get_field(s, 'x')                 [5, 0]     of a struct s: only x is read
//! get_field(s, 'x') and s           [5]
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use trevni::arrow::ProjectionMask;

use crate::error::external;

/// Returns what is read for some expressions: the mask, and the columns, of which structs may lack fields.
pub(crate) fn projection<'a>(
    exprs: impl IntoIterator<Item = &'a Arc<dyn PhysicalExpr>>,
    schema: &SchemaRef,
) -> Result<(ProjectionMask, Schema)> {
    let mut paths = BTreeSet::new();
    for expr in exprs {
        add(expr, schema, &mut paths);
    }
    let mask = ProjectionMask::paths(schema, &paths).map_err(external)?;
    let columns: BTreeSet<usize> = paths.iter().filter_map(|path| path.first().copied()).collect();
    let columns: Vec<usize> = columns.into_iter().collect();
    Ok((mask, schema.project(&columns)?))
}

fn add(expr: &Arc<dyn PhysicalExpr>, schema: &Schema, paths: &mut BTreeSet<Vec<usize>>) {
    match path_of(expr, schema) {
        Some((path, _)) => {
            paths.insert(path);
        }
        None => expr.children().into_iter().for_each(|child| add(child, schema, paths)),
    }
}

/// Returns the path of a column, or of a field of a struct, and its type.
fn path_of<'a>(
    expr: &Arc<dyn PhysicalExpr>,
    schema: &'a Schema,
) -> Option<(Vec<usize>, &'a DataType)> {
    if let Some(column) = expr.downcast_ref::<Column>() {
        let field = schema.fields().get(column.index())?;
        return Some((vec![column.index()], field.data_type()));
    }
    let function = expr.downcast_ref::<ScalarFunctionExpr>()?;
    let [outer, names @ ..] = function.args() else { return None };
    if function.fun().name() != "get_field" {
        return None;
    }
    let (mut path, mut data_type) = path_of(outer, schema)?;
    for name in names {
        let DataType::Struct(fields) = data_type else { return None };
        let (index, field) = fields.find(name_of(name)?)?;
        path.push(index);
        data_type = field.data_type();
    }
    Some((path, data_type))
}

fn name_of(expr: &Arc<dyn PhysicalExpr>) -> Option<&str> {
    expr.downcast_ref::<Literal>()?.value().try_as_str().flatten()
}
