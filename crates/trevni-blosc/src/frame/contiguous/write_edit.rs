//! Writes an edit of a contiguous frame, at its end or as a new file.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::fetch::Area;
use crate::frame::commit_step::step;
use crate::frame::edit::{Fate, FrameEdit};
use crate::frame::index::{Index, Slot};
use crate::frame::superchunk::SuperChunk;
use trevni::io::{AtomicFile, ReadAt};
use trevni::{Error, Result};

/// A header up to this size is overwritten in place: it is within one sector.
const SECTOR: usize = 512;

/// An edited frame with all positions, and the bytes around its chunks.
pub(super) struct Placed {
    /// Whether the file is rewritten, not extended.
    pub(super) rewritten: bool,
    pub(super) frame: SuperChunk,
    pub(super) lens: Vec<u32>,
    /// The header.
    head: Vec<u8>,
    /// The index and the trailer.
    tail: Vec<u8>,
}

impl Placed {
    pub(super) fn new(old: &SuperChunk, lens: &[u32], plan: &FrameEdit<'_>) -> Result<Self> {
        let lens = lens_of(lens, plan)?;
        let live: u64 = lens.iter().copied().map(u64::from).sum();
        let behind = old.header.frame_len - u64::from(old.header.header_len);
        let rewritten = must_rewrite(old, plan, live, behind + plan.written());
        let mut next = if rewritten { 0 } else { behind };
        let mut place = |len: u32| {
            let at = next;
            next += u64::from(len);
            Slot::At(at)
        };
        let index = Index::new(plan.fates.iter().zip(&lens).map(|(fate, len)| match fate {
            Fate::Special(kind) => Slot::Special(*kind),
            Fate::Stay(_, at) if !rewritten => Slot::At(*at),
            Fate::Stay(..) | Fate::Write(_) => place(*len),
        }));
        let mut header = plan.header.clone();
        header.cbytes = next;
        let mut tail = index.encode()?;
        plan.trailer.put(&mut tail)?;
        header.set_len(next + tail.len() as u64)?;
        let mut head = Vec::new();
        header.put(&mut head)?;
        let frame = SuperChunk::new(header, index, plan.sizes.clone(), plan.trailer.clone())?;
        Ok(Self { rewritten, frame, lens, head, tail })
    }
}

/// Returns the bytes of each chunk in the file, by its new number.
fn lens_of(old: &[u32], plan: &FrameEdit<'_>) -> Result<Vec<u32>> {
    let missing = || Error::invalid("a chunk of more than 4 GiB");
    let len = |fate: &Fate<'_>| match fate {
        Fate::Special(_) => Some(0),
        Fate::Stay(number, _) => old.get(usize::try_from(*number).ok()?).copied(),
        Fate::Write(bytes) => u32::try_from(bytes.len()).ok(),
    };
    plan.fates.iter().map(|fate| len(fate).ok_or_else(missing)).collect()
}

/// Returns whether the file cannot, or should not, be extended: C-Blosc2 expects the trailer of a frame without
/// bytes directly after the header; a header in two sectors could be torn by a crash; and holes should not take
/// half of the file.
fn must_rewrite(old: &SuperChunk, plan: &FrameEdit<'_>, live: u64, all: u64) -> bool {
    let len = plan.header.encoded_len();
    let in_place = len as u64 == u64::from(old.header.header_len) && len <= SECTOR;
    let empty = old.header.nbytes == 0 || plan.header.nbytes == 0;
    empty || !in_place || (all - live.min(all)) * 2 > all
}

pub(super) fn write_behind(
    path: &Path,
    old: &SuperChunk,
    placed: &Placed,
    plan: &FrameEdit<'_>,
) -> Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    step()?;
    file.seek(SeekFrom::Start(old.header.frame_len))?;
    for fate in &plan.fates {
        if let Fate::Write(bytes) = fate {
            step()?;
            file.write_all(bytes)?;
        }
    }
    step()?;
    file.write_all(&placed.tail)?;
    step()?;
    file.set_len(placed.frame.header.frame_len)?;
    step()?;
    file.sync_all()?;
    overwrite_header(&mut file, &placed.head).inspect_err(|_| {
        // What the old header leads to is all there: it may come back.
        let mut head = Vec::new();
        let _ = old.header.put(&mut head).and_then(|()| overwrite_header(&mut file, &head));
    })
}

fn overwrite_header(file: &mut File, head: &[u8]) -> Result<()> {
    step()?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(head)?;
    step()?;
    Ok(file.sync_all()?)
}

pub(super) fn write_anew(
    path: &Path,
    source: &impl ReadAt,
    old: &SuperChunk,
    placed: &Placed,
    plan: &FrameEdit<'_>,
) -> Result<()> {
    let area = Area::of(&old.header);
    step()?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&placed.head)?;
    for (fate, len) in plan.fates.iter().zip(&placed.lens) {
        step()?;
        match fate {
            Fate::Special(_) => {}
            Fate::Stay(_, at) => file.write_all(&area.read(source, *at, (*len).into())?)?,
            Fate::Write(bytes) => file.write_all(bytes)?,
        }
    }
    step()?;
    file.write_all(&placed.tail)?;
    step()?;
    Ok(file.commit()?)
}
