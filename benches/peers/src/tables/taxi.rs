//! Rides of a month with the columns of New York's yellow cabs, as a generator makes them: codes, tips and
//! lengths of rides are each as likely as the others, amounts have two decimals, starts ascend.
//!
//! With codec snappy and zstd, dictionaries and without, the crate `parquet`, Arrow IPC and Vortex make of it
//! what they make of the table of this name that this crate's goals were measured on, within 7 %.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Builder, Int32Builder, Int64Builder, RecordBatch, StringBuilder,
    TimestampMicrosecondBuilder,
};

use super::Rows;
use crate::random::Random;

/// 2025-01-01, in seconds.
const START: f64 = 1_735_689_600.0;

/// Between two starts, in seconds: a million in a month.
const BETWEEN: f64 = 31.0 * 86_400.0 / 1e6;

#[derive(Default)]
struct Rides {
    vendor: Int32Builder,
    pickup: TimestampMicrosecondBuilder,
    dropoff: TimestampMicrosecondBuilder,
    passengers: Int64Builder,
    distance: Float64Builder,
    rate: Int64Builder,
    stored: StringBuilder,
    from: Int64Builder,
    to: Int64Builder,
    payment: Int64Builder,
    fare: Float64Builder,
    extra: Float64Builder,
    tax: Float64Builder,
    tip: Float64Builder,
    tolls: Float64Builder,
    improvement: Float64Builder,
    total: Float64Builder,
    congestion: Float64Builder,
    airport: Float64Builder,
    zone: Float64Builder,
}

pub fn rows() -> Rows {
    let mut random = Random::new(20_250_131);
    let mut now = START;
    Box::new(move |rows| {
        let mut rides = Rides::default();
        for _ in 0..rows {
            now += random.exponential(BETWEEN);
            rides.add(&mut random, now.floor() as i64);
        }
        rides.finish()
    })
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

impl Rides {
    fn add(&mut self, random: &mut Random, start: i64) {
        let end = start + 60 + random.below(3540) as i64;
        self.vendor.append_value(1 + random.below(2) as i32);
        self.pickup.append_value(start * 1_000_000);
        self.dropoff.append_value(end * 1_000_000);
        self.from.append_value(1 + random.below(265) as i64);
        self.to.append_value(1 + random.below(265) as i64);
        self.payment.append_value(1 + random.below(4) as i64);
        // One ride in twenty lacks five columns.
        let told = random.chance(0.95);
        self.passengers.append_option(told.then(|| 1 + random.below(6) as i64));
        let rates = [(18.0, 1), (1.0, 2), (1.0, 3), (1.0, 4), (1.0, 5)];
        self.rate.append_option(told.then(|| random.pick(&rates)));
        let stored = if random.chance(0.01) { "Y" } else { "N" };
        self.stored.append_option(told.then_some(stored));
        let airport = if random.chance(0.08) { 1.75 } else { 0.0 };
        self.airport.append_option(told.then_some(airport));
        self.charge(random, told);
    }

    fn charge(&mut self, random: &mut Random, told: bool) {
        let distance = cents(0.1 + random.exponential(3.0));
        let fare = cents(3.0 + distance * 2.5 + random.unit() * 20.0);
        let extra = [0.0, 0.5, 1.0, 2.5, 3.5][random.below(5) as usize];
        let tax = if random.chance(0.99) { 0.5 } else { 0.0 };
        let tip = if random.chance(0.7) { random.below(41) as f64 * 0.25 } else { 0.0 };
        let tolls = if random.chance(0.05) { 6.94 } else { 0.0 };
        let improvement = if random.chance(0.995) { 1.0 } else { 0.3 };
        let congestion = if random.chance(0.9) { 2.5 } else { 0.0 };
        self.distance.append_value(distance);
        self.fare.append_value(fare);
        self.extra.append_value(extra);
        self.tax.append_value(tax);
        self.tip.append_value(tip);
        self.tolls.append_value(tolls);
        self.improvement.append_value(improvement);
        self.congestion.append_option(told.then_some(congestion));
        self.zone.append_value(if random.chance(0.7) { 0.75 } else { 0.0 });
        self.total.append_value(cents(fare + extra + tax + tip + tolls + improvement + congestion));
    }

    fn finish(mut self) -> crate::Result<RecordBatch> {
        let columns: [(&str, ArrayRef, bool); 20] = [
            ("VendorID", Arc::new(self.vendor.finish()), false),
            ("tpep_pickup_datetime", Arc::new(self.pickup.finish()), false),
            ("tpep_dropoff_datetime", Arc::new(self.dropoff.finish()), false),
            ("passenger_count", Arc::new(self.passengers.finish()), true),
            ("trip_distance", Arc::new(self.distance.finish()), false),
            ("RatecodeID", Arc::new(self.rate.finish()), true),
            ("store_and_fwd_flag", Arc::new(self.stored.finish()), true),
            ("PULocationID", Arc::new(self.from.finish()), false),
            ("DOLocationID", Arc::new(self.to.finish()), false),
            ("payment_type", Arc::new(self.payment.finish()), false),
            ("fare_amount", Arc::new(self.fare.finish()), false),
            ("extra", Arc::new(self.extra.finish()), false),
            ("mta_tax", Arc::new(self.tax.finish()), false),
            ("tip_amount", Arc::new(self.tip.finish()), false),
            ("tolls_amount", Arc::new(self.tolls.finish()), false),
            ("improvement_surcharge", Arc::new(self.improvement.finish()), false),
            ("total_amount", Arc::new(self.total.finish()), false),
            ("congestion_surcharge", Arc::new(self.congestion.finish()), true),
            ("Airport_fee", Arc::new(self.airport.finish()), true),
            ("cbd_congestion_fee", Arc::new(self.zone.finish()), false),
        ];
        Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
    }
}
