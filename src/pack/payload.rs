//! Writes the payload of a packed block.
//!
//! ```text
//! bytes     kind │ long │ n bytes, some of them often │ kind │ rows of packed bits, all alike often │ ...
//! seams                 ↑                             ↑                                             ↑
//! ```
//! zstd learns how often each byte comes once for each of its blocks: so a block of it ends at a seam.

use std::ops::{Deref, DerefMut};

/// Pieces between seams have no fewer bytes.
const LEAST: usize = 512;

/// Bytes that are appended, and taken back where another form takes less.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    bytes: Vec<u8>,
    for_zstd: bool,
    seams: Vec<Seam>,
}

#[derive(Debug, Clone, Copy)]
struct Seam {
    at: usize,
    /// About how many of the bytes before it zstd saves.
    saved: usize,
}

impl Payload {
    /// Creates a payload that appends to `bytes`. With `for_zstd`, numbers are laid out to compress well.
    pub(crate) fn new(bytes: Vec<u8>, for_zstd: bool) -> Self {
        Self { bytes, for_zstd, seams: Vec::new() }
    }

    pub(super) fn is_for_zstd(&self) -> bool {
        self.for_zstd
    }

    /// Marks the end of a section; what follows compresses differently.
    pub(super) fn seam(&mut self) {
        self.seam_after(0);
    }

    /// Marks the end of a section of which zstd saves about this many bytes.
    pub(super) fn seam_after(&mut self, saved: usize) {
        if self.for_zstd {
            self.seams.push(Seam { at: self.bytes.len(), saved });
        }
    }

    /// About how many bytes zstd leaves of those from `start` on; without it, how many there are.
    pub(super) fn size_from(&self, start: usize) -> usize {
        let behind = self.seams.iter().rev().take_while(|seam| seam.at > start);
        (self.bytes.len() - start).saturating_sub(behind.map(|seam| seam.saved).sum())
    }

    /// Takes back all from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        self.seams.retain(|seam| seam.at <= len);
    }

    /// Removes and returns everything from `at`.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let bytes = self.bytes.split_off(at);
        let behind = self.seams.partition_point(|seam| seam.at <= at);
        let seams = self.seams.split_off(behind).into_iter();
        let seams = seams.map(|seam| Seam { at: seam.at - at, ..seam }).collect();
        Self { bytes, for_zstd: self.for_zstd, seams }
    }

    /// Appends a removed part.
    pub(super) fn append(&mut self, other: &Self) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.seams.extend(other.seams.iter().map(|seam| Seam { at: start + seam.at, ..*seam }));
    }

    /// Returns the bytes from `start` on, cut at seams.
    pub(crate) fn pieces(&self, start: usize) -> Vec<&[u8]> {
        let mut rest = self.bytes.get(start..).unwrap_or_default();
        let mut pieces = Vec::new();
        let mut at = start;
        for seam in &self.seams {
            let piece = seam.at.saturating_sub(at);
            if piece >= LEAST
                && let Some((first, behind)) = rest.split_at_checked(piece)
            {
                pieces.push(first);
                (rest, at) = (behind, seam.at);
            }
        }
        match pieces.last() {
            Some(_) if rest.is_empty() => {}
            _ => pieces.push(rest),
        }
        pieces
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Deref for Payload {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Payload {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_bytes_and_seams_go_where_their_bytes_go() {
        let mut payload = Payload::new(vec![1], true);
        payload.extend([2; 700]);
        payload.seam();
        payload.extend([3; 100]);
        payload.seam();
        payload.extend([4; 600]);
        payload.seam();
        let sizes =
            |payload: &Payload| payload.pieces(1).iter().map(|p| p.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&payload), [700, 700]);
        assert_eq!(payload.pieces(1).concat(), payload[1..]);
        let tail = payload.split_off(701);
        assert_eq!((sizes(&payload), payload.len(), tail.len()), (vec![700], 701, 700));
        payload.append(&tail);
        assert_eq!(sizes(&payload), [700, 700]);
        payload.truncate(750);
        assert_eq!(sizes(&payload), [700, 49]);
        payload.truncate(1);
        assert_eq!(payload.pieces(1), [&[] as &[u8]]);
    }
}
