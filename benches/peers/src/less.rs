//! What is read when little is wanted: filters, scattered rows, one column, of TPC-H's lineitem at scale factor 1.
//!
//! ```text
//! question                           parquet                                  trevni
//! l_orderkey in a range (sorted)     row groups and pages by statistics,      blocks by statistics,
//! l_partkey below n (unsorted)       then a row filter                        then the predicate
//! 1000 scattered rows                row selection                            row selection
//! one column of sixteen              projection                               projection
//! ```
//! Both are asked for all sixteen columns of the rows that pass. Sources count the bytes that are read of them. The
//! rows that come are compared by their number and by sums over two columns.

mod counted;
mod parquet;
mod trevni;

use std::ops::Range;
use std::time::Instant;

use ::trevni::codec::Codec;
use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Decimal128Type, Int64Type};
use bytes::Bytes;

use crate::Result;
use crate::random::Random;
use crate::tables::tpch;
use counted::Counted;

/// Order keys of 1.5 million orders, of which every fourth is used.
const ORDERS: i64 = 6_000_000;

/// Keys of parts.
const PARTS: i64 = 200_000;

/// What is wanted.
enum Question {
    /// Rows whose sorted key lies here.
    Orders(Range<i64>),
    /// Rows whose unsorted key lies below.
    Parts(i64),
    Rows(Vec<u64>),
    /// The column of this number.
    Column(usize),
}

/// What came of a question.
#[derive(Debug, Default, PartialEq)]
struct Answer {
    rows: usize,
    /// Of the keys of orders, and of what is paid.
    sums: (i128, i128),
}

impl Answer {
    fn take(&mut self, batch: &RecordBatch) {
        self.rows += batch.num_rows();
        if batch.num_columns() == 16 {
            let keys = batch.column(0).as_primitive::<Int64Type>().values();
            let paid = batch.column(5).as_primitive::<Decimal128Type>().values();
            self.sums.0 += keys.iter().map(|key| i128::from(*key)).sum::<i128>();
            self.sums.1 += paid.iter().sum::<i128>();
        }
    }
}

/// A format that is asked.
struct Peer {
    name: &'static str,
    file: Bytes,
    ask: fn(Counted, &Question) -> Result<Answer>,
}

/// Asks all and prints a table.
pub fn race(quick: bool, rounds: u16) -> Result<()> {
    let scale = if quick { 0.02 } else { 1.0 };
    let repetitions = if quick { 3 } else { usize::from(rounds) };
    let peers = write(scale)?;
    for peer in &peers {
        println!("{:14} {:8.1} MB", peer.name, peer.file.len() as f64 / 1e6);
    }
    println!(
        "\n| | parquet ms | MB read | snappy ms | MB read | ratio | pack ms | MB read | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (what, question) in questions(scale) {
        let laps = laps(&peers, &question, repetitions).map_err(|e| format!("{what}: {e}"))?;
        let mut line = format!("| {what} ");
        let theirs = laps.first().map_or(0.0, |(ms, _)| *ms);
        for (at, (ms, bytes)) in laps.iter().enumerate() {
            line += &format!("| {ms:.2} | {:.2} ", *bytes as f64 / 1e6);
            if at > 0 {
                line += &format!("| {:.2} ", theirs / ms);
            }
        }
        println!("{line}|");
    }
    Ok(())
}

fn questions(scale: f64) -> Vec<(&'static str, Question)> {
    let (orders, parts) = ((ORDERS as f64 * scale) as i64, (PARTS as f64 * scale) as i64);
    let total = (6_000_000.0 * scale) as u64;
    let mut random = Random::new(7);
    let mut rows: Vec<_> = (0..1000).map(|_| random.below(total)).collect();
    rows.sort_unstable();
    rows.dedup();
    let half = orders / 2;
    vec![
        ("sorted column, 0.1 %", Question::Orders(half..half + orders / 1000)),
        ("sorted column, 10 %", Question::Orders(half..half + orders / 10)),
        ("unsorted column, 0.1 %", Question::Parts(parts / 1000)),
        ("unsorted column, 10 %", Question::Parts(parts / 10)),
        ("1,000 scattered rows", Question::Rows(rows)),
        ("one column of sixteen", Question::Column(5)),
    ]
}

/// Returns the same table in each format.
fn write(scale: f64) -> Result<Vec<Peer>> {
    let batches = || tpch::batches(scale);
    let trevni = |codec| trevni::write(tpch::schema(), batches(), codec);
    Ok(vec![
        Peer {
            name: "parquet-snappy",
            file: parquet::write(tpch::schema(), batches())?,
            ask: parquet::ask,
        },
        Peer { name: "trevni-snappy", file: trevni(Codec::Snappy)?, ask: trevni::ask },
        Peer { name: "trevni-pack", file: trevni(Codec::Pack)?, ask: trevni::ask },
    ])
}

/// Of each peer the median time in milliseconds, and the bytes that were read.
fn laps(peers: &[Peer], question: &Question, repetitions: usize) -> Result<Vec<(f64, u64)>> {
    let mut laps = vec![Vec::new(); peers.len()];
    let mut bytes = vec![0; peers.len()];
    let mut expected: Option<Answer> = None;
    for _ in 0..repetitions {
        for (at, peer) in peers.iter().enumerate() {
            let source = Counted::new(peer.file.clone());
            let started = Instant::now();
            let answer = (peer.ask)(source.clone(), question)?;
            laps[at].push(started.elapsed().as_secs_f64() * 1e3);
            bytes[at] = source.count();
            let expected = expected.get_or_insert(Answer { ..answer });
            if answer != *expected || answer.rows == 0 {
                return Err(format!("{}: {answer:?}, not {expected:?}", peer.name).into());
            }
        }
    }
    let median = |mut laps: Vec<f64>| {
        laps.sort_by(f64::total_cmp);
        laps[laps.len() / 2]
    };
    Ok(laps.into_iter().map(median).zip(bytes).collect())
}
