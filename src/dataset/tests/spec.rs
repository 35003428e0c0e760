//! The examples of `spec/dataset.md`.

use super::*;
use crate::arrow::ArrowReaderBuilder;

const SPEC: &str = include_str!("../../../spec/dataset.md");

#[test]
fn values_have_the_folders_of_the_page() {
    let start = SPEC.find("| value | folder |").unwrap();
    let lines = SPEC[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut seen = 0;
    for line in lines {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`'));
        let (value, folder) = (cells.next().unwrap(), cells.next().unwrap());
        let value = match value {
            "null" => None,
            "the empty string" => Some(""),
            value => Some(value),
        };
        assert_eq!(partition::folder("year", value), folder);
        let read = partition::values(&format!("{folder}/part.trv")).unwrap();
        assert_eq!(read, [("year".to_owned(), value.map(str::to_owned))]);
        seen += 1;
    }
    assert_eq!(seen, 8);
}

#[test]
fn commits_have_the_columns_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let a: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let b: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let year: ArrayRef = Arc::new(Int32Array::from(vec![2026; 2]));
    let columns = [("a", a, true), ("b", b, true), ("year", year, false)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let by_year = DatasetProperties::builder().set_partition_by(["year"]).build();
    let summary = write(folder.path(), &[batch], by_year);
    let file = std::fs::read(folder.path().join(file_names::commit(summary.commit))).unwrap();
    let builder = ArrowReaderBuilder::try_new(bytes::Bytes::from(file)).unwrap();
    let shown = |field: &FieldRef| match field.data_type() {
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|f| format!("{}: {}", f.name(), f.data_type()));
            format!("{}: Struct({})", field.name(), fields.collect::<Vec<_>>().join(", "))
        }
        other => format!("{}: {other}", field.name()),
    };
    let columns: Vec<_> = builder.schema().fields().iter().map(shown).collect();
    let page = SPEC.split("```columns\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(columns, page.lines().collect::<Vec<_>>());
    let metadata = &builder.file().header().metadata;
    assert_eq!(metadata.get_str("dataset.version"), Some("1"));
    assert_eq!(metadata.get_str("dataset.partitions"), Some(r#"["year"]"#));
    assert!(metadata.get_str("dataset.replaces").is_none());
    let schema = crate::arrow::schema_from_ipc(metadata.get("dataset.schema").unwrap()).unwrap();
    assert_eq!(schema, *Dataset::open(folder.path()).unwrap().schema().as_ref());
}
