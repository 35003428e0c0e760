//! Generates elements of every type from numbers.
//!
//! ```text
//! pattern    walk 5 9 7 12 ..     constant 7 7 7 ..     zeros     noise
//! number ──► element ──► bytes
//! ```

use trevni_blosc::{ByteOrder, Dtype, DtypeKind};

/// What the numbers are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    Walk,
    Constant,
    Zeros,
    Noise,
}

/// The numbers of a pattern.
pub(crate) struct Numbers {
    pattern: Pattern,
    state: u64,
    at: i64,
}

impl Numbers {
    pub(crate) fn new(pattern: Pattern, seed: u64) -> Self {
        Self { pattern, state: seed, at: 0 }
    }

    /// Returns the bytes of `count` elements.
    pub(crate) fn elements(&mut self, dtype: &Dtype, count: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(count * dtype.size);
        for _ in 0..count {
            match self.pattern {
                Pattern::Zeros => out.resize(out.len() + dtype.size, 0),
                _ => put(dtype, self.number(), &mut out),
            }
        }
        out
    }

    fn number(&mut self) -> i64 {
        // The generator known as SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = (mixed ^ (mixed >> 31)).cast_signed();
        match self.pattern {
            Pattern::Constant => 7,
            Pattern::Noise => random,
            _ => {
                self.at += random.rem_euclid(9) - 3;
                self.at
            }
        }
    }
}

/// Returns the bytes of the element for a number.
pub(crate) fn element(dtype: &Dtype, number: i64) -> Vec<u8> {
    let mut out = Vec::new();
    put(dtype, number, &mut out);
    out
}

fn put(dtype: &Dtype, number: i64, out: &mut Vec<u8>) {
    let half = dtype.size / 2;
    match &dtype.kind {
        DtypeKind::Bool => out.push(u8::from(number.rem_euclid(3) == 0)),
        DtypeKind::Float => put_float(dtype.order, dtype.size, number as f64 / 8.0, out),
        DtypeKind::Complex => {
            put_float(dtype.order, half, number as f64 / 8.0, out);
            put_float(dtype.order, half, -(number as f64), out);
        }
        DtypeKind::Bytes => out.extend(padded(number.to_string().into_bytes(), dtype.size)),
        DtypeKind::Unicode => {
            let text = format!("ü{number}");
            let points =
                text.chars().flat_map(|c| ordered(dtype.order, u32::from(c).to_le_bytes()));
            out.extend(padded(points.collect(), dtype.size));
        }
        // One in a few is "not a time".
        DtypeKind::DateTime(_) | DtypeKind::TimeDelta(_) if number.rem_euclid(11) == 4 => {
            out.extend(ordered(dtype.order, i64::MIN.to_le_bytes()));
        }
        DtypeKind::Record(fields) => {
            for field in fields {
                let times = field.shape.iter().product::<u64>();
                (0..times).for_each(|_| put(&field.dtype, number, out));
            }
        }
        _ => {
            let low = padded(number.to_le_bytes().to_vec(), dtype.size);
            out.extend(ordered(dtype.order, low));
        }
    }
}

fn put_float(order: ByteOrder, size: usize, value: f64, out: &mut Vec<u8>) {
    #[allow(clippy::cast_possible_truncation, reason = "a float of fewer digits")]
    let narrow = value as f32;
    match size {
        8 => out.extend(ordered(order, value.to_le_bytes())),
        4 => out.extend(ordered(order, narrow.to_le_bytes())),
        // The bits of a half are those of a float without its low ones, but for the exponent: any will do.
        _ => out.extend(ordered(order, (narrow.to_bits() >> 16 & 0x7bff).to_le_bytes()).take(2)),
    }
}

fn ordered(
    order: ByteOrder,
    little: impl IntoIterator<Item = u8, IntoIter: DoubleEndedIterator>,
) -> impl Iterator<Item = u8> {
    let mut bytes: Vec<u8> = little.into_iter().collect();
    if order == ByteOrder::Big {
        bytes.reverse();
    }
    bytes.into_iter()
}

fn padded(mut bytes: Vec<u8>, len: usize) -> Vec<u8> {
    bytes.resize(len, 0);
    bytes
}
