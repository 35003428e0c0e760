//! Files whose schemas differ.

use super::*;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn add(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    write(path, &[batch(columns)], DatasetProperties::default());
}

#[test]
fn columns_are_filled_and_widened_and_asked_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    add(
        path,
        vec![
            ("a", Arc::new(Int8Array::from(vec![Some(1), None, Some(100)]))),
            ("f", Arc::new(Float32Array::from(vec![0.1, 0.5, 2.0]))),
        ],
    );
    add(
        path,
        vec![
            ("b", Arc::new(StringArray::from(vec!["x", "y"]))),
            ("a", Arc::new(Int32Array::from(vec![300, -1]))),
            ("f", Arc::new(Float64Array::from(vec![0.1, 0.5]))),
        ],
    );
    add(path, vec![("b", Arc::new(LargeStringArray::from(vec!["z"])))]);
    let all = batch(vec![
        (
            "a",
            Arc::new(Int32Array::from(vec![Some(1), None, Some(100), Some(300), Some(-1), None])),
        ),
        (
            "f",
            Arc::new(Float64Array::from(vec![
                Some(f64::from(0.1f32)),
                Some(0.5),
                Some(2.0),
                Some(0.1),
                Some(0.5),
                None,
            ])),
        ),
        (
            "b",
            Arc::new(LargeStringArray::from(vec![
                None,
                None,
                None,
                Some("x"),
                Some("y"),
                Some("z"),
            ])),
        ),
    ]);
    assert_eq!(read(path), all);
    let table = Dataset::open(path).unwrap();
    for (text, files) in [
        ("a > 200", 1),
        ("a = 1", 2),
        ("a is null", 2),
        ("b is null", 1),
        ("b = 'z'", 1),
        ("f = 0.1", 1),
        ("f > 0.1", 2),
        ("f = 0.5", 2),
        ("a > 0 or b = 'z'", 3),
        ("not a > 0", 1),
        ("b is null and f = 0.5", 1),
    ] {
        let predicate = Predicate::parse(text).unwrap();
        let kept = predicate.evaluate(&all).unwrap();
        let expected = arrow::compute::filter_record_batch(&all, &kept).unwrap();
        let scan = table.scan().with_predicate(predicate);
        assert_eq!(scan.files().unwrap().len(), files, "{text}");
        assert_eq!(collect(scan.clone()), expected, "{text}");
        let projected = collect(scan.with_projection(["b"]));
        assert_eq!(projected, expected.project(&[2]).unwrap(), "{text}");
    }
    let e = DatasetWriter::try_new(
        path,
        batch(vec![("a", Arc::new(StringArray::from(vec!["x"])))]).schema(),
        DatasetProperties::default(),
    );
    let e = e.unwrap_err().to_string();
    assert!(
        e.contains("column \"a\" is Int32 in the data set and Utf8 in the rows that are added"),
        "{e}"
    );
}

#[test]
fn fields_of_structs_are_filled_and_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let record = |fields: Vec<(&str, ArrayRef)>, nulls: Vec<bool>| -> ArrayRef {
        let (fields, arrays): (Vec<_>, Vec<_>) = fields
            .into_iter()
            .map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array))
            .unzip();
        Arc::new(StructArray::new(fields.into(), arrays, Some(nulls.into())))
    };
    let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let small = |values: Vec<i16>| Arc::new(Int16Array::from(values)) as ArrayRef;
    add(path, vec![("s", record(vec![("x", small(vec![1, 2]))], vec![true, false]))]);
    add(
        path,
        vec![("s", record(vec![("y", numbers(vec![5])), ("x", numbers(vec![3]))], vec![true]))],
    );
    let table = Dataset::open(path).unwrap();
    let ys = collect(table.scan().with_projection(["s.y"]));
    let expected = record(
        vec![("y", Arc::new(Int64Array::from(vec![None, None, Some(5)])))],
        vec![true, false, true],
    );
    assert_eq!(ys.column(0), &expected);
    for (text, rows) in
        [("s.y = 5", 1), ("s.y is null", 2), ("s.x < 3", 1), ("s.x is null", 1), ("s is null", 1)]
    {
        let scan = table.scan().with_predicate(Predicate::parse(text).unwrap());
        assert_eq!(collect(scan.with_projection(["s.x"])).num_rows(), rows, "{text}");
    }
    let e = table.scan().with_projection(["s.z"]).schema().unwrap_err().to_string();
    assert!(e.contains("no column \"s.z\": there are s"), "{e}");
}
