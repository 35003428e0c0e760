//! Tables of one column, which show what one kind of value costs.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringBuilder,
};

use super::Rows;
use crate::random::Random;

/// A column of arrays that `next` makes of so many rows.
fn column(
    seed: u64,
    nullable: bool,
    mut next: impl FnMut(&mut Random, usize) -> ArrayRef + 'static,
) -> Rows {
    let mut random = Random::new(seed);
    Box::new(move |rows| {
        let array = next(&mut random, rows);
        Ok(RecordBatch::try_from_iter_with_nullable([("value", array, nullable)])?)
    })
}

/// Ascending, in small steps: keys, log positions.
pub fn sorted_i64() -> Rows {
    let mut at = 0;
    column(1, false, move |random, rows| {
        let mut step = || {
            at += 1 + random.below(99) as i64;
            at
        };
        Arc::new(Int64Array::from_iter_values((0..rows).map(|_| step())))
    })
}

/// All 64 bits: hashes.
pub fn random_i64() -> Rows {
    column(2, false, |random, rows| {
        Arc::new(Int64Array::from_iter_values((0..rows).map(|_| random.bits() as i64)))
    })
}

/// 0 to 39: codes, counts.
pub fn small_i32() -> Rows {
    column(3, false, |random, rows| {
        Arc::new(Int32Array::from_iter_values((0..rows).map(|_| random.below(40) as i32)))
    })
}

/// A random walk: measurements.
pub fn walk_f64() -> Rows {
    let mut at = 100.0;
    column(4, false, move |random, rows| {
        let mut step = || {
            at += random.normal();
            at
        };
        Arc::new(Float64Array::from_iter_values((0..rows).map(|_| step())))
    })
}

/// Few alike: names, keys.
pub fn strings() -> Rows {
    column(5, false, |random, rows| {
        let mut strings = StringBuilder::new();
        for _ in 0..rows {
            let digits = 6 + random.below(9) as usize;
            let number = random.bits() % 10u64.pow(digits as u32);
            strings.append_value(format!("user{number:0digits$}"));
        }
        Arc::new(strings.finish())
    })
}

/// Coins.
pub fn bools() -> Rows {
    column(6, false, |random, rows| {
        Arc::new((0..rows).map(|_| Some(random.chance(0.5))).collect::<BooleanArray>())
    })
}

/// A tenth is missing.
pub fn null_i32() -> Rows {
    column(7, true, |random, rows| {
        let mut next = || (!random.chance(0.1)).then(|| random.below(150_000) as i32);
        Arc::new((0..rows).map(|_| next()).collect::<Int32Array>())
    })
}
