//! Trips like those of New York's yellow cabs: the columns of the city's files of 2025, and numbers that are
//! spread as theirs are.
//!
//! Times are whole seconds, nearly ascending; a fare follows from distance and time; most tips are a fifth of
//! it, or nothing; a tenth of the trips came over an application and lacks five columns.

use super::Rows;
use super::cabs::{Cabs, cents};
use crate::random::Random;

/// 2025-01-01, in seconds.
const START: f64 = 1_735_689_600.0;

/// Where many trips begin or end, the busiest first.
const BUSY: [i64; 24] = [
    161, 237, 236, 132, 186, 230, 162, 142, 138, 170, 239, 163, 234, 68, 48, 141, 79, 164, 249,
    107, 140, 238, 263, 229,
];

pub fn rows() -> Rows {
    let mut random = Random::new(20_250_101);
    let mut now = START;
    Box::new(move |rows| {
        let mut trips = Cabs::default();
        for _ in 0..rows {
            now += random.exponential(0.75);
            add(&mut trips, &mut random, now);
        }
        trips.finish()
    })
}

fn place(random: &mut Random) -> i64 {
    match random.chance(0.66) {
        true => BUSY[random.skewed(BUSY.len() as u64, 1.5) as usize],
        false => 1 + random.below(265) as i64,
    }
}

fn add(cabs: &mut Cabs, random: &mut Random, now: f64) {
    let late = if random.chance(0.3) { random.exponential(40.0) } else { 0.0 };
    let pickup = (now - late).floor();
    let flat = random.chance(0.04);
    let miles = cents(if flat { 17.0 + random.normal() } else { 0.3 + random.exponential(2.8) });
    let seconds =
        (90.0 + miles * (180.0 + 60.0 * random.normal())).max(20.0 + random.unit() * 60.0);
    cabs.vendor.append_value(random.pick(&[(0.77, 2), (0.22, 1), (0.01, 6)]));
    cabs.pickup.append_value(pickup as i64 * 1_000_000);
    cabs.dropoff.append_value((pickup + seconds.floor()) as i64 * 1_000_000);
    cabs.distance.append_value(miles);
    cabs.from.append_value(if flat { 132 } else { place(random) });
    cabs.to.append_value(place(random));
    let application = random.chance(0.1);
    describe(cabs, random, application, flat);
    charge(cabs, random, application, flat, miles, seconds);
}

/// What an application does not say.
fn describe(cabs: &mut Cabs, random: &mut Random, application: bool, flat: bool) {
    if application {
        cabs.passengers.append_null();
        cabs.rate.append_null();
        cabs.stored.append_null();
        cabs.congestion.append_null();
        cabs.airport.append_null();
        return;
    }
    let passengers = [(0.78, 1), (0.14, 2), (0.03, 3), (0.02, 4), (0.01, 5), (0.02, 0)];
    cabs.passengers.append_value(random.pick(&passengers));
    cabs.rate.append_value(match flat {
        true => 2,
        false => random.pick(&[(0.97, 1), (0.01, 5), (0.003, 3), (0.002, 4), (0.01, 99)]),
    });
    cabs.stored.append_value(if random.chance(0.004) { "Y" } else { "N" });
    cabs.congestion.append_value(if random.chance(0.92) { 2.5 } else { 0.0 });
    cabs.airport.append_value(if random.chance(0.08) { 1.75 } else { 0.0 });
}

fn charge(
    cabs: &mut Cabs,
    random: &mut Random,
    application: bool,
    flat: bool,
    miles: f64,
    seconds: f64,
) {
    // The meter counts in steps of 70 cents; applications agree on any amount.
    let metered = 3.0 + ((miles * 5.0).floor() + (seconds / 180.0).floor()) * 0.7;
    let fare = cents(match (flat, application) {
        (true, _) => 70.0,
        (false, true) => metered * (0.8 + random.unit() * 0.5),
        (false, false) => metered,
    });
    let extra = match application {
        true => 0.0,
        false => random.pick(&[(0.4, 0.0), (0.2, 1.0), (0.25, 2.5), (0.1, 3.5), (0.05, 5.0)]),
    };
    let payment =
        if application { 0 } else { random.pick(&[(0.83, 1), (0.14, 2), (0.02, 4), (0.01, 3)]) };
    let tolls = if flat || random.chance(0.05) { 6.94 } else { 0.0 };
    let zone = if random.chance(0.7) { 0.75 } else { 0.0 };
    let due = fare + extra + 0.5 + 1.0 + 2.5 + tolls + zone;
    let tip = cents(match payment {
        1 => random.pick(&[(0.65, due * 0.2), (0.15, due * 0.25), (0.1, 2.0), (0.1, 0.0)]),
        _ => 0.0,
    });
    cabs.payment.append_value(payment);
    cabs.fare.append_value(fare);
    cabs.extra.append_value(extra);
    cabs.tax.append_value(if random.chance(0.99) { 0.5 } else { 0.0 });
    cabs.tip.append_value(tip);
    cabs.tolls.append_value(tolls);
    cabs.improvement.append_value(if random.chance(0.995) { 1.0 } else { 0.3 });
    cabs.total.append_value(cents(due + tip));
    cabs.zone.append_value(zone);
}
