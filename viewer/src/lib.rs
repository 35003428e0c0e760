//! The viewer as a WebAssembly module: a worker of the page calls it, and reads the file for it.
//!
//! ```text
//! worker.js ──► allocate, open, answer ──► Session
//!           ◄── read(offset, pointer, length) ◄──  the bytes that an answer needs
//! ```
//! Texts are UTF-8 in the memory of the module. An answer stays where it is until the next call.

#![allow(unsafe_code, reason = "memory is shared with JavaScript by its addresses")]

use std::cell::RefCell;
use std::io;

use bytes::Bytes;
use trevni::io::ReadAt;
use trevni_viewer::{CountedSource, Session};

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Writes `len` bytes of the file from `offset` to `into`. Returns 0, or 1 if they cannot be read.
    fn read(offset: f64, into: *mut u8, len: usize) -> u32;
}

/// There is no page to read for.
#[cfg(not(target_family = "wasm"))]
unsafe fn read(_: f64, _: *mut u8, _: usize) -> u32 {
    1
}

/// The file that the page has.
struct PageFile {
    len: u64,
}

impl ReadAt for PageFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        let mut buffer = vec![0; len];
        // SAFETY: the page writes no more than `len` bytes, which the buffer has.
        match unsafe { read(offset as f64, buffer.as_mut_ptr(), len) } {
            0 => Ok(buffer.into()),
            _ => Err(io::Error::other("the page cannot read the file")),
        }
    }
}

/// Returns memory for a text of the page, which `open` and `answer` free.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// Takes back a text.
///
/// # Safety
/// The address and the length are those of a call of `allocate`, after which this was not called.
unsafe fn take(text: *mut u8, len: usize) -> String {
    // SAFETY: as above.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text, len)) };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Opens the file of the page, of `len` bytes. Returns how long the answer is: empty, or an error.
///
/// # Safety
/// The name comes from `allocate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(name: *mut u8, name_len: usize, len: f64) -> usize {
    // SAFETY: the caller's promise.
    let name = unsafe { take(name, name_len) };
    let opened = Session::try_new(name, CountedSource::new(PageFile { len: len as u64 }));
    let (session, answer) = match opened {
        Ok(session) => (Some(session), String::new()),
        Err(e) => (None, e.to_string()),
    };
    SESSION.with(|kept| kept.replace(session));
    keep(answer)
}

/// Answers a request. Returns how long the answer is.
///
/// # Safety
/// The request comes from `allocate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(request: *mut u8, len: usize) -> usize {
    // SAFETY: the caller's promise.
    let request = unsafe { take(request, len) };
    let answer = SESSION.with_borrow(|session| {
        session.as_ref().map_or_else(String::new, |session| session.answer(&request))
    });
    keep(answer)
}

/// Returns where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_address() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

fn keep(answer: String) -> usize {
    ANSWER.with(|kept| {
        let len = answer.len();
        kept.replace(answer);
        len
    })
}
