//! A short, wide table: a year of daily prices of 754 shares, a third of them in cents, a third with four decimals, and a
//! third as they were computed.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch};

use super::Rows;
use crate::random::Random;

const COLUMNS: usize = 754;

pub fn rows() -> Rows {
    let mut random = Random::new(252);
    let mut prices: Vec<f64> = (0..COLUMNS).map(|_| 5.0 + 200.0 * random.unit()).collect();
    Box::new(move |rows| {
        let columns = prices.iter_mut().enumerate().map(|(number, price)| {
            let steps = (0..rows).map(|_| {
                *price *= 1.0 + 0.04 * (random.unit() - 0.5);
                match number % 3 {
                    0 => (*price * 100.0).round() / 100.0,
                    1 => (*price * 10_000.0).round() / 10_000.0,
                    _ => *price,
                }
            });
            let column: ArrayRef = Arc::new(steps.collect::<Float64Array>());
            (format!("p{number}"), column)
        });
        Ok(RecordBatch::try_from_iter(columns)?)
    })
}
