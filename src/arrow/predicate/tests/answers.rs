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

/// Returns the column `t` in each string type.
fn texts(values: &[Option<&str>]) -> Vec<ArrayRef> {
    let plain: ArrayRef = Arc::new(StringArray::from(values.to_vec()));
    let key = || Box::new(DataType::Int16);
    let dictionary = DataType::Dictionary(key(), Box::new(DataType::LargeUtf8));
    let ends = Int32Array::from_iter_values((1..).take(values.len()));
    let runs = RunArray::try_new(&ends, &StringArray::from(values.to_vec())).unwrap();
    let types = [DataType::LargeUtf8, DataType::Utf8View, dictionary];
    let cast = |data_type| arrow::compute::cast(&plain, &data_type).unwrap();
    let mut all: Vec<ArrayRef> = types.map(cast).into();
    all.extend([plain.clone(), Arc::new(runs) as ArrayRef]);
    all
}

#[test]
fn patterns_match_text_however_it_is_stored() {
    let values = [Some("Ulm"), Some("ulna"), None, Some(""), Some("50%"), Some("a_b\nc")];
    let yes = |at: &[usize]| -> Vec<_> {
        (0..values.len()).map(|i| values[i].map(|_| at.contains(&i))).collect()
    };
    for array in texts(&values) {
        let batch = RecordBatch::try_from_iter_with_nullable([("t", array, true)]).unwrap();
        for (text, at) in [
            ("t like 'U%'", &[0][..]),
            ("t like 'u%'", &[1]),
            ("t ilike 'u%'", &[0, 1]),
            ("t ilike 'U_M'", &[0]),
            ("t like ''", &[3]),
            ("t like '%'", &[0, 1, 3, 4, 5]),
            (r"t like '%\%'", &[4]),
            (r"t like '_\_%c'", &[5]),
            ("t not like '%l%'", &[3, 4, 5]),
        ] {
            assert_eq!(ask(&batch, text), yes(at), "{text}: {}", batch.schema());
        }
    }
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("n", numbers)]).unwrap();
    let e = Predicate::like("n", "1%").evaluate(&batch).unwrap_err().to_string();
    assert_eq!(e, "invalid: column n is Int32: only text can be `like` a pattern");
}

#[test]
fn columns_compare_with_each_other() {
    let left = texts(&[Some("a"), Some("b"), None, Some("c")]);
    let right = texts(&[Some("b"), Some("b"), Some("b"), None]);
    for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
        let columns = [("a", a.clone(), true), ("b", b.clone(), true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        assert_eq!(ask(&batch, "a < b"), [Some(true), Some(false), None, None]);
        assert_eq!(ask(&batch, "not a = b"), [Some(true), Some(false), None, None]);
    }
}

#[test]
fn numbers_and_times_of_other_types_compare() {
    let decimal = Decimal128Array::from(vec![150, -100, 0]).with_precision_and_scale(9, 2);
    let columns: [(&str, ArrayRef); 8] = [
        ("i", Arc::new(Int8Array::from(vec![1, -1, 3]))),
        ("u", Arc::new(UInt64Array::from(vec![u64::MAX, 1, 3]))),
        ("f", Arc::new(Float32Array::from(vec![1.5, -1.0, f32::NAN]))),
        ("d", Arc::new(decimal.unwrap())),
        ("s", Arc::new(TimestampSecondArray::from(vec![1, 2, 3]))),
        ("m", Arc::new(TimestampMillisecondArray::from(vec![1500, 2000, 0]))),
        ("z", Arc::new(TimestampMillisecondArray::from(vec![0, 0, 0]).with_timezone("UTC"))),
        ("n", Arc::new(NullArray::new(3))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for (text, answers) in [
        ("i < u", [true, true, false]),
        ("i = f", [false, true, false]),
        ("i < f", [true, false, true]),
        ("i = d", [false, true, false]),
        ("f = d", [true, true, false]),
        ("u >= d", [true, true, true]),
        ("s < m", [true, false, false]),
        ("s = s", [true; 3]),
    ] {
        assert_eq!(ask(&batch, text), answers.map(Some), "{text}");
    }
    assert_eq!(ask(&batch, "i = n"), [None; 3]);
    for text in ["s = z", "s = i"] {
        let e = Predicate::parse(text).unwrap().evaluate(&batch).unwrap_err().to_string();
        assert!(e.ends_with("they cannot be compared"), "{text}: {e}");
    }
}
