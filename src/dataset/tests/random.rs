//! Random scans of random files return the rows of the whole table in memory.

use super::*;
use arrow::compute::filter_record_batch;

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n.max(1)
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    fn predicate(&mut self, depth: u64) -> String {
        if depth > 0 && self.below(3) > 0 {
            let (one, other) = (self.predicate(depth - 1), self.predicate(depth - 1));
            return match self.below(3) {
                0 => format!("({one}) and ({other})"),
                1 => format!("({one}) or ({other})"),
                _ => format!("not ({one})"),
            };
        }
        let sign = self.one(&["=", "!=", "<", "<=", ">", ">="]);
        match self.below(7) {
            0 => format!("id {sign} {}", self.below(3000)),
            1 => format!("year {sign} {}", 2019 + self.below(5)),
            2 => format!("city {sign} {}", self.one(&["''", "'Bonn'", "'Ulm b'", "'X'"])),
            3 => format!("value {sign} {}", self.one(&["3", "700.5", "-1", "1e9"])),
            4 => format!("{} is null", self.one(&["id", "year", "city", "value"])),
            5 => format!("year in ({}, {})", 2019 + self.below(3), 2020 + self.below(3)),
            _ => format!("id between {} and {}", self.below(1500), 1000 + self.below(1500)),
        }
    }
}

/// Returns a table of two or three commits, and the same in memory, in the order of its files.
fn table(path: &Path, numbers: &mut Numbers) -> RecordBatch {
    let by = numbers.one(&[
        vec![],
        vec!["year"],
        vec!["city"],
        vec!["city", "year"],
        vec!["year", "city"],
    ]);
    let (mut from, commits) = (0, 1 + numbers.below(3));
    for _ in 0..commits {
        let to = from + numbers.below(1500) as i64;
        let properties = DatasetProperties::builder()
            .set_partition_by(by.clone())
            .set_max_rows_per_file(1 + numbers.below(900))
            .set_memory_budget(numbers.one(&[0, 1 << 20]))
            .build();
        let mut writer = DatasetWriter::try_new(path, rows(0..1).schema(), properties).unwrap();
        while from < to {
            let next = to.min(from + 1 + numbers.below(700) as i64);
            writer.write(&rows(from..next)).unwrap();
            from = next;
        }
        writer.finish().unwrap();
    }
    let table = Dataset::open(path).unwrap();
    let whole = collect(table.scan());
    assert_eq!(ids(&whole), (0..from).collect::<Vec<_>>());
    assert_eq!(table.rows(), from as u64);
    // Each row is what it was.
    let order = arrow::compute::sort_to_indices(whole.column(0), None, None).unwrap();
    let sorted = arrow::compute::take_record_batch(&whole, &order).unwrap();
    assert_eq!(sorted, rows(0..from));
    whole
}

#[test]
fn every_scan_is_that_of_the_table_in_memory() {
    let mut numbers = Numbers(7);
    let mut pruned = 0;
    for _ in 0..25 {
        let folder = tempfile::tempdir().unwrap();
        let whole = table(folder.path(), &mut numbers);
        let table = Dataset::open(folder.path()).unwrap();
        for _ in 0..12 {
            let text = numbers.predicate(2);
            let predicate = (numbers.below(4) > 0).then(|| Predicate::parse(&text).unwrap());
            let (start, len) = (numbers.below(3000), numbers.below(5000));
            let range = if numbers.below(2) == 0 { 0..u64::MAX } else { start..start + len };
            let (offset, limit) =
                (numbers.one(&[0, 0, 7, 600]), numbers.one(&[u64::MAX, 1, 50, 2000]));
            let mut names = numbers.one(&[vec!["id"], vec!["year", "value"], vec!["city"], vec![]]);
            let mut scan = table
                .scan()
                .with_row_range(range.clone())
                .with_offset(offset)
                .with_limit(limit)
                .with_batch_size(numbers.one(&[1, 13, 100, 8192]))
                .with_parallelism(numbers.one(&[1, 1, 2, 5]));
            if numbers.below(3) > 0 {
                scan = scan.with_projection(names.clone());
            } else {
                names = vec!["id", "city", "year", "value"];
            }
            let mut expected = part(&whole, range.start, range.end - range.start);
            if let Some(predicate) = predicate {
                let kept = predicate.evaluate(&expected).unwrap();
                expected = filter_record_batch(&expected, &kept).unwrap();
                scan = scan.with_predicate(predicate);
            }
            let expected = part(&expected, offset, limit);
            let places = names.iter().map(|name| whole.schema().index_of(name).unwrap());
            let mut places: Vec<_> = places.collect();
            places.sort_unstable();
            assert_eq!(
                collect(scan.clone()),
                expected.project(&places).unwrap(),
                "{text} {scan:?}"
            );
            pruned += table.files().count() - scan.files().unwrap().len();
        }
    }
    assert!(pruned > 100, "{pruned}");
}

fn part(batch: &RecordBatch, offset: u64, limit: u64) -> RecordBatch {
    let rows = batch.num_rows() as u64;
    let offset = offset.min(rows);
    batch.slice(offset as usize, limit.min(rows - offset) as usize)
}
