//! Rides of a month with the columns of New York's yellow cabs, as a generator makes them: codes, tips and
//! lengths of rides are each as likely as the others, amounts have two decimals, starts ascend.
//!
//! With codec snappy and zstd, dictionaries and without, the crate `parquet`, Arrow IPC and Vortex make of it
//! what they make of the table of this name that this crate's goals were measured on, within 7 %.

use super::Rows;
use super::cabs::{Cabs, cents};
use crate::random::Random;

/// 2025-01-01, in seconds.
const START: f64 = 1_735_689_600.0;

/// Between two starts, in seconds: a million in a month.
const BETWEEN: f64 = 31.0 * 86_400.0 / 1e6;

pub fn rows() -> Rows {
    let mut random = Random::new(20_250_131);
    let mut now = START;
    Box::new(move |rows| {
        let mut rides = Cabs::default();
        for _ in 0..rows {
            now += random.exponential(BETWEEN);
            add(&mut rides, &mut random, now.floor() as i64);
        }
        rides.finish()
    })
}

fn add(cabs: &mut Cabs, random: &mut Random, start: i64) {
    let end = start + 60 + random.below(3540) as i64;
    cabs.vendor.append_value(1 + random.below(2) as i32);
    cabs.pickup.append_value(start * 1_000_000);
    cabs.dropoff.append_value(end * 1_000_000);
    cabs.from.append_value(1 + random.below(265) as i64);
    cabs.to.append_value(1 + random.below(265) as i64);
    cabs.payment.append_value(1 + random.below(4) as i64);
    // One ride in twenty lacks five columns.
    let is_known = random.chance(0.95);
    cabs.passengers.append_option(is_known.then(|| 1 + random.below(6) as i64));
    let rates = [(18.0, 1), (1.0, 2), (1.0, 3), (1.0, 4), (1.0, 5)];
    cabs.rate.append_option(is_known.then(|| random.pick(&rates)));
    let stored = if random.chance(0.01) { "Y" } else { "N" };
    cabs.stored.append_option(is_known.then_some(stored));
    let airport = if random.chance(0.08) { 1.75 } else { 0.0 };
    cabs.airport.append_option(is_known.then_some(airport));
    charge(cabs, random, is_known);
}

fn charge(cabs: &mut Cabs, random: &mut Random, is_known: bool) {
    let distance = cents(0.1 + random.exponential(3.0));
    let fare = cents(3.0 + distance * 2.5 + random.unit() * 20.0);
    let extra = [0.0, 0.5, 1.0, 2.5, 3.5][random.below(5) as usize];
    let tax = if random.chance(0.99) { 0.5 } else { 0.0 };
    let tip = if random.chance(0.7) { random.below(41) as f64 * 0.25 } else { 0.0 };
    let tolls = if random.chance(0.05) { 6.94 } else { 0.0 };
    let improvement = if random.chance(0.995) { 1.0 } else { 0.3 };
    let congestion = if random.chance(0.9) { 2.5 } else { 0.0 };
    cabs.distance.append_value(distance);
    cabs.fare.append_value(fare);
    cabs.extra.append_value(extra);
    cabs.tax.append_value(tax);
    cabs.tip.append_value(tip);
    cabs.tolls.append_value(tolls);
    cabs.improvement.append_value(improvement);
    cabs.congestion.append_option(is_known.then_some(congestion));
    cabs.zone.append_value(if random.chance(0.7) { 0.75 } else { 0.0 });
    cabs.total.append_value(cents(fare + extra + tax + tip + tolls + improvement + congestion));
}
