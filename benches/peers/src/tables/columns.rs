//! Tables of one column, which show what one kind of value costs.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringBuilder,
};

use super::Rows;
use crate::random::Random;

/// Returns a column of arrays that `next` makes of so many rows.
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

/// Returns a random walk: measurements.
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

/// Letters and digits, 14 on average: tokens, keys.
pub fn strings() -> Rows {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    column(5, false, |random, rows| {
        let mut strings = StringBuilder::new();
        for _ in 0..rows {
            let letters = 10 + random.below(9);
            let letter = |_| char::from(LETTERS[random.below(36) as usize]);
            strings.append_value((0..letters).map(letter).collect::<String>());
        }
        Arc::new(strings.finish())
    })
}

/// Sentences of which most letters are not ASCII.
pub fn sentences() -> Rows {
    const WORDS: [&str; 40] = [
        "γλώσσα",
        "και",
        "το",
        "βιβλίο",
        "είναι",
        "μεγάλο",
        "море",
        "и",
        "город",
        "очень",
        "большой",
        "дорога",
        "日本語",
        "の",
        "文章",
        "です",
        "今日",
        "天気",
        "좋은",
        "아침",
        "우리",
        "학교",
        "größer",
        "naïve",
        "café",
        "señor",
        "año",
        "für",
        "straße",
        "łódź",
        "żółty",
        "dům",
        "řeka",
        "مدينة",
        "كبيرة",
        "في",
        "שלום",
        "עולם",
        "हिन्दी",
        "भाषा",
    ];
    column(8, false, |random, rows| {
        let mut strings = StringBuilder::new();
        for _ in 0..rows {
            let words = 3 + random.below(8);
            let words = (0..words).map(|_| WORDS[random.skewed(40, 1.5) as usize]);
            strings.append_value(words.collect::<Vec<_>>().join(" "));
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

/// Returns a tenth is missing.
pub fn null_i32() -> Rows {
    column(7, true, |random, rows| {
        let mut next = || (!random.chance(0.1)).then(|| random.below(130_000) as i32);
        Arc::new((0..rows).map(|_| next()).collect::<Int32Array>())
    })
}
