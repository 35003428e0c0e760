//! The journal file: new contents and removals.
//!
//! ```text
//! {"journal":BODY,"crc32":N}\n
//!            ╰─ {"rename":[["temporary name","relative path"],...],"remove":["relative path",...],
//!                "folders":["relative path",...]}
//!               N is the CRC-32 (of zlib) of the bytes of BODY, in decimal
//! ```

use serde_json::{Value, json};

use super::plain;
use trevni::{Error, Result};

/// The content of a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Names in the stage, and the paths that they become.
    pub(super) rename: Vec<(String, String)>,
    /// Paths of files and folders to remove.
    pub(super) remove: Vec<String>,
    /// Paths of folders that exist even if they are empty.
    pub(super) folders: Vec<String>,
}

impl Record {
    /// Parses a journal; `None` if it is incomplete, since then it was never valid.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>> {
        let Some(body) = checked_body(bytes) else { return Ok(None) };
        let value: Value =
            serde_json::from_str(body).map_err(|e| Error::malformed(format!("journal: {e}")))?;
        let rename = list(&value, "rename")?.iter().map(pair).collect::<Result<_>>()?;
        let remove = list(&value, "remove")?.iter().map(path).collect::<Result<_>>()?;
        let folders = list(&value, "folders")?.iter().map(path).collect::<Result<_>>()?;
        Ok(Some(Self { rename, remove, folders }))
    }

    /// Returns the bytes of the journal.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Self { rename, remove, folders } = self;
        let body = json!({"rename": rename, "remove": remove, "folders": folders}).to_string();
        let crc = crc32fast::hash(body.as_bytes());
        format!("{{\"journal\":{body},\"crc32\":{crc}}}\n").into_bytes()
    }
}

fn checked_body(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (body, crc) = text.strip_prefix("{\"journal\":")?.rsplit_once(",\"crc32\":")?;
    let crc: u32 = crc.strip_suffix("}\n")?.parse().ok()?;
    (crc32fast::hash(body.as_bytes()) == crc).then_some(body)
}

fn list<'a>(body: &'a Value, key: &str) -> Result<&'a [Value]> {
    let list = body.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| Error::malformed(format!("journal: no list {key:?}")))
}

fn pair(value: &Value) -> Result<(String, String)> {
    match value.as_array().map(Vec::as_slice) {
        Some([from, to]) => Ok((temporary(from)?, path(to)?)),
        _ => Err(Error::malformed(format!("journal: {value} is no pair of names"))),
    }
}

fn temporary(value: &Value) -> Result<String> {
    let is_ours = |c: char| c.is_ascii_hexdigit() || c == '-';
    match value.as_str() {
        Some(name) if !name.is_empty() && name.chars().all(is_ours) => Ok(name.to_owned()),
        _ => Err(Error::malformed(format!("journal: {value} is no temporary name"))),
    }
}

fn path(value: &Value) -> Result<String> {
    let text = value.as_str().ok_or_else(|| Error::malformed(format!("journal: {value}")))?;
    plain(text).map(str::to_owned)
}
