//! Every Arrow type in a comparison: the answers of a loop over its values.
//!
//! ```text
//! values   1  5  -  9          > 5      0 0 - 1         encoded again as a dictionary and as runs: the same
//! ```

#![allow(clippy::cast_possible_truncation)]

use std::sync::Arc;

use arrow::array::*;
use arrow::compute::cast;
use arrow::datatypes::*;

use super::*;

/// Evaluates a condition on a column `a`, plain and in encodings of the same values.
fn answers(array: &ArrayRef, condition: &str) -> Result<Vec<Option<bool>>> {
    let ask = |array: &ArrayRef| -> Result<Vec<Option<bool>>> {
        let field = Field::new("a", array.data_type().clone(), true);
        let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array.clone()])?;
        Ok(Predicate::parse(condition)?.evaluate(&batch)?.iter().collect())
    };
    let plain = ask(array)?;
    let rows: Int32Array = (0..array.len() as i32).map(Some).collect();
    let dictionary = DataType::Dictionary(DataType::Int32.into(), array.data_type().clone().into());
    let keyed: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(rows, array.clone())?);
    assert_eq!(keyed.data_type(), &dictionary);
    assert_eq!(ask(&keyed)?, plain, "{condition} of {dictionary}");
    assert_eq!(ask(&keyed.slice(1, 2))?, plain[1..3], "{condition} of a part of {dictionary}");
    let ends: Int32Array = (1..=array.len() as i32).map(|row| Some(row * 2)).collect();
    let runs: ArrayRef = Arc::new(RunArray::<Int32Type>::try_new(&ends, array)?);
    let twice: Vec<_> = plain.iter().flat_map(|answer| [*answer; 2]).collect();
    assert_eq!(ask(&runs)?, twice, "{condition} of runs of {}", array.data_type());
    assert_eq!(ask(&runs.slice(1, 3))?, twice[1..4], "{condition}");
    Ok(plain)
}

/// Three values in order and a null, and literals: of the second value, and of one between the second and the third.
fn check(array: &ArrayRef, second: &str, between: &str) {
    assert_eq!(array.len(), 4);
    let of = |answers: [bool; 3]| -> Vec<Option<bool>> {
        answers.into_iter().map(Some).chain([None]).collect()
    };
    for (condition, expected) in [
        (format!("a = {second}"), of([false, true, false])),
        (format!("a != {second}"), of([true, false, true])),
        (format!("a < {second}"), of([true, false, false])),
        (format!("a <= {second}"), of([true, true, false])),
        (format!("a > {second}"), of([false, false, true])),
        (format!("a >= {second}"), of([false, true, true])),
        (format!("a = {between}"), of([false, false, false])),
        (format!("a != {between}"), of([true, true, true])),
        (format!("a < {between}"), of([true, true, false])),
        (format!("a <= {between}"), of([true, true, false])),
        (format!("a > {between}"), of([false, false, true])),
        (format!("a >= {between}"), of([false, false, true])),
        (format!("a between {second} and {between}"), of([false, true, false])),
        (format!("a in ({second}, {between})"), of([false, true, false])),
        (
            format!("a not in ({}{second})", format!("{between}, ").repeat(40)),
            of([true, false, true]),
        ),
        ("a is null".into(), vec![Some(false), Some(false), Some(false), Some(true)]),
        ("a is not null".into(), vec![Some(true), Some(true), Some(true), Some(false)]),
    ] {
        let answers = answers(array, &condition);
        let answers = answers.unwrap_or_else(|e| panic!("{}: {condition}: {e}", array.data_type()));
        assert_eq!(answers, expected, "{condition} of {}", array.data_type());
    }
}

#[test]
fn numbers_of_all_widths() {
    use DataType::*;
    let small: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(5), Some(9), None]));
    for data_type in [
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Decimal32(9, 2),
        Decimal64(18, 0),
        Decimal128(38, 10),
        Decimal256(76, 20),
    ] {
        check(&cast(&small, &data_type).unwrap(), "5", "5.25");
        check(&cast(&small, &data_type).unwrap(), "5.0", "8");
    }
    let hundreds: ArrayRef = Arc::new(
        Decimal128Array::from(vec![Some(1), Some(5), Some(9), None])
            .with_precision_and_scale(5, -2)
            .unwrap(),
    );
    check(&hundreds, "500", "501");
}

#[test]
fn numbers_that_no_value_can_be() {
    let array: ArrayRef = Arc::new(UInt8Array::from(vec![Some(0), Some(255), Some(7), None]));
    for (above, below) in [("256", "-1"), ("255.5", "-0.5"), ("1e30", "-1e30"), ("inf", "-inf")] {
        for (condition, answer) in [
            (format!("a < {above}"), true),
            (format!("a <= {above}"), true),
            (format!("a != {above}"), true),
            (format!("a = {above}"), false),
            (format!("a > {above}"), false),
            (format!("a >= {above}"), false),
            (format!("a > {below}"), true),
            (format!("a >= {below}"), true),
            (format!("a != {below}"), true),
            (format!("a = {below}"), false),
            (format!("a < {below}"), false),
            (format!("a <= {below}"), false),
        ] {
            let expected = [Some(answer), Some(answer), Some(answer), None];
            assert_eq!(answers(&array, &condition).unwrap(), expected, "{condition}");
        }
    }
    let (max, min) = (f32::MAX, f32::MIN);
    let values =
        vec![Some(f32::INFINITY), Some(max), Some(min), Some(f32::NEG_INFINITY), Some(f32::NAN)];
    let array: ArrayRef = Arc::new(Float32Array::from(values));
    let ask = |condition: &str| -> Vec<bool> {
        answers(&array, condition).unwrap().into_iter().flatten().collect()
    };
    assert_eq!(ask("a < 1e39"), [false, true, true, true, false]);
    assert_eq!(ask("a >= 1e39"), [true, false, false, false, true]);
    assert_eq!(ask("a > -1e39"), [true, true, true, false, true]);
    assert_eq!(ask("a <= -1e39"), [false, false, false, true, false]);
    assert_eq!(ask("a = 1e39 or a = -1e39"), [false; 5]);
    assert_eq!(ask("a = inf"), [true, false, false, false, false]);
    assert_eq!(ask("a = nan"), [false, false, false, false, true]);
    let array: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0, 0.1]));
    let signs: Vec<_> = answers(&array, "a < 0").unwrap();
    assert_eq!(signs, [Some(false), Some(true), Some(false)], "as in Arrow's kernels");
    assert_eq!(answers(&array, "a = 0.1").unwrap()[2], Some(true));
}

#[test]
fn text_binary_and_booleans() {
    use DataType::*;
    let text: ArrayRef = Arc::new(StringArray::from(vec![
        Some(""),
        Some("it's longer than twelve bytes"),
        Some("z"),
        None,
    ]));
    for data_type in [Utf8, LargeUtf8, Utf8View] {
        let array = cast(&text, &data_type).unwrap();
        check(&array, "'it''s longer than twelve bytes'", "'itz'");
    }
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![
        Some(&b"\x00\x01"[..]),
        Some(b"ab"),
        Some(b"\xff\x00"),
        None,
    ]));
    for data_type in [Binary, LargeBinary, BinaryView, FixedSizeBinary(2)] {
        let array = cast(&bytes, &data_type).unwrap();
        check(&array, "x'6162'", "x'616200'");
        check(&array, "x'6162'", "x'62'");
    }
    let array: ArrayRef = Arc::new(BooleanArray::from(vec![Some(false), Some(true), None]));
    assert_eq!(answers(&array, "a = true").unwrap(), [Some(false), Some(true), None]);
    assert_eq!(answers(&array, "a < true").unwrap(), [Some(true), Some(false), None]);
    assert_eq!(answers(&array, "a").unwrap(), [Some(false), Some(true), None]);
    assert_eq!(answers(&array, "not a").unwrap(), [Some(true), Some(false), None]);
    let array: ArrayRef = Arc::new(NullArray::new(3));
    assert_eq!(answers(&array, "a = 1 or a != 'x' or a").unwrap(), [None; 3]);
    assert_eq!(answers(&array, "a is null").unwrap(), [Some(true); 3]);
}

#[test]
fn moments_in_all_units() {
    use DataType::*;
    use TimeUnit::*;
    let ints = |values: [i64; 3], data_type: &DataType| {
        let values = values.into_iter().map(Some).chain([None]);
        let narrow = matches!(data_type, Date32 | Time32(_));
        let wide: ArrayRef = Arc::new(values.collect::<Int64Array>());
        let ints = if narrow { cast(&wide, &Int32).unwrap() } else { wide };
        cast(&ints, data_type).unwrap()
    };
    check(&ints([-1, 19_753, 19_754], &Date32), "'2024-01-31'", "'2024-01-31T10:00'");
    let day = 86_400_000;
    check(
        &ints([-1, 19_753 * day, 19_754 * day], &Date64),
        "'2024-01-31'",
        "'2024-01-31 10:00:00'",
    );
    for (unit, per_second) in
        [(Second, 1), (Millisecond, 1000), (Microsecond, 1_000_000), (Nanosecond, 1_000_000_000)]
    {
        let at = 1_706_695_200 * per_second;
        let moments = |zone: Option<&str>| {
            ints([-5, at, at + per_second], &Timestamp(unit, zone.map(Into::into)))
        };
        check(
            &moments(None),
            "'2024-01-31T10:00:00'",
            "'2024-01-31T10:00:00.0000000001'".replace("0000000001", "000000001").as_str(),
        );
        check(&moments(Some("UTC")), "'2024-01-31T11:00:00+01:00'", "'2024-01-31T10:00:00.5Z'");
        check(&moments(Some("+02:00")), "'2024-01-31T12:00:00'", "'2024-01-31T10:00:00.5Z'");
        check(
            &moments(Some("Europe/Berlin")),
            "'2024-01-31T10:00:00Z'",
            "'2024-01-31 10:00:00.999Z'",
        );
        let seconds = [0, 90 * per_second, 91 * per_second];
        check(&ints(seconds, &Duration(unit)), "'1m 30s'", "'90.5s'");
        let time = if per_second < 1_000_000 { Time32(unit) } else { Time64(unit) };
        check(&ints(seconds, &time), "'00:01:30'", "'00:01:30.25'");
    }
}

#[test]
fn what_cannot_be_compared_is_said_before() {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Int32, true)));
    let zone = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Second, zone.map(Into::into));
    let fields = vec![
        Field::new("i", DataType::Int64, true),
        Field::new("s", DataType::Utf8View, true),
        Field::new("b", DataType::Binary, true),
        Field::new("f", DataType::Boolean, true),
        Field::new("d", DataType::Date32, true),
        Field::new("t", zone(None), true),
        Field::new("z", zone(Some("Europe/Berlin")), true),
        Field::new("l", list, true),
        Field::new("v", DataType::Interval(IntervalUnit::DayTime), true),
        Field::new("two", DataType::Int8, true),
        Field::new("two", DataType::Int8, true),
    ];
    let schema = Schema::new(fields);
    for (condition, why) in [
        (
            "i = 'x'",
            "column i is Int64: it cannot be compared with the text 'x', but with a number",
        ),
        (
            "i = true",
            "column i is Int64: it cannot be compared with the boolean true, but with a number",
        ),
        ("s = 1", "column s is Utf8View: it cannot be compared with the number 1, but with 'text'"),
        (
            "b = 'x'",
            "column b is Binary: it cannot be compared with the text 'x', but with bytes like x'6162'",
        ),
        (
            "f = 1",
            "column f is Boolean: it cannot be compared with the number 1, but with true and false",
        ),
        (
            "d = 'x'",
            "column d is Date32: it cannot be compared with the text 'x', but with a date like '2024-01-31'",
        ),
        (
            "t = 5",
            "column t is Timestamp(s): it cannot be compared with the number 5, but with a time like '2024-01-31T10:00:00'",
        ),
        (
            "t = '2024-01-31T10:00Z'",
            "column t is Timestamp(s): it cannot be compared with the text '2024-01-31T10:00Z', which has a zone, as the column has not",
        ),
        (
            "z = '2024-01-31T10:00'",
            "column z is Timestamp(s, \"Europe/Berlin\"): it cannot be compared with the text '2024-01-31T10:00', which needs a zone, such as Z or +01:00",
        ),
        (
            "l = 1",
            "column l is List(Int32): it cannot be compared with the number 1; only `is null` can be tested",
        ),
        (
            "v = '1d'",
            "column v is Interval(DayTime): it cannot be compared with the text '1d'; only `is null` can be tested",
        ),
        ("i", "column i is Int64: by itself it is no answer"),
        ("nope = 1", "no column nope: there are i, s, b, f, d, t, z, l, v, two, two"),
        ("i.x = 1", "no column i.x: there are i, s, b, f, d, t, z, l, v, two, two"),
        ("two = 1", "more than one column is named two"),
    ] {
        let e = Predicate::parse(condition).unwrap().check(&schema).unwrap_err().to_string();
        assert_eq!(e, format!("invalid: {why}"));
    }
    Predicate::parse("l is null and v is not null and z = '2024-01-31T10:00Z'")
        .unwrap()
        .check(&schema)
        .unwrap();
}
