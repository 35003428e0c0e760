//! Files on a disk, whose pages the system has dropped from its cache: opened and read, whole, one column, a few rows.
//!
//! Linux drops the clean pages of a file on `POSIX_FADV_DONTNEED`. Where it does not, as on a file system in memory, the times
//! are those of warm files.

use std::collections::BTreeMap;
use std::fs::File as Disk;
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use rustix::fs::{Advice, fadvise};

use crate::Result;
use crate::formats::{Config, File, Wanted};
use crate::race::Outcome;
use crate::tables::Table;

const ROUNDS: usize = 5;

/// Measures how long the bytes of each file take from a disk and from memory to batches.
pub fn run(
    name: &str,
    table: &Table,
    configs: &[&'static Config],
    folder: &Path,
) -> Result<Vec<Outcome>> {
    std::fs::create_dir_all(folder)?;
    let mut outcomes = Vec::new();
    for config in configs {
        let mut format = (config.start)()?;
        format.prepare(&table.schema, &table.batches)?;
        let bytes = format.write(&table.schema, &table.batches)?;
        let path = folder.join("cold.tmp");
        std::fs::write(&path, &bytes)?;
        Disk::open(&path)?.sync_all()?;
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            drop_pages(&path)?;
            let start = Instant::now();
            let bytes = Bytes::from(std::fs::read(&path)?);
            let file = File { bytes, schema: table.schema.clone() };
            let mut rows = 0;
            format.open(&file, Wanted::All)?(&mut |batch| {
                rows += batch.num_rows();
                Ok(())
            })?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            if rows != table.rows {
                return Err(format!("{}: {rows} rows came of {}", config.name, table.rows).into());
            }
        }
        std::fs::remove_file(&path)?;
        times.sort_by(f64::total_cmp);
        let times = [times[ROUNDS / 2], times[1], times[ROUNDS - 2]];
        outcomes.push(Outcome {
            table: name.to_owned(),
            rows: table.rows,
            columns: table.schema.fields().len(),
            config: config.name,
            size_mb: bytes.len() as f64 / 1e6,
            times: BTreeMap::from([("cold", times)]),
            rounds: ROUNDS,
        });
    }
    Ok(outcomes)
}

fn drop_pages(path: &Path) -> Result<()> {
    Ok(fadvise(Disk::open(path)?, 0, None, Advice::DontNeed)?)
}
