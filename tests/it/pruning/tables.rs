//! Tables of all types that can be pruned, in which neighbours are alike, and conditions that are true of some rows.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::compute::{SortColumn, cast, lexsort_to_indices, take};
use arrow::datatypes::*;
use trevni::arrow::*;

use crate::testdata::Numbers;
use trevni_testing::numbers::below;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int8,
    Int32,
    Int64,
    UInt16,
    UInt32,
    UInt64,
    Float32,
    Float64,
    Boolean,
    Date,
    Timestamp,
    Duration,
    SmallDecimal,
    Decimal,
    WideDecimal,
    Text,
    LargeText,
    ViewText,
    Words,
    Runs,
    Binary,
    Fixed,
    Struct,
    List,
    /// Required.
    Key,
    Float16,
    Intervals,
}

/// Those that Avro has come first.
pub(super) const ALL: &[Kind] = &[
    Kind::Int32,
    Kind::Int64,
    Kind::Float32,
    Kind::Float64,
    Kind::Boolean,
    Kind::Date,
    Kind::Timestamp,
    Kind::SmallDecimal,
    Kind::Decimal,
    Kind::Text,
    Kind::Words,
    Kind::Binary,
    Kind::Fixed,
    Kind::Struct,
    Kind::List,
    Kind::Key,
    Kind::Int8,
    Kind::UInt16,
    Kind::UInt32,
    Kind::UInt64,
    Kind::Duration,
    Kind::WideDecimal,
    Kind::LargeText,
    Kind::ViewText,
    Kind::Runs,
    Kind::Float16,
    Kind::Intervals,
];
pub(super) const AVRO: &[Kind] = ALL.split_at(16).0;

impl Kind {
    pub(super) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn data_type(self) -> DataType {
        use DataType as D;
        match self {
            Kind::Int8 => D::Int8,
            Kind::Int32 => D::Int32,
            Kind::Int64 | Kind::Key => D::Int64,
            Kind::UInt16 => D::UInt16,
            Kind::UInt32 => D::UInt32,
            Kind::UInt64 => D::UInt64,
            Kind::Float16 => D::Float16,
            Kind::Float32 => D::Float32,
            Kind::Float64 => D::Float64,
            Kind::Boolean => D::Boolean,
            Kind::Date => D::Date32,
            Kind::Timestamp => D::Timestamp(TimeUnit::Microsecond, None),
            Kind::Duration => D::Duration(TimeUnit::Second),
            Kind::SmallDecimal => D::Decimal128(9, 2),
            Kind::Decimal => D::Decimal128(30, 2),
            Kind::WideDecimal => D::Decimal256(70, 1),
            Kind::Text => D::Utf8,
            Kind::LargeText => D::LargeUtf8,
            Kind::ViewText => D::Utf8View,
            Kind::Words => D::Dictionary(D::Int16.into(), D::Utf8.into()),
            Kind::Runs => D::RunEndEncoded(
                Arc::new(Field::new("run_ends", D::Int32, false)),
                Arc::new(Field::new("values", D::Int64, true)),
            ),
            Kind::Binary => D::Binary,
            Kind::Fixed => D::FixedSizeBinary(20),
            Kind::Struct => D::Struct(inner()),
            Kind::List => D::List(Arc::new(Field::new("item", D::Int32, true))),
            Kind::Intervals => D::Interval(IntervalUnit::DayTime),
        }
    }
}

fn inner() -> Fields {
    vec![Field::new("x", DataType::Int32, true), Field::new("y", DataType::Utf8, false)].into()
}

/// Up to four kinds.
pub(super) fn kinds(n: &mut Numbers, of: &[Kind]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = (0..1 + below(n, 4)).map(|_| of[below(n, of.len())]).collect();
    let mut seen = Vec::new();
    kinds.retain(|kind| {
        !seen.contains(kind) && {
            seen.push(*kind);
            true
        }
    });
    kinds
}

/// Returns a number near a level that changes slowly.
fn level(n: &mut Numbers, row: usize) -> i64 {
    (row / 20 % 7) as i64 * 10 + below(n, 12) as i64 - 20
}

fn float(n: &mut Numbers, row: usize) -> f64 {
    match below(n, 40) {
        0 => f64::NAN,
        1 => -f64::NAN,
        2 => -0.0,
        3 => 0.0,
        4 => f64::INFINITY,
        5 => f64::NEG_INFINITY,
        _ => level(n, row) as f64 / 4.0,
    }
}

fn text(n: &mut Numbers, row: usize) -> String {
    let level = level(n, row);
    match below(n, 8) {
        0 => String::new(),
        1 => format!("{}{level:03}", "a long prefix that all of these share, ".repeat(2)),
        2 => format!(
            "{}{}",
            "ü".repeat(usize::try_from(level.max(0)).unwrap() / 2),
            "\u{10ffff}".repeat(5)
        ),
        3 => format!("a{:?}", level),
        _ => format!("{:03} {}", level + 20, "x".repeat(below(n, 40))),
    }
}

fn array(n: &mut Numbers, kind: Kind, rows: usize) -> ArrayRef {
    let all_null = |row: usize| row / 30 % 4 == 3;
    let nullable = kind != Kind::Key;
    let validity: Vec<bool> =
        (0..rows).map(|row| !nullable || (!all_null(row) && below(n, 6) > 0)).collect();
    let longs: Int64Array = (0..rows).map(|row| validity[row].then(|| level(n, row))).collect();
    let to = |array: &dyn Array| cast(array, &kind.data_type()).unwrap();
    match kind {
        Kind::Int8 | Kind::Int32 | Kind::Int64 | Kind::Key | Kind::Duration | Kind::Timestamp => {
            to(&longs)
        }
        Kind::Date => to(&cast(&longs, &DataType::Int32).unwrap()),
        Kind::UInt16 | Kind::UInt32 => to(&longs.unary::<_, Int64Type>(|v| v.abs())),
        Kind::UInt64 => {
            Arc::new(longs.unary::<_, UInt64Type>(|v| (v as u64).wrapping_mul(1 << 57)))
        }
        Kind::Boolean => Arc::new(
            (0..rows)
                .map(|row| validity[row].then(|| below(n, 40) < row % 80))
                .collect::<BooleanArray>(),
        ),
        Kind::Float16 | Kind::Float32 | Kind::Float64 => {
            let floats: Float64Array =
                (0..rows).map(|row| validity[row].then(|| float(n, row))).collect();
            to(&floats)
        }
        Kind::SmallDecimal => Arc::new(
            longs
                .unary::<_, Decimal128Type>(|v| i128::from(v) * 33)
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
        Kind::Decimal => Arc::new(
            longs
                .unary::<_, Decimal128Type>(|v| i128::from(v) << (v & 63))
                .with_precision_and_scale(30, 2)
                .unwrap(),
        ),
        Kind::WideDecimal => Arc::new(
            longs
                .unary::<_, Decimal256Type>(|v| {
                    i256::from_i128(i128::from(v) << 100).wrapping_mul(i256::from_i128(1 << 40))
                })
                .with_precision_and_scale(70, 1)
                .unwrap(),
        ),
        Kind::Text | Kind::LargeText | Kind::ViewText | Kind::Words => {
            let text: StringArray =
                (0..rows).map(|row| validity[row].then(|| text(n, row))).collect();
            to(&text)
        }
        Kind::Binary => {
            let bytes = (0..rows).map(|row| {
                validity[row].then(|| {
                    if below(n, 9) == 0 {
                        vec![0xff; below(n, 40)]
                    } else {
                        text(n, row).into_bytes()
                    }
                })
            });
            Arc::new(bytes.collect::<BinaryArray>())
        }
        Kind::Fixed => {
            let values = (0..rows).map(|row| validity[row].then(|| fixed(n, row)));
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 20).unwrap())
        }
        Kind::Runs => {
            let ends: Int32Array =
                (1..=rows.div_ceil(5)).map(|run| Some((run * 5).min(rows) as i32)).collect();
            let values = longs.slice(0, ends.len());
            Arc::new(RunArray::<Int32Type>::try_new(&ends, &values).unwrap())
        }
        Kind::Struct => {
            let x = array(n, Kind::Int32, rows);
            let y: StringArray = (0..rows).map(|row| Some(text(n, row))).collect();
            Arc::new(StructArray::new(
                inner(),
                vec![x, Arc::new(y)],
                Some(NullBuffer::from(validity)),
            ))
        }
        Kind::List => {
            let rows = validity.iter().map(|validity| validity.then(|| vec![Some(1), None]));
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
        }
        Kind::Intervals => {
            Arc::new(longs.unary::<_, IntervalDayTimeType>(|v| IntervalDayTime::new(v as i32, 0)))
        }
    }
}

fn fixed(n: &mut Numbers, row: usize) -> [u8; 20] {
    let mut value = [0xff; 20];
    if below(n, 9) > 0 {
        value[..3].copy_from_slice(&[7, level(n, row).unsigned_abs() as u8, below(n, 3) as u8]);
    }
    value
}

/// Returns a table; sorted by its first two columns if that is wanted and can be.
pub(super) fn table(n: &mut Numbers, kinds: &[Kind], rows: usize, sorted: bool) -> RecordBatch {
    let arrays: Vec<ArrayRef> = kinds.iter().map(|kind| array(n, *kind, rows)).collect();
    let fields =
        kinds.iter().map(|kind| Field::new(kind.name(), kind.data_type(), *kind != Kind::Key));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema, arrays).unwrap();
    if !sorted || rows == 0 {
        return batch;
    }
    let options = Some(arrow::compute::SortOptions { descending: false, nulls_first: false });
    let keys = batch.columns().iter().take(2);
    let keys: Vec<_> = keys.map(|values| SortColumn { values: values.clone(), options }).collect();
    let order = lexsort_to_indices(&keys, None).unwrap();
    let columns = batch.columns().iter().map(|column| take(column, &order, None).unwrap());
    RecordBatch::try_new(batch.schema(), columns.collect()).unwrap()
}

/// Returns whether rows can be sorted by a kind.
pub(super) fn sorts(kind: Kind) -> bool {
    !matches!(kind, Kind::Struct | Kind::List | Kind::Intervals | Kind::Runs)
}

fn literal(n: &mut Numbers, kind: Kind) -> Option<Literal> {
    let row = below(n, 200);
    let level = level(n, row);
    Some(match kind {
        Kind::Float16 | Kind::Float32 | Kind::Float64 => float(n, row).into(),
        Kind::Boolean => (below(n, 2) == 0).into(),
        Kind::Date => format!(
            "1970-{:02}-{:02}",
            1 + level.unsigned_abs() / 28 % 12,
            1 + level.unsigned_abs() % 28
        )
        .into(),
        Kind::Timestamp => format!("1970-01-01T00:00:00.{:06}", level.unsigned_abs()).into(),
        Kind::Duration => format!("{}s", level.unsigned_abs()).into(),
        Kind::SmallDecimal => (level as f64 * 0.33).into(),
        Kind::Decimal => ((i128::from(level) << (level & 63)) / 100).into(),
        Kind::WideDecimal => (level as f64 * 1e41).into(),
        Kind::UInt64 => (level.unsigned_abs() << 57).into(),
        Kind::Text | Kind::LargeText | Kind::ViewText | Kind::Words => text(n, row).into(),
        Kind::Binary => text(n, row).into_bytes().into(),
        Kind::Fixed => fixed(n, row)[..if below(n, 5) == 0 { 2 } else { 20 }].to_vec().into(),
        Kind::Struct | Kind::List | Kind::Intervals => return None,
        _ if below(n, 6) == 0 => (level as f64 + 0.5).into(),
        _ => level.into(),
    })
}

/// Returns a condition on some of the columns.
pub(super) fn condition(n: &mut Numbers, kinds: &[Kind], depth: usize) -> Predicate {
    use Operator::*;
    match below(n, if depth == 0 { 4 } else { 8 }) {
        4 | 5 => condition(n, kinds, depth - 1).and(condition(n, kinds, depth - 1)),
        6 => condition(n, kinds, depth - 1).or(condition(n, kinds, depth - 1)),
        7 => !condition(n, kinds, depth - 1),
        which => {
            let kind = kinds[below(n, kinds.len())];
            let (path, leaf) = match (kind, below(n, 3)) {
                (Kind::Struct, 0) => ("struct.x".to_owned(), Kind::Int32),
                (Kind::Struct, 1) => ("struct.y".to_owned(), Kind::Text),
                _ => (kind.name(), kind),
            };
            let path = path.as_str();
            let operator = [Eq, Ne, Lt, Le, Gt, Ge][below(n, 6)];
            match (which, literal(n, leaf)) {
                (_, None) | (0, _) => Predicate::is_null(path),
                (1, _) if leaf == Kind::Boolean => Predicate::is_true(path),
                (1, _) => {
                    let many = [0, 1, 3, 20][below(n, 4)];
                    Predicate::is_in(path, (0..many).filter_map(|_| literal(n, leaf)))
                }
                (_, Some(literal)) => Predicate::compare(path, operator, literal),
            }
        }
    }
}

/// Compares statistics with the values they are of.
pub(super) fn check(
    kind: &Kind,
    array: &ArrayRef,
    statistics: &ColumnStatistics,
) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}: {statistics:?}"));
    let array = match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values).unwrap(),
        DataType::RunEndEncoded(_, values) => cast(array, values.data_type()).unwrap(),
        _ => array.clone(),
    };
    let (min, max) = (statistics.min_values(), statistics.max_values());
    if statistics.null_count() != array.logical_null_count() as u64 {
        return wrong("nulls");
    }
    let options = arrow::compute::SortOptions::default();
    for (block, rows) in statistics.blocks().iter().enumerate() {
        let part = array.slice(rows.start as usize, (rows.end - rows.start) as usize);
        if statistics.null_counts().value(block) != part.logical_null_count() as u64 {
            return wrong("nulls of a block");
        }
        if matches!(kind, Kind::Struct | Kind::List | Kind::Intervals) {
            continue;
        }
        let (below, above) = (
            make_comparator(min, &part, options).unwrap(),
            make_comparator(max, &part, options).unwrap(),
        );
        let values: Vec<usize> = (0..part.len()).filter(|row| part.is_valid(*row)).collect();
        if min.is_null(block) || max.is_null(block) {
            use Kind::{Binary, Fixed, LargeText, Text, ViewText, Words};
            let is_hard = matches!(kind, Binary | Text | LargeText | ViewText | Words | Fixed);
            if !values.is_empty() && !is_hard {
                return wrong("no bounds");
            }
            continue;
        }
        if !values.iter().all(|row| below(block, *row).is_le() && above(block, *row).is_ge()) {
            return wrong("bounds");
        }
        let reached = values.iter().any(|row| below(block, *row).is_eq())
            && values.iter().any(|row| above(block, *row).is_eq());
        if statistics.are_exact().value(block) && !reached {
            return wrong("exact bounds");
        }
    }
    Ok(())
}
