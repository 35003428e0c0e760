//! Tables to measure with: the same numbers in every run.
//!
//! `flat`: like an order line: keys, decimals, dates, flags, short and long text. `nested`: like an event: an
//! optional struct, a list of structs, a list of strings, and nulls.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;

/// A generator of 31-bit numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next31(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as i64
    }

    pub fn below(&mut self, n: i64) -> i64 {
        self.next31() % n
    }
}

const WORDS: [&str; 12] = [
    "carefully",
    "final",
    "deposits",
    "sleep",
    "quickly",
    "express",
    "packages",
    "haggle",
    "among",
    "the",
    "furiously",
    "pending",
];
const MODES: [&str; 7] = ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"];

fn comment(n: &mut Numbers) -> String {
    let words: Vec<_> = (0..2 + n.below(5)).map(|_| WORDS[n.below(12) as usize]).collect();
    words.join(" ")
}

fn decimal(values: impl Iterator<Item = i64>) -> ArrayRef {
    let array = Decimal128Array::from_iter_values(values.map(i128::from));
    Arc::new(array.with_precision_and_scale(15, 2).unwrap())
}

pub fn flat(rows: usize) -> RecordBatch {
    let mut n = Numbers(1);
    let mut each = |f: &mut dyn FnMut(&mut Numbers, i64) -> i64| -> Vec<i64> {
        (0..rows as i64).map(|i| f(&mut n, i)).collect()
    };
    let order = each(&mut |n, i| i / 4 * 4 + n.below(2));
    let part = each(&mut |n, _| n.below(200_000));
    let line = each(&mut |n, _| 1 + n.below(7));
    let quantity = each(&mut |n, _| (1 + n.below(50)) * 100);
    let price = each(&mut |n, _| 90_000 + n.below(10_000_000));
    let tax = each(&mut |n, _| n.below(9));
    let date = each(&mut |n, _| 8000 + n.below(2500));
    let mode = each(&mut |n, _| n.below(7));
    let line: Int32Array = line.into_iter().map(|v| v as i32).collect();
    let date = Date32Array::from_iter_values(date.into_iter().map(|v| v as i32));
    let mode: StringArray = mode.into_iter().map(|i| Some(MODES[i as usize])).collect();
    let comments: StringArray = (0..rows).map(|_| Some(comment(&mut n))).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("orderkey", Arc::new(Int64Array::from(order))),
        ("partkey", Arc::new(Int64Array::from(part))),
        ("linenumber", Arc::new(line)),
        ("quantity", decimal(quantity.into_iter())),
        ("extendedprice", decimal(price.into_iter())),
        ("tax", decimal(tax.into_iter())),
        ("shipdate", Arc::new(date)),
        ("shipmode", Arc::new(mode)),
        ("comment", Arc::new(comments)),
    ];
    batch(columns.into_iter().map(|(name, array)| (name, array, false)))
}

pub fn nested(rows: usize) -> RecordBatch {
    let mut n = Numbers(2);
    let ids: Int64Array = (0..rows as i64).map(|i| i * 3 + n.below(3)).collect();
    let scores: Float64Array =
        (0..rows).map(|_| (n.below(5) > 0).then(|| n.next31() as f64 / 100.0)).collect();
    let mut tags = ListBuilder::new(StringBuilder::new());
    for _ in 0..rows {
        for _ in 0..n.below(4) {
            tags.values().append_value(WORDS[n.below(12) as usize]);
        }
        tags.append(n.below(10) > 0);
    }
    let fields = Fields::from(vec![
        Field::new("kind", DataType::Int32, false),
        Field::new("text", DataType::Utf8, true),
    ]);
    let item = StructBuilder::from_fields(fields, 0);
    let mut items = ListBuilder::new(item);
    for _ in 0..rows {
        for _ in 0..n.below(3) {
            let item = items.values();
            item.field_builder::<Int32Builder>(0).unwrap().append_value(n.below(20) as i32);
            let text = (n.below(3) > 0).then(|| comment(&mut n));
            item.field_builder::<StringBuilder>(1).unwrap().append_option(text);
            item.append(true);
        }
        items.append(true);
    }
    batch([
        ("id", Arc::new(ids) as ArrayRef, false),
        ("score", Arc::new(scores), true),
        ("tags", Arc::new(tags.finish()), true),
        ("items", Arc::new(items.finish()), true),
    ])
}

fn batch<'a>(columns: impl IntoIterator<Item = (&'a str, ArrayRef, bool)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}
