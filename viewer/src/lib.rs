//! The viewer as a WebAssembly module: a worker of the page calls it, and reads the file for it.
//!
//! ```text
//! worker.js ──► allocate, open, answer ──► Session
//!           ◄── read(slot, file, offset, pointer, length) ◄──  the bytes that an answer needs
//! ```
//! Texts are UTF-8 in the memory of the module. An answer stays where it is until the next call.

#![allow(unsafe_code, reason = "memory is shared with JavaScript by its addresses")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use trevni::io::ReadAt;
use trevni::{Error, Result};
use trevni_blosc::Files;
use trevni_convert::Source;
use trevni_viewer::{BytesRead, CountedSource, Session};

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Writes `len` bytes of a file from `offset` to `into`. Returns 0, or 1 if they cannot be read.
    fn read(slot: u32, file: usize, offset: f64, into: *mut u8, len: usize) -> u32;
}

/// There is no page to read for.
#[cfg(not(target_family = "wasm"))]
unsafe fn read(_: u32, _: usize, _: f64, _: *mut u8, _: usize) -> u32 {
    1
}

/// A file that the page has.
#[derive(Debug, Clone)]
struct PageFile {
    slot: u32,
    /// Which of the files of the slot.
    number: usize,
    len: u64,
}

impl ReadAt for PageFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        let mut buffer = vec![0; len];
        // SAFETY: the page writes no more than `len` bytes, which the buffer has.
        match unsafe { read(self.slot, self.number, offset as f64, buffer.as_mut_ptr(), len) } {
            0 => Ok(buffer.into()),
            _ => Err(io::Error::other("the page cannot read the file")),
        }
    }
}

/// The files of a folder that the page has, by their paths.
#[derive(Debug, Clone)]
struct PageFolder {
    files: Arc<BTreeMap<String, PageFile>>,
    read: BytesRead,
}

impl Files for PageFolder {
    fn open(&self, path: &str) -> Result<Option<Arc<dyn ReadAt>>> {
        let file = self.files.get(path).cloned();
        Ok(file.map(|file| -> Arc<dyn ReadAt> {
            Arc::new(CountedSource::with_count(file, self.read.clone()))
        }))
    }

    fn names(&self, folder: &str) -> Result<BTreeSet<String>> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let within =
            self.files.range(start.clone()..).map_while(|(path, _)| path.strip_prefix(&start));
        Ok(within.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect())
    }
}

/// What the page opens.
#[derive(Debug, Deserialize)]
struct Opened {
    name: String,
    /// The path below the folder, and the length; a file that is no folder has no path.
    files: Vec<(String, u64)>,
}

fn open_files(slot: u32, request: &str) -> Result<Session> {
    let opened = serde_json::from_str(request).map_err(|e| Error::invalid(e.to_string()));
    let Opened { name, files } = opened?;
    let files = files.into_iter().enumerate();
    let mut files: BTreeMap<_, _> =
        files.map(|(number, (path, len))| (path, PageFile { slot, number, len })).collect();
    if let Some(file) = files.remove("") {
        return Session::open(name, CountedSource::new(file));
    }
    let folder = PageFolder { files: Arc::new(files), read: BytesRead::default() };
    let (read, called) = (folder.read.clone(), name.clone());
    Session::open_source(name, read, move || Source::files(&called, folder.clone()))
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

/// Opens a file or a folder of the page, for a slot: 0 is what is shown, 1 what it is compared with. Returns how long
/// the answer is: empty, or an error.
///
/// # Safety
/// The request comes from `allocate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(slot: u32, request: *mut u8, len: usize) -> usize {
    // SAFETY: the caller's promise.
    let request = unsafe { take(request, len) };
    let (opened, answer) = match open_files(slot, &request) {
        Ok(session) => (Some(session), String::new()),
        Err(e) => (None, e.to_string()),
    };
    SESSION.with_borrow_mut(|session| match (slot, session) {
        (0, session) => *session = opened,
        (_, Some(session)) => session.set_other(opened),
        (_, None) => {}
    });
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
