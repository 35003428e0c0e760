//! String views and the buffers that they point into.
//!
//! ```text
//! views     length │ the bytes themselves, to 12            buffers   0: bytes of one block
//!           length │ first 4 │ buffer │ offset                        1: bytes of the next ...
//! ```

use std::borrow::Cow;

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::kernel::{self, Level};

/// Views of strings, each of 16 bytes, with the buffers of those that are longer than 12 bytes.
///
/// Only decoding creates them, so every view is within its buffer, and it is known whether all are UTF-8.
#[derive(Debug, Clone)]
pub struct Views {
    pub(crate) views: Vec<u128>,
    pub(crate) buffers: Vec<ViewBuffer>,
    /// Whether some might not be UTF-8.
    pub(crate) bytes: bool,
    /// Memory for the next buffer.
    pub(crate) spare: Vec<u8>,
    /// The bytes of buffers that were made for these views, and how many they may be.
    own: usize,
    limit: usize,
}

impl Default for Views {
    fn default() -> Self {
        let (views, buffers, spare) = (Vec::new(), Vec::new(), Vec::new());
        Self { views, buffers, bytes: false, spare, own: 0, limit: usize::MAX }
    }
}

/// The bytes that views point into.
#[derive(Debug, Clone)]
pub enum ViewBuffer {
    /// Part of the file, or of a dictionary.
    Shared(Bytes),
    /// Made for these views.
    Own(Vec<u8>),
}

impl Views {
    /// Creates an empty vector of views in reused memory.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(mut memory: Vec<u128>, mut spare: Vec<u8>) -> Self {
        memory.clear();
        spare.clear();
        Self { views: memory, spare, ..Self::default() }
    }

    /// Returns the bytes of the buffers that were made for these views.
    pub(crate) fn own_bytes(&self) -> usize {
        self.own
    }

    /// Limits the bytes of buffers that are made to `more` than there are.
    pub(crate) fn set_room(&mut self, more: usize) {
        self.limit = self.own.saturating_add(more);
    }

    /// Returns the bytes that buffers may still take.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.own)
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Returns whether there are no views.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Returns whether each is known to be UTF-8.
    pub fn is_text(&self) -> bool {
        !self.bytes
    }

    /// Returns the `i`th string.
    pub fn get(&self, i: usize) -> Option<Cow<'_, [u8]>> {
        let view = self.views.get(i)?;
        let word =
            |at: usize| u32::try_from(view >> at & u128::from(u32::MAX)).unwrap_or(0) as usize;
        let length = word(0);
        if length <= kernel::INLINE {
            return view.to_le_bytes().get(4..4 + length).map(|bytes| bytes.to_vec().into());
        }
        let bytes = match self.buffers.get(word(64))? {
            ViewBuffer::Shared(bytes) => &bytes[..],
            ViewBuffer::Own(bytes) => &bytes[..],
        };
        bytes.get(word(96)..word(96) + length).map(Cow::Borrowed)
    }

    /// Returns the views and the buffers.
    pub fn into_parts(self) -> (Vec<u128>, Vec<ViewBuffer>) {
        (self.views, self.buffers)
    }

    /// Adds a buffer, if there is one that views need. Returns its number.
    pub(crate) fn share(&mut self, data: Option<Bytes>) -> Result<u32> {
        data.map_or(Ok(0), |data| self.add(ViewBuffer::Shared(data)))
    }

    pub(crate) fn add(&mut self, buffer: ViewBuffer) -> Result<u32> {
        let number = self.next_buffer();
        if let ViewBuffer::Own(bytes) = &buffer {
            self.own = self.own.saturating_add(bytes.len());
        }
        self.buffers.push(buffer);
        number
    }

    /// Returns the number of the buffer that is added next.
    pub(crate) fn next_buffer(&self) -> Result<u32> {
        let number = u32::try_from(self.buffers.len());
        number.map_err(|_| Error::too_large("buffers of views", u64::MAX, u64::from(u32::MAX)))
    }

    /// Moves the views from `start` on to where bits are set, from bit `at` on; where they are not, views are empty.
    pub(crate) fn spread(&mut self, start: usize, bits: &[u8], at: usize, n: usize) {
        let dense = self.views.split_off(start);
        let mut next = dense.iter();
        kernel::bitmap::for_each_run(bits, at, n, |valid, count| match valid {
            true => self.views.extend(next.by_ref().take(count)),
            false => self.views.extend(std::iter::repeat_n(0, count)),
        });
    }

    /// Appends a view of each string between offsets into `data`, from 0 on. With `text` they are known to be UTF-8.
    pub(crate) fn extend(&mut self, offsets: &[i32], data: Vec<u8>, text: bool) -> Result<()> {
        self.bytes |= !text;
        let number = self.add(ViewBuffer::Own(data))?;
        if let Some(ViewBuffer::Own(data)) = self.buffers.last() {
            kernel::string::offsets_to_views(
                Level::in_use(),
                offsets,
                data,
                number,
                &mut self.views,
            );
        }
        Ok(())
    }

    /// Appends the view of a string; a long one gets a buffer.
    pub(crate) fn push(&mut self, string: &[u8]) -> Result<()> {
        let length = u32::try_from(string.len()).unwrap_or(u32::MAX);
        let long = string.len() > kernel::INLINE;
        let buffer = if long { self.add(ViewBuffer::Own(string.to_vec()))? } else { 0 };
        self.bytes |= std::str::from_utf8(string).is_err();
        self.views.push(kernel::string::view(0, length, string, buffer));
        Ok(())
    }

    /// Returns how many buffers there are.
    pub(crate) fn buffers(&self) -> usize {
        self.buffers.len()
    }

    /// Forgets all buffers but the first `n`.
    pub(crate) fn truncate_buffers(&mut self, n: usize) {
        self.buffers.truncate(n);
        let own = |buffer: &ViewBuffer| match buffer {
            ViewBuffer::Own(bytes) => bytes.len(),
            ViewBuffer::Shared(_) => 0,
        };
        self.own = self.buffers.iter().map(own).sum();
    }

    /// Forgets all but the first `n`.
    pub(crate) fn truncate(&mut self, n: usize) {
        self.views.truncate(n);
    }
}
