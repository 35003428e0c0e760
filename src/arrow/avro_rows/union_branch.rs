//! The columns of one branch of an Avro union.

use crate::arrow::avro::Avro;
use crate::arrow::layout::field_layout::FieldLayout;

/// Returns the counts of a row whose value is of the branch `at` of a union, and the shape of that value unless it
/// is null.
pub(crate) fn choose<'s>(
    shape: &'s FieldLayout,
    branches: &[Avro],
    at: usize,
) -> (Vec<(usize, u32)>, Option<&'s FieldLayout>) {
    let null = branches.get(at).is_some_and(Avro::is_null);
    match shape {
        FieldLayout::Optional { counts, .. } if null => (vec![(*counts, 0)], None),
        FieldLayout::Optional { counts, inner } => (vec![(*counts, 1)], Some(inner)),
        FieldLayout::Union(shapes) => {
            let counts = shapes.iter().enumerate();
            let counts =
                counts.filter_map(|(i, (counts, _))| Some(((*counts)?, u32::from(i == at))));
            let inner = shapes.get(at).map(|(_, shape)| shape).filter(|_| !null);
            (counts.collect(), inner)
        }
        _ => (Vec::new(), None),
    }
}
