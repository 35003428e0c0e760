//! Pruning by bounds of blocks never leaves out a row for which the condition is true.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Int32Type, Schema};

use super::*;
use crate::arrow::Predicate;

const CONDITIONS: &[&str] = &[
    "a = 2",
    "a != 2",
    "a < 2",
    "a <= 2",
    "a > 2",
    "a >= 2",
    "a = 2.5",
    "a != 2.5",
    "a > 1.5",
    "a in (1, 3)",
    "a not in (1, 3)",
    "a in (2, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26)",
    "a not in (2, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26)",
    "a is null",
    "a is not null",
    "not a > 1",
    "a > 1 and a < 3",
    "a < 2 or a > 2",
    "not (a = 1 and a is not null)",
    "not (a < 2 or a is null)",
    "a between 2 and 3",
    "a = 9 or a is null",
    "a > 0 and not a > 0",
];

/// Blocks of up to three rows with all combinations of three values and null.
fn blocks() -> Vec<Int32Array> {
    let values = [None, Some(1), Some(2), Some(3)];
    let mut blocks = Vec::new();
    for a in values {
        blocks.push(vec![a].into());
        for b in values {
            blocks.push(vec![a, b].into());
            blocks.extend(values.map(|c| Int32Array::from(vec![a, b, c])));
        }
    }
    blocks
}

fn bounds(
    blocks: &[Int32Array],
    ranges: &[Range<u64>],
    known: impl Fn(usize) -> bool,
    counted: impl Fn(usize) -> bool,
) -> Rc<BlockBounds> {
    let of = |end: fn(&Int32Array) -> Option<i32>| {
        let one = |(i, block): (usize, &Int32Array)| end(block).filter(|_| known(i));
        Arc::new(blocks.iter().enumerate().map(one).collect::<Int32Array>()) as ArrayRef
    };
    let nulls = blocks.iter().enumerate();
    let nulls = nulls.map(|(i, block)| counted(i).then(|| block.null_count() as u64)).collect();
    let ends = [of(arrow::compute::min::<Int32Type>), of(arrow::compute::max::<Int32Type>)];
    Rc::new(BlockBounds::new(ranges.to_vec(), ends, nulls))
}

fn matches(predicate: &Predicate, block: &Int32Array) -> bool {
    let column: ArrayRef = Arc::new(block.clone());
    let batch = RecordBatch::try_from_iter_with_nullable([("a", column, true)]).unwrap();
    predicate.evaluate(&batch).unwrap().true_count() > 0
}

#[test]
fn no_block_with_matching_rows_is_pruned() {
    let blocks = blocks();
    let mut rows = 0;
    let ranges: Vec<_> = blocks
        .iter()
        .map(|block| {
            rows += block.len() as u64;
            rows - block.len() as u64..rows
        })
        .collect();
    let cases = [
        Some(bounds(&blocks, &ranges, |_| true, |_| true)),
        Some(bounds(&blocks, &ranges, |i| i % 2 == 0, |_| true)),
        Some(bounds(&blocks, &ranges, |_| true, |i| i % 3 == 0)),
        Some(bounds(&blocks, &ranges, |_| false, |_| false)),
        None,
    ];
    let schema = Schema::new(vec![Field::new("a", DataType::Int32, true)]);
    let mut exact = 0;
    for text in CONDITIONS {
        let predicate = Predicate::parse(text).unwrap();
        let bound = Bound::new(&predicate.node, schema.fields()).unwrap();
        let expected: Vec<_> = blocks.iter().map(|block| matches(&predicate, block)).collect();
        let expected = rows_where(&ranges, &expected);
        for (case, known) in cases.iter().enumerate() {
            let found = prune_rows(&bound, rows, |_| Ok(known.clone())).unwrap();
            assert_eq!(found.intersection(&expected), expected, "{text}, bounds {case}");
            exact += usize::from(case == 0 && found == expected);
        }
    }
    // The others are true for a value between the bounds that no row has.
    assert_eq!(exact, CONDITIONS.len() - 4);
}
