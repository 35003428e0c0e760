//! Columns of which each kind of packed value comes, by what they hold; of any number of rows, the same in every run.

use trevni::codec::Codec;
use trevni::{Bits, ColumnData, ColumnMetadata, FileWriter, Value, ValueType};

pub(super) type Column = (ColumnMetadata, ColumnData);

/// 64 bits that look like any, of a row of a column.
fn noise(column: &str, i: usize) -> u64 {
    let seed = column.bytes().fold(7u64, |sum, byte| sum.wrapping_mul(131) + u64::from(byte));
    let z = (seed << 32).wrapping_add(i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

type Rule = fn(usize, u64) -> Value<'static>;

/// Returns a value each row.
fn plain(
    name: &str,
    value_type: ValueType,
    n: usize,
    rule: impl Fn(usize, u64) -> Value<'static>,
) -> Column {
    let column = ColumnMetadata::new(name, value_type);
    let mut data = ColumnData::of(&column);
    (0..n).for_each(|i| data.values.push(&rule(i, noise(name, i))).unwrap());
    (column, data)
}

/// Returns a slot each row, of which one in `every` has a value, or all but those.
fn optional(
    name: &str,
    value_type: ValueType,
    n: usize,
    validity: fn(usize) -> bool,
    rule: Rule,
) -> Column {
    let (column, data) = plain(name, value_type, n, rule);
    let mut bits = Bits::default();
    (0..n).for_each(|i| bits.push(validity(i)));
    (column.array(), ColumnData { validity: Some(bits), ..data })
}

/// Arrays of 0 to 3 values, or of these lengths.
fn lists(name: &str, value_type: ValueType, lengths: Vec<u32>, rule: Rule) -> Column {
    let n = lengths.iter().sum::<u32>() as usize;
    let (column, data) = plain(name, value_type, n, rule);
    (column.array(), ColumnData { lengths: Some(lengths), ..data })
}

fn text(text: String) -> Value<'static> {
    Value::Bytes(text.into_bytes().into())
}

fn decimal(number: i128) -> Value<'static> {
    let bytes = number.to_be_bytes();
    let sign = if number < 0 { 0xff } else { 0 };
    let repeats = |i: &usize| bytes[*i] == sign && bytes[*i + 1] >> 7 == sign >> 7;
    let first = (0..15).take_while(repeats).count();
    Value::Bytes(bytes[first..].to_vec().into())
}

fn word(r: u64) -> String {
    (0..9).map(|i| char::from_u32(0x61 + (r >> (6 * i) & 63) as u32).unwrap()).collect()
}

/// Integers: each kind of numbers, alone and within others.
fn numbers(n: usize) -> Vec<Column> {
    let rules: [(&str, Rule); 17] = [
        ("constant", |_, _| Value::Long(-7)),
        ("frame", |_, r| Value::Long((r % 1000) as i64 - 500)),
        ("any", |_, r| Value::Long(r as i64)),
        ("ends", |i, _| Value::Long(if i % 2 == 0 { i64::MIN } else { i64::MAX })),
        ("levels", |i, r| Value::Long((i / 1024 * 1_000_000) as i64 + (r % 16) as i64)),
        ("outliers", |i, r| {
            Value::Long(if i % 97 == 3 { (r >> 20) as i64 } else { (r % 30) as i64 })
        }),
        ("sorted", |i, r| Value::Long((1 << 40) + (i * 1000) as i64 + (r % 900) as i64)),
        ("steps", |i, _| Value::Long(i as i64 * 3_000_017 - 500)),
        ("restarts", |i, r| Value::Long((i % 90 * 20_000) as i64 + (r % 90) as i64)),
        ("groups", |i, r| Value::Long((i as i64 % 7 * 7919) % 1000 + (r % 64 / 63) as i64)),
        ("runs", |i, _| Value::Long((i as i64 / 11 * 7919) % 1000)),
        ("dictionary", |_, r| Value::Long([1 << 60, -3, 1 << 33, 17, 1 << 50][r as usize % 5])),
        ("frequent", |_, r| Value::Long(if r.is_multiple_of(20) { (r >> 9) as i64 } else { 42 })),
        ("multiples", |_, r| {
            Value::Long(1_700_000_000_000_000 + (r % 90_000_000) as i64 * 1_000_000)
        }),
        ("skewed", |_, r| Value::Long((r % 999) as i64 * (r / 1024 % 99) as i64)),
        ("wandering", |i, r| Value::Long((i as i64 / 5 * 7919) % 20_000 + (r % 40) as i64)),
        ("multiples of codes", |_, r| {
            Value::Long([7, 70_000_007, 7_007, 700_007][r as usize % 4] * 3_000)
        }),
    ];
    rules.into_iter().map(|(name, rule)| plain(name, ValueType::Long, n, rule)).collect()
}

fn of_32_bits(n: usize) -> Vec<Column> {
    use ValueType::{Fixed32, Fixed64, Int};
    vec![
        plain("int", Int, n, |_, r| Value::Int(r as i32 % 100_000)),
        plain("int ends", Int, n, |i, _| Value::Int(if i % 3 == 0 { i32::MIN } else { i32::MAX })),
        plain("int outliers", Int, n, |i, r| {
            Value::Int(if i % 70 == 9 { r as i32 } else { 5 - i as i32 % 3 })
        }),
        plain("int steps", Int, n, |i, r| Value::Int(i as i32 * 90_000 - (r % 99) as i32)),
        plain("fixed32", Fixed32, n, |_, r| Value::Int((r % 77) as i32 * 12)),
        plain("fixed64", Fixed64, n, |_, r| Value::Long(r as i64 >> 23)),
        plain("null", ValueType::Null, n, |_, _| Value::Null),
    ]
}

fn booleans(n: usize) -> Vec<Column> {
    let rules: [(&str, Rule); 6] = [
        ("zeros", |_, _| Value::Boolean(false)),
        ("ones", |_, _| Value::Boolean(true)),
        ("bitmap", |_, r| Value::Boolean(r & 1 == 1)),
        ("few ones", |i, _| Value::Boolean(i % 97 == 5)),
        ("few zeros", |i, _| Value::Boolean(i % 97 != 5)),
        ("bit runs", |i, _| Value::Boolean(i / 96 % 2 == 1)),
    ];
    rules.into_iter().map(|(name, rule)| plain(name, ValueType::Boolean, n, rule)).collect()
}

/// Doubles of each kind; and the same as floats.
fn floats(n: usize) -> Vec<Column> {
    type Of = fn(usize, u64) -> f64;
    fn noisy(r: u64) -> f64 {
        f64::from_bits(0x3ff0_0000_0000_0000 | r >> 12)
    }
    let rules: [(&str, Of); 5] = [
        ("decimals", |i, r| match i % 61 {
            7 => -0.0,
            9 => f64::INFINITY,
            _ => (r % 1_000_000) as f64 / 100.0,
        }),
        ("split", |i, r| if i % 83 == 5 { -1e30 } else { noisy(r) }),
        ("float codes", |_, r| [noisy(3), -0.0, 1e30, noisy(99), -noisy(7)][r as usize % 5]),
        ("mostly nought", |i, r| if i % 12 == 4 { noisy(r) } else { 0.0 }),
        (
            "mostly nought, then decimals",
            |i, r| if i % 9 == 4 { (r % 999) as f64 / 10.0 } else { -0.0 },
        ),
    ];
    let mut all = Vec::new();
    for (name, of) in rules {
        all.push(plain(&format!("{name} 64"), ValueType::Double, n, |i, r| {
            Value::Double(of(i, r))
        }));
        all.push(plain(&format!("{name} 32"), ValueType::Float, n, |i, r| {
            Value::Float(of(i, r) as f32)
        }));
    }
    let any: Rule = |_, r| Value::Double(f64::from_bits(r));
    let any_float: Rule = |_, r| Value::Float(f32::from_bits(r as u32));
    all.push(plain("any double", ValueType::Double, n, any));
    all.push(plain("any float", ValueType::Float, n, any_float));
    let lengths: Vec<u32> = (0..n).map(|i| (i % 3) as u32).collect();
    all.push(lists("any doubles", ValueType::Double, lengths, any));
    all.push(optional("some doubles", ValueType::Double, n, |i| i % 7 != 1, any));
    all.push(optional("some floats", ValueType::Float, n, |i| i % 7 != 1, any_float));
    all
}

fn strings(n: usize) -> Vec<Column> {
    use ValueType::{Bytes, String};
    vec![
        plain("words", String, n, |i, r| {
            text(if i % 5 == 0 { "é≠𝄞".into() } else { word(r) })
        }),
        plain("empty", String, n, |_, _| text(std::string::String::new())),
        plain("modes", String, n, |_, r| {
            text(["mail", "ship", "", "air", "by truck"][r as usize % 5].into())
        }),
        plain("pages", String, n, |_, r| {
            text(format!("https://example.org/page/{:x}?ü", r % 10_000))
        }),
        plain("digests", String, n, |_, r| text(format!("{:016x}", r.wrapping_mul(r)))),
        plain("numbered", String, n, |_, r| {
            text(format!("Größe {}, {:012} von {:03}", r % 10_000, r >> 30, r % 700))
        }),
        plain("any bytes", Bytes, n, |_, r| {
            Value::Bytes(r.to_le_bytes()[..(r % 9) as usize].to_vec().into())
        }),
        plain("integers", Bytes, n, |_, r| decimal(i128::from(r as i64 >> 30))),
        plain("wide integers", Bytes, n, |_, r| {
            decimal((r as i64 >> 40) as i128 * 10_i128.pow(24))
        }),
    ]
}

fn arrays(n: usize) -> Vec<Column> {
    use ValueType::{Boolean, Double, Int, Long, Null, String};
    let lengths = |f: fn(usize) -> u32| (0..n).map(f).collect::<Vec<_>>();
    let items: Vec<u32> = lengths(|i| (i * i % 7 / 2) as u32);
    let sum = items.iter().sum::<u32>() as usize;
    let child = |(column, data): Column| (column.with_parent("items"), data);
    vec![
        optional("slots", Int, n, |i| i % 5 > 1, |_, r| Value::Int((r % 500) as i32)),
        optional("dense", Long, n, |i| i % 11 == 3, |_, r| Value::Long((r % 500) as i64)),
        optional("no value", Int, n, |_| false, |_, _| Value::Int(9)),
        optional("all values", Int, n, |_| true, |i, _| Value::Int(i as i32)),
        optional("truths", Boolean, n, |i| i % 3 != 1, |_, r| Value::Boolean(r % 3 == 0)),
        optional("few truths", Boolean, n, |i| i % 160 == 5, |i, _| Value::Boolean(i % 320 == 5)),
        optional("names", String, n, |i| i % 4 != 2, |_, r| text(word(r))),
        optional("few names", String, n, |i| i % 40 == 2, |_, r| text(word(r))),
        optional(
            "some modes",
            String,
            n,
            |i| i % 5 != 0,
            |_, r| text(["mail", "ship", "air"][r as usize % 3].into()),
        ),
        optional(
            "some numbers",
            String,
            n,
            |i| i % 5 != 0,
            |_, r| text(format!("no. {}", r % 10_000)),
        ),
        lists("lists", Int, lengths(|i| (i % 4) as u32), |i, _| Value::Int(i as i32 * 3)),
        lists("long lists", Double, lengths(|i| (i % 50 / 47 * 20) as u32), |i, _| {
            Value::Double(i as f64 / 2.0)
        }),
        lists("truth lists", Boolean, lengths(|i| (i % 3 * 5) as u32), |i, r| {
            Value::Boolean(r % 7 == 0 && i > 9)
        }),
        lists("items", Null, items, |_, _| Value::Null),
        child(plain("item", Long, sum, |i, r| Value::Long((i * 9) as i64 + (r % 9) as i64))),
        child(optional("item name", String, sum, |i| i % 3 > 0, |_, r| text(word(r)))),
        child(lists("item list", Int, (0..sum).map(|i| (i % 3) as u32).collect(), |i, _| {
            Value::Int(i as i32 % 90)
        })),
    ]
}

/// Columns of every type and kind.
pub(super) fn kinds(n: usize) -> Vec<Column> {
    let mut all = numbers(n);
    let (column, data) =
        plain("indexed", ValueType::Long, n, |i, r| Value::Long((i * 50 + r as usize % 50) as i64));
    all.push((column.indexed(), data));
    [of_32_bits(n), booleans(n), floats(n), strings(n), arrays(n)]
        .into_iter()
        .for_each(|more| all.extend(more));
    all
}

/// Numbers of each of these widths.
pub(super) fn widths(n: usize, widths: impl Iterator<Item = u32>) -> Vec<Column> {
    let of = |w: u32| {
        let rule = move |i: usize, r: u64| match i {
            0 => Value::Long(0),
            1 => Value::Long((u64::MAX >> (64 - w)) as i64),
            _ => Value::Long((r >> (64 - w)) as i64),
        };
        plain(&format!("{w} bits"), ValueType::Long, n, rule)
    };
    widths.map(of).collect()
}

/// Returns a file of these columns, with blocks of at most `block_rows` rows.
pub(super) fn written(columns: &[Column], rows: usize, block_rows: usize, codec: Codec) -> Vec<u8> {
    let builder = FileWriter::builder().set_codec(codec).set_block_rows(block_rows);
    // Smallest, so that every kind is chosen for something.
    let builder = builder.set_fsst_threshold(100);
    let metadata = columns.iter().map(|(column, _)| column.clone()).collect();
    let mut writer = builder.build(Vec::new(), metadata).unwrap();
    let slices: Vec<_> = columns.iter().map(|(_, data)| data.as_slice()).collect();
    writer.write(rows, &slices).unwrap();
    writer.finish().unwrap().0
}
