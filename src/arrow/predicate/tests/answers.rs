//! Three-valued logic, and columns within structs.
//!
//! ```text
//! and   1 0 -        or   1 0 -        not
//! 1     1 0 -        1    1 1 1        1   0
//! 0     0 0 0        0    1 0 -        0   1
//! -     - 0 -        -    1 - -        -   -
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;

use super::*;

const THREE: [Option<bool>; 3] = [Some(true), Some(false), None];

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn ask(batch: &RecordBatch, text: &str) -> Vec<Option<bool>> {
    Predicate::parse(text).unwrap().evaluate(batch).unwrap().iter().collect()
}

#[test]
fn null_is_neither_true_nor_false() {
    let pairs: Vec<_> = THREE.iter().flat_map(|a| THREE.map(|b| (*a, b))).collect();
    let column = |values: Vec<Option<bool>>| -> ArrayRef { Arc::new(BooleanArray::from(values)) };
    let columns = [
        ("a", column(pairs.iter().map(|pair| pair.0).collect()), true),
        ("b", column(pairs.iter().map(|pair| pair.1).collect()), true),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let not = |a: Option<bool>| a.map(|a| !a);
    let each = |of: &dyn Fn(Option<bool>, Option<bool>) -> Option<bool>| -> Vec<_> {
        pairs.iter().map(|(a, b)| of(*a, *b)).collect()
    };
    assert_eq!(ask(&batch, "a and b"), each(&and));
    assert_eq!(ask(&batch, "a or b"), each(&|a, b| not(and(not(a), not(b)))));
    assert_eq!(ask(&batch, "not a"), each(&|a, _| not(a)));
}

#[test]
fn fields_of_structs_are_null_where_these_are() {
    let x: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let inner = Fields::from(vec![Field::new("x", DataType::Int32, true)]);
    let nulls = NullBuffer::from(vec![true, true, true, false]);
    let b: ArrayRef = Arc::new(StructArray::new(inner.clone(), vec![x], Some(nulls)));
    let outer = Fields::from(vec![Field::new("b", DataType::Struct(inner), true)]);
    let nulls = NullBuffer::from(vec![true, true, false, true]);
    let a: ArrayRef = Arc::new(StructArray::new(outer, vec![b], Some(nulls)));
    let batch = RecordBatch::try_from_iter([("a", a)]).unwrap();
    assert_eq!(ask(&batch, "a.b.x < 9"), [Some(true), None, None, None]);
    assert_eq!(ask(&batch, "a.b.x is null"), [false, true, true, true].map(Some));
    assert_eq!(ask(&batch, "a.b is null"), [false, false, true, true].map(Some));
    assert_eq!(ask(&batch, "a is null"), [false, false, true, false].map(Some));
    assert_eq!(
        ask(&batch.slice(1, 3), "a.b.x < 9 or a is not null"),
        [Some(true), None, Some(true)]
    );
}

#[test]
fn nothing_is_in_an_empty_list() {
    let a: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let batch = RecordBatch::try_from_iter([("a", a)]).unwrap();
    assert_eq!(ask(&batch, "a in ()"), [Some(false); 2]);
    assert_eq!(ask(&batch, "a not in ()"), [Some(true); 2]);
    assert_eq!(ask(&batch, "a in (1, 300)"), [Some(true), None]);
    let many = Predicate::is_in("a", (0..100).map(|i| i as f64 + 0.5));
    assert_eq!(many.evaluate(&batch).unwrap().iter().collect::<Vec<_>>(), [Some(false), None]);
}

#[test]
fn steps_look_at_other_columns_each() {
    let steps = |text: &str| -> Vec<String> {
        let steps = Predicate::parse(text).unwrap().into_steps();
        steps.iter().map(|step| step.to_string()).collect()
    };
    assert_eq!(steps("a > 1 and b = 2 and a < 5"), ["a > 1 and a < 5", "b = 2"]);
    assert_eq!(steps("a or b"), ["a or b"]);
    assert_eq!(steps("not (a and b) and c"), ["not (a and b)", "c"]);
}
