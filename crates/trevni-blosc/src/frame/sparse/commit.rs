//! Commits an edit of a sparse frame: new chunks, then the index, then removal of old chunks.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::{INDEX_KEY, Keys, chunk_key};
use crate::chunk::Header;
use crate::frame::commit_step::step;
use crate::frame::edit::{Fate, FrameEdit};
use crate::frame::index::{Index, Slot};
use crate::frame::special::HEADER;
use crate::frame::superchunk::SuperChunk;
use trevni::io::AtomicFile;
use trevni::{Error, Result};

/// Commits an edit. Returns the new frame.
pub(super) fn make(
    directory: &Path,
    keys: &dyn Keys,
    old: &SuperChunk,
    plan: &FrameEdit<'_>,
) -> Result<SuperChunk> {
    let before = ids(&old.index);
    let stay: BTreeSet<u64> = plan.fates.iter().filter_map(stays_at).collect();
    let gone: Vec<u64> = before.difference(&stay).copied().collect();
    let freed = gone.iter().map(|id| size(keys, *id)).sum::<Result<u64>>()?;
    let cbytes = old.header.cbytes.saturating_sub(freed) + plan.written();
    let new = new_ids(&before, plan, cbytes)?;
    let frame = frame(plan, &new, cbytes)?;
    let mut index = Vec::new();
    frame.header.put(&mut index)?;
    index.extend(frame.index.encode()?);
    frame.trailer.put(&mut index)?;
    write(directory, plan, &new, &index)?;
    remove(directory, &gone);
    Ok(frame)
}

fn ids(index: &Index) -> BTreeSet<u64> {
    let id = |slot| match slot {
        Slot::At(id) => Some(id),
        Slot::Special(_) => None,
    };
    index.slots().filter_map(id).collect()
}

fn stays_at(fate: &Fate<'_>) -> Option<u64> {
    match fate {
        Fate::Stay(_, id) => Some(*id),
        Fate::Special(_) | Fate::Write(_) => None,
    }
}

fn size(keys: &dyn Keys, id: u64) -> Result<u64> {
    let key = chunk_key(id).unwrap_or_default();
    Ok(Header::parse(&keys.get_start(&key, HEADER)?)?.cbytes.into())
}

/// Returns numbers for the new chunks that the old index does not name: those after the highest. C-Blosc2
/// interprets them as offsets when it opens a frame, and refuses those that exceed the size of all chunks; the
/// lowest free ones are used then.
fn new_ids(before: &BTreeSet<u64>, plan: &FrameEdit<'_>, cbytes: u64) -> Result<Vec<u64>> {
    let count = plan.fates.iter().filter(|fate| matches!(fate, Fate::Write(_))).count();
    let start = before.last().map_or(0, |id| id + 1);
    let most = cbytes.saturating_sub(HEADER as u64).min(u32::MAX.into());
    let behind: Vec<u64> = (start..).take(count).collect();
    if behind.last().is_none_or(|last| *last <= most) {
        return Ok(behind);
    }
    let free: Vec<u64> = (0..).filter(|id| !before.contains(id)).take(count).collect();
    match free.last().is_none_or(|last| *last <= u32::MAX.into()) {
        true => Ok(free),
        false => Err(Error::invalid("a sparse frame has no more numbers for chunks")),
    }
}

fn frame(plan: &FrameEdit<'_>, new: &[u64], cbytes: u64) -> Result<SuperChunk> {
    let mut new = new.iter().copied();
    let slots = plan.fates.iter().map(|fate| match fate {
        Fate::Special(kind) => Slot::Special(*kind),
        Fate::Stay(_, id) => Slot::At(*id),
        Fate::Write(_) => Slot::At(new.next().unwrap_or_default()),
    });
    let index = Index::new(slots);
    let mut tail = index.encode()?;
    plan.trailer.put(&mut tail)?;
    let mut header = plan.header.clone();
    header.cbytes = cbytes;
    header.set_len(tail.len() as u64)?;
    SuperChunk::new(header, index, plan.sizes.clone(), plan.trailer.clone())
}

fn write(directory: &Path, plan: &FrameEdit<'_>, new: &[u64], index: &[u8]) -> Result<()> {
    let chunks = plan.fates.iter().filter_map(|fate| match fate {
        Fate::Write(bytes) => Some(bytes),
        Fate::Special(_) | Fate::Stay(..) => None,
    });
    for (id, bytes) in new.iter().zip(chunks) {
        write_chunk(directory, *id, bytes)?;
    }
    step()?;
    sync_directory(directory)?;
    step()?;
    let mut file = AtomicFile::create(directory.join(INDEX_KEY))?;
    file.write_all(index)?;
    step()?;
    Ok(file.commit()?)
}

/// Writes the file of a chunk that no index names yet, so that readers never see a partial one.
pub(in super::super) fn write_chunk(directory: &Path, id: u64, bytes: &[u8]) -> Result<()> {
    step()?;
    let mut file = File::create(directory.join(chunk_key(id).unwrap_or_default()))?;
    step()?;
    file.write_all(bytes)?;
    step()?;
    Ok(file.sync_all()?)
}

/// Files that cannot be removed do no harm: no index names them.
fn remove(directory: &Path, ids: &[u64]) {
    for key in ids.iter().filter_map(|id| chunk_key(*id)) {
        if step().is_ok() {
            let _ = std::fs::remove_file(directory.join(key));
        }
    }
}

/// Makes the names of files durable.
#[cfg(unix)]
pub(in super::super) fn sync_directory(directory: &Path) -> Result<()> {
    Ok(File::open(directory)?.sync_all()?)
}

/// Makes the names of files durable.
#[cfg(not(unix))]
pub(in super::super) fn sync_directory(_: &Path) -> Result<()> {
    Ok(())
}
