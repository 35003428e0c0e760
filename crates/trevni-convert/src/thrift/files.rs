//! Loads an IDL file and the files that it includes.
//!
//! ```text
//! row.thrift ──► shared.thrift ──► units.thrift       a name is looked up in its own file, and as
//!            └─► units.thrift                         shared.Point in a file that this one includes
//! ```

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::idl::{Definition, Document};
use trevni::{Error, Result};

/// More bytes of IDL, or more files, than this are refused.
const MOST_BYTES: u64 = 16 << 20;
const MOST_FILES: usize = 1000;
/// Files that include one another, at most.
const DEEPEST: usize = 64;

/// The files by number; the requested one is last.
#[derive(Debug, Default)]
pub(super) struct Files(Vec<Included>);

#[derive(Debug)]
struct Included {
    /// What the file is called in errors.
    name: String,
    document: Document,
    /// By the name before the dot, the number of a file.
    includes: HashMap<String, usize>,
}

/// A definition, the number of its file, and its name there.
pub(super) type LocatedDefinition<'a> = (usize, &'a str, &'a Definition);

impl Files {
    /// Returns the file of a text that includes no others.
    pub(super) fn of_text(text: &str) -> Result<Self> {
        if text.len() as u64 > MOST_BYTES {
            return Err(Error::too_large("an IDL", text.len() as u64, MOST_BYTES));
        }
        let name = "IDL".to_owned();
        let document = Document::parse(&name, text)?;
        if let Some(include) = document.includes.first() {
            let what = format!("IDL, line {}: {:?} is included", include.line, include.path);
            return Err(Error::invalid(format!("{what}, but a text without a path has no others")));
        }
        Ok(Self(vec![Included { name, document, includes: HashMap::new() }]))
    }

    /// Returns a file, and those that it includes.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let mut loading = Loading { left: MOST_BYTES, ..Loading::default() };
        loading.load(path)?;
        Ok(loading.files)
    }

    /// Returns the number of the requested file.
    pub(super) fn first(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// Returns what a file is called.
    pub(super) fn name(&self, file: usize) -> &str {
        self.0.get(file).map_or("IDL", |included| &included.name)
    }

    /// Returns the structs of a file.
    pub(super) fn structs(&self, file: usize) -> &[String] {
        self.0.get(file).map_or(&[], |included| &included.document.structs)
    }

    /// Returns the definition of a name in a file.
    pub(super) fn find(&self, file: usize, name: &str) -> Option<LocatedDefinition<'_>> {
        let from = self.0.get(file)?;
        if let Some((name, found)) = from.document.definitions.get_key_value(name) {
            return Some((file, name, found));
        }
        let (of, name) = name.rsplit_once('.')?;
        let file = *from.includes.get(of)?;
        let (name, found) = self.0.get(file)?.document.definitions.get_key_value(name)?;
        Some((file, name, found))
    }
}

#[derive(Debug, Default)]
struct Loading {
    files: Files,
    /// The loaded files, by path.
    known: HashMap<PathBuf, usize>,
    /// Those being loaded, the outermost first.
    open: Vec<PathBuf>,
    left: u64,
}

impl Loading {
    fn load(&mut self, path: &Path) -> Result<usize> {
        let path = std::fs::canonicalize(path).map_err(|e| unreadable(path, &e))?;
        if let Some(number) = self.known.get(&path) {
            return Ok(*number);
        }
        if let Some(from) = self.open.iter().position(|open| *open == path) {
            return Err(self.circle(from));
        }
        if self.open.len() >= DEEPEST || self.files.0.len() >= MOST_FILES {
            let what = format!("more than {MOST_FILES} files are included, or {DEEPEST} in a row");
            return Err(Error::unsupported(what));
        }
        let text = self.read(&path)?;
        let name = file_name(&path);
        let document = Document::parse(&name, &text)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        self.open.push(path.clone());
        let mut includes = HashMap::new();
        for include in &document.includes {
            let number = self.load(&folder.join(&include.path))?;
            let stem = Path::new(&include.path).file_stem().unwrap_or_default();
            let stem = stem.to_string_lossy().into_owned();
            if includes.insert(stem.clone(), number).is_some_and(|other| other != number) {
                let line = include.line;
                let what = format!("{name}, line {line}: two files are included as {stem:?}");
                return Err(Error::malformed(what));
            }
        }
        self.open.pop();
        self.files.0.push(Included { name, document, includes });
        let number = self.files.first();
        self.known.insert(path, number);
        Ok(number)
    }

    fn read(&mut self, path: &Path) -> Result<String> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|e| unreadable(path, &e))?;
        file.take(self.left + 1).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
        let size = bytes.len() as u64;
        self.left = match self.left.checked_sub(size) {
            Some(left) => left,
            None => return Err(Error::too_large("an IDL", MOST_BYTES + 1, MOST_BYTES)),
        };
        String::from_utf8(bytes)
            .map_err(|_| Error::malformed(format!("{}: not UTF-8", file_name(path))))
    }

    /// Returns the error of files that include each other.
    fn circle(&self, from: usize) -> Error {
        let mut names: Vec<_> = self.open.iter().skip(from).map(|path| file_name(path)).collect();
        names.extend(names.first().cloned());
        Error::malformed(format!("files include each other: {}", names.join(" > ")))
    }
}

fn unreadable(path: &Path, e: &std::io::Error) -> Error {
    Error::invalid(format!("{}: {e}", path.display()))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
