//! The columns of one branch of an Avro union.

use crate::arrow::avro::Avro;
use crate::arrow::layout::field_layout::Shape;

/// The counts of a row whose value is of the branch `at` of a union, and the shape of that value unless it is null.
pub(crate) fn choose<'s>(
    shape: &'s Shape,
    branches: &[Avro],
    at: usize,
) -> (Vec<(usize, u32)>, Option<&'s Shape>) {
    let null = branches.get(at).is_some_and(Avro::is_null);
    match shape {
        Shape::Optional { counts, .. } if null => (vec![(*counts, 0)], None),
        Shape::Optional { counts, inner } => (vec![(*counts, 1)], Some(inner)),
        Shape::Union(shapes) => {
            let counts = shapes.iter().enumerate();
            let counts =
                counts.filter_map(|(i, (counts, _))| Some(((*counts)?, u32::from(i == at))));
            let inner = shapes.get(at).map(|(_, shape)| shape).filter(|_| !null);
            (counts.collect(), inner)
        }
        _ => (Vec::new(), None),
    }
}
