//! Visits to a shop's web site as its log has them, skewed as such are: what a visitor did, when, where and on
//! which page.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder, RecordBatch,
    StringBuilder, TimestampMicrosecondBuilder,
};

use super::Rows;
use crate::random::Random;

/// 2026-03-01, in microseconds.
const START: i64 = 1_772_323_200_000_000;

const KINDS: [(f64, &str); 6] = [
    (0.62, "view"),
    (0.2, "click"),
    (0.08, "search"),
    (0.06, "cart_add"),
    (0.02, "purchase"),
    (0.02, "sign_in"),
];

const COUNTRIES: [&str; 20] = [
    "US", "DE", "IN", "BR", "GB", "FR", "JP", "ID", "MX", "ES", "IT", "CA", "PL", "NL", "TR", "SE",
    "AU", "CH", "AT", "PT",
];

const SECTIONS: [&str; 8] =
    ["products", "search", "articles", "account/orders", "help", "checkout", "offers", "brands"];

/// How a visitor came to a page.
const SOURCES: [(f64, &str); 5] = [
    (0.4, ""),
    (0.3, "?from=recommended"),
    (0.15, "?from=newsletter"),
    (0.1, "?from=search&sort=price"),
    (0.05, "?from=share"),
];

#[derive(Default)]
struct Visits {
    id: Int64Builder,
    time: TimestampMicrosecondBuilder,
    user: Int64Builder,
    kind: StringBuilder,
    country: StringBuilder,
    url: StringBuilder,
    mobile: BooleanBuilder,
    duration: Float64Builder,
    tags: ListBuilder<Int32Builder>,
}

pub fn rows() -> Rows {
    let mut random = Random::new(20_260_301);
    let (mut id, mut time) = (7_000_000_000, START);
    Box::new(move |rows| {
        let mut visits = Visits::default();
        for _ in 0..rows {
            id += 1 + random.skewed(4, 3.0) as i64;
            time += random.exponential(40_000.0) as i64;
            visits.add(&mut random, id, time);
        }
        visits.finish()
    })
}

impl Visits {
    fn add(&mut self, random: &mut Random, id: i64, time: i64) {
        self.id.append_value(id);
        self.time.append_value(time);
        self.user.append_value(100_000 + random.skewed(60_000, 2.0) as i64);
        self.kind.append_value(random.pick(&KINDS));
        self.country.append_value(COUNTRIES[random.skewed(20, 2.0) as usize]);
        let section = SECTIONS[random.skewed(8, 2.0) as usize];
        let page = 100_000 + random.skewed(800, 3.0) * 37;
        let from = random.pick(&SOURCES);
        self.url.append_value(format!("/{section}/{page}{from}"));
        self.mobile.append_value(random.chance(0.6));
        let duration = (random.exponential(30.0) * 1e6).round() / 1e6;
        self.duration.append_option(random.chance(0.85).then_some(duration));
        for _ in 0..random.skewed(5, 1.5) {
            self.tags.values().append_value(random.skewed(500, 2.0) as i32);
        }
        self.tags.append(true);
    }

    fn finish(mut self) -> crate::Result<RecordBatch> {
        let columns: [(&str, ArrayRef, bool); 9] = [
            ("id", Arc::new(self.id.finish()), false),
            ("time", Arc::new(self.time.finish()), false),
            ("user", Arc::new(self.user.finish()), false),
            ("kind", Arc::new(self.kind.finish()), false),
            ("country", Arc::new(self.country.finish()), false),
            ("url", Arc::new(self.url.finish()), false),
            ("mobile", Arc::new(self.mobile.finish()), false),
            ("duration", Arc::new(self.duration.finish()), true),
            ("tags", Arc::new(self.tags.finish()), false),
        ];
        Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
    }
}
