//! Statistics to the byte, and malformed ones.

use super::*;

fn block(rows: u32, size: u32) -> BlockDescriptor {
    BlockDescriptor {
        rows,
        uncompressed_size: size,
        compressed_size: size,
        first_value: None,
        first_row: 0,
        offset: 0,
    }
}

fn bounds<'a>(min: impl Into<Value<'a>>, max: impl Into<Value<'a>>, exact: bool) -> Option<Bounds> {
    let owned = |value: Value<'a>| match value {
        Value::Bytes(bytes) => Value::Bytes(bytes.into_owned().into()),
        Value::Boolean(v) => Value::Boolean(v),
        Value::Int(v) => Value::Int(v),
        Value::Long(v) => Value::Long(v),
        Value::Float(v) => Value::Float(v),
        Value::Double(v) => Value::Double(v),
        Value::Null => Value::Null,
    };
    Some(Bounds { min: owned(min.into()), max: owned(max.into()), exact })
}

fn statistics(order: Order, blocks: Vec<(u32, Option<Bounds>)>) -> Statistics {
    let block =
        |(nulls, bounds)| BlockStatistics { rows: 10, uncompressed_size: 40, nulls, bounds };
    Statistics { order, blocks: blocks.into_iter().map(block).collect() }
}

fn cases() -> Vec<(ValueType, Statistics)> {
    use Order::*;
    let no = None::<Bounds>;
    vec![
        (ValueType::Null, statistics(Unknown, vec![(3, no.clone()), (0, no.clone())])),
        (
            ValueType::Boolean,
            statistics(
                Natural,
                vec![(0, bounds(false, true, true)), (1, bounds(true, true, true))],
            ),
        ),
        (
            ValueType::Int,
            statistics(
                Natural,
                vec![
                    (0, bounds(i32::MIN, i32::MAX, true)),
                    (9, bounds(-1, -1, true)),
                    (10, no.clone()),
                ],
            ),
        ),
        (
            ValueType::Long,
            statistics(
                Natural,
                vec![(0, bounds(i64::MIN, i64::MAX, true)), (2, bounds(5i64, 6i64, true))],
            ),
        ),
        (ValueType::Fixed64, statistics(Unsigned, vec![(0, bounds(5i64, -5i64, true))])),
        (
            ValueType::Double,
            statistics(
                Natural,
                vec![(0, bounds(-f64::NAN, -0.0, true)), (0, bounds(-0.0, 0.0, true))],
            ),
        ),
        (
            ValueType::Float,
            statistics(Natural, vec![(0, bounds(f32::NEG_INFINITY, f32::NAN, true))]),
        ),
        (
            ValueType::String,
            statistics(
                Natural,
                vec![(0, bounds("", "abcde", true)), (1, bounds("abcdef", "abx", false)), (10, no)],
            ),
        ),
        (
            ValueType::Bytes,
            statistics(Numbers, vec![(0, bounds(&[0x80, 0][..], &[0x7f][..], true))]),
        ),
    ]
}

#[test]
fn go_both_ways_beside_their_blocks_alone() {
    for (value_type, statistics) in cases() {
        let blocks = vec![block(10, 40); statistics.blocks.len()];
        let bytes = statistics.write(value_type);
        let read = Statistics::read(&bytes, value_type, &blocks).unwrap();
        assert_eq!(read.write(value_type), bytes);
        // NaN is no equal of itself.
        assert_eq!(format!("{read:?}"), format!("{statistics:?}"));
        let mut others = blocks.clone();
        others.push(block(10, 40));
        assert!(Statistics::read(&bytes, value_type, &others).is_err());
        for other in [block(11, 40), block(10, 41)] {
            others = blocks.clone();
            others[0] = other;
            assert!(Statistics::read(&bytes, value_type, &others).is_err());
        }
    }
}

/// With a proof that fits, whatever is before it.
fn proved(entry: &[u8], blocks: &[BlockDescriptor]) -> Vec<u8> {
    let sizes = blocks.iter().map(|block| (block.rows, block.uncompressed_size));
    [entry, &proof(entry, sizes).to_le_bytes()].concat()
}

#[test]
fn what_is_cut_or_changed_is_an_error_and_never_more() {
    for (value_type, statistics) in cases() {
        let blocks = vec![block(10, 40); statistics.blocks.len()];
        let bytes = statistics.write(value_type);
        for n in 0..bytes.len() {
            assert!(Statistics::read(&bytes[..n], value_type, &blocks).is_err());
        }
        let entry = &bytes[..bytes.len() - 4];
        for (i, flip) in (0..entry.len()).flat_map(|i| [1, 0x80, 0xff].map(|flip| (i, flip))) {
            let mut changed = entry.to_vec();
            changed[i] ^= flip;
            assert!(
                Statistics::read(&[&changed, &bytes[entry.len()..]].concat(), value_type, &blocks)
                    .is_err()
            );
            for value_type in ValueType::all() {
                if let Ok(read) = Statistics::read(&proved(&changed, &blocks), value_type, &blocks)
                {
                    assert_eq!(read.blocks.len(), blocks.len());
                    assert!(read.blocks.iter().all(|block| block.nulls <= block.rows));
                }
            }
        }
    }
    let blocks = [block(10, 40)];
    for (what, entry) in [
        ("version 2", &[2, 1, 2, 2, 0, 0][..]),
        ("order 9", &[1, 9, 2, 2, 0, 0]),
        ("order 3", &[1, 3, 2, 2, 0, 0]),
        ("another number of blocks", &[1, 1, 4, 2, 0, 0]),
        ("more nulls than rows", &[1, 1, 2, 88, 0, 0]),
        ("bounds of kind 3", &[1, 1, 2, 6, 0, 0]),
        ("contain no value", &[1, 1, 2, 2, 0, 1]),
        ("no int", &[1, 1, 2, 2, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 1]),
        ("bytes after statistics", &[1, 1, 2, 2, 0, 0, 0]),
    ] {
        let read = Statistics::read(&proved(entry, &blocks), ValueType::Int, &blocks);
        let e = read.unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    }
    for (what, entry) in [
        ("shares more bytes", &[1, 1, 2, 2, 2, 0, 0, 0][..]),
        ("longer than 64", &[[1, 1, 2, 2, 0, 0x82, 1].as_slice(), &[b'a'; 65], &[0, 0]].concat()),
    ] {
        let read = Statistics::read(&proved(entry, &blocks), ValueType::String, &blocks);
        let e = read.unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    }
}

#[test]
fn orders_are_those_of_the_values() {
    let number =
        |v: i64| Value::Bytes(crate::stats::sort_order::shortest(&v.to_be_bytes()).to_vec().into());
    let longs = [i64::MIN, -70_000, -129, -128, -1, 0, 1, 127, 128, 255, 256, 70_000, i64::MAX];
    for (a, b) in longs.iter().flat_map(|a| longs.map(|b| (*a, b))) {
        assert_eq!(Order::Numbers.compare(&number(a), &number(b)), Some(a.cmp(&b)), "{a} {b}");
        let unsigned = a.cast_unsigned().cmp(&b.cast_unsigned());
        assert_eq!(Order::Unsigned.compare(&a.into(), &b.into()), Some(unsigned));
    }
    assert_eq!(Order::Numbers.compare(&(&[1u8; 33][..]).into(), &(&[1u8][..]).into()), None);
    // The sign may be repeated, and nothing is 0.
    let long = [vec![0xff; 40], vec![0x85]].concat();
    let same = Order::Numbers.compare(&long.as_slice().into(), &(&[0x85u8][..]).into());
    assert_eq!(same, Some(std::cmp::Ordering::Equal));
    let none = Order::Numbers.compare(&(&[][..] as &[u8]).into(), &(&[0u8][..]).into());
    assert_eq!(none, Some(std::cmp::Ordering::Equal));
}

mod random {
    use crate::stats::collector::{CollectedStatistics, StatisticsCollector};
    use proptest::prelude::*;

    use super::*;
    use crate::format::values_ref::ValuesRef;

    fn strings() -> impl Strategy<Value = Vec<String>> {
        let some = prop_oneof![
            "[ab]{0,3}",
            "x{7,9}[ab]?",
            "shared prefix [a-c]{0,80}",
            ".{0,30}",
            "\u{10ffff}{0,20}"
        ];
        prop::collection::vec(some, 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn strings_lie_between_their_bounds(strings in strings(), at in 0usize..30, binary: bool) {
            let value_type = if binary { ValueType::Bytes } else { ValueType::String };
            let mut offsets = vec![0i32];
            offsets.extend(strings.iter().scan(0, |end, s| { *end += i32::try_from(s.len()).unwrap(); Some(*end) }));
            let data = strings.concat();
            let values = ValuesRef::strings(&offsets, data.as_bytes());
            let at = at.min(strings.len());
            let mut collector = StatisticsCollector::new(value_type, Order::Natural, None);
            collector.add(values, 0..at);
            collector.add(values, at..strings.len());
            let collected = collector.take();
            prop_assert_eq!(collected.values, strings.len());
            let (least, greatest) = (strings.iter().min(), strings.iter().max());
            let Some(Bounds { min, max, exact }) = collected.bounds else {
                prop_assert!(greatest.is_none_or(|s| s.len() > 16));
                return Ok(());
            };
            let bytes = |v: &Value<'_>| match v { Value::Bytes(b) => b.to_vec(), _ => Vec::new() };
            let (min, max) = (bytes(&min), bytes(&max));
            let (least, greatest) = (least.unwrap().as_bytes(), greatest.unwrap().as_bytes());
            prop_assert!(min.as_slice() <= least && max.as_slice() >= greatest);
            prop_assert!(min.len() <= LONGEST && max.len() <= LONGEST);
            prop_assert_eq!(exact, min == least && max == greatest);
            prop_assert!(binary || (String::from_utf8(min).is_ok() && String::from_utf8(max).is_ok()));
            prop_assert_eq!(collector.take(), CollectedStatistics::default());
        }
    }
}
