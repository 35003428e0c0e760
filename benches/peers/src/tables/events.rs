//! Events of a program, as a generator makes them: two ascending columns, numbered users and pages, words that
//! are each as likely as the others, doubles of one or two decimals, a short list.
//!
//! With codec snappy and zstd, dictionaries and without, the crate `parquet`, Arrow IPC and Vortex make of it
//! what they make of the table of this name that this crate's goals were measured on, within 8 %.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder, RecordBatch,
    StringBuilder, TimestampMicrosecondBuilder,
};

use super::Rows;
use crate::random::Random;

/// 2026-01-01, in microseconds.
const START: i64 = 1_767_225_600_000_000;

const KINDS: [&str; 8] =
    ["page_view", "click", "add_to_cart", "purchase", "search", "sign_in", "sign_out", "scroll"];

const COUNTRIES: [&str; 16] = [
    "Germany",
    "France",
    "Brazil",
    "India",
    "Japan",
    "Canada",
    "Spain",
    "Italy",
    "United States",
    "United Kingdom",
    "Netherlands",
    "Sweden",
    "Poland",
    "Mexico",
    "Australia",
    "Turkey",
];

const DEVICES: [&str; 3] = ["mobile", "desktop", "tablet"];

#[derive(Default)]
struct Events {
    id: Int64Builder,
    time: TimestampMicrosecondBuilder,
    user: StringBuilder,
    kind: StringBuilder,
    country: StringBuilder,
    page: StringBuilder,
    device: StringBuilder,
    duration: Float64Builder,
    amount: Float64Builder,
    size: Float64Builder,
    score: Float64Builder,
    known: BooleanBuilder,
    tags: ListBuilder<Int32Builder>,
}

pub fn rows() -> Rows {
    let mut random = Random::new(20_260_101);
    let (mut id, mut time) = (10_000_000, START);
    Box::new(move |rows| {
        let mut events = Events::default();
        for _ in 0..rows {
            id += 1 + random.below(8) as i64;
            time += random.exponential(50_000.0) as i64;
            events.add(&mut random, id, time);
        }
        events.finish()
    })
}

/// 0 to `end`, of so many steps to the whole number.
fn decimal(random: &mut Random, end: u64, steps: u64) -> f64 {
    random.below(end * steps + 1) as f64 / steps as f64
}

fn word<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

impl Events {
    fn add(&mut self, random: &mut Random, id: i64, time: i64) {
        self.id.append_value(id);
        self.time.append_value(time);
        self.user.append_value(format!("user_{:06}", random.below(200_000)));
        self.kind.append_value(word(random, &KINDS));
        self.country.append_value(word(random, &COUNTRIES));
        self.page.append_value(format!("/products/{:05}", random.below(100_000)));
        self.device.append_value(word(random, &DEVICES));
        self.duration.append_value(decimal(random, 200, 100));
        self.amount.append_value(decimal(random, 1000, 100));
        self.size.append_value(decimal(random, 500, 10));
        let score = decimal(random, 100, 100);
        self.score.append_option(random.chance(0.9).then_some(score));
        self.known.append_value(random.chance(0.5));
        for _ in 0..random.below(8) {
            self.tags.values().append_value(random.below(100) as i32);
        }
        self.tags.append(true);
    }

    fn finish(mut self) -> crate::Result<RecordBatch> {
        let columns: [(&str, ArrayRef, bool); 13] = [
            ("id", Arc::new(self.id.finish()), false),
            ("time", Arc::new(self.time.finish()), false),
            ("user", Arc::new(self.user.finish()), false),
            ("kind", Arc::new(self.kind.finish()), false),
            ("country", Arc::new(self.country.finish()), false),
            ("page", Arc::new(self.page.finish()), false),
            ("device", Arc::new(self.device.finish()), false),
            ("duration", Arc::new(self.duration.finish()), false),
            ("amount", Arc::new(self.amount.finish()), false),
            ("size", Arc::new(self.size.finish()), false),
            ("score", Arc::new(self.score.finish()), true),
            ("known", Arc::new(self.known.finish()), false),
            ("tags", Arc::new(self.tags.finish()), false),
        ];
        Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
    }
}
