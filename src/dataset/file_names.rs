//! The names of the files of a data set.
//!
//! ```text
//! year=2026/part-019a7c2be0f1 c0ffee0123456789abcd.trv     without the blank: milliseconds since 1970, chance
//! _commits/00000000000000000007.trv                        names that begin with _ or . are no rows
//! ```

use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{Error, Result};

/// The folder of commits.
pub(super) const COMMITS: &str = "_commits";

/// How files of rows end.
pub(super) const ENDING: &str = ".trv";

/// Digits of a commit's number.
const DIGITS: usize = 20;

/// Returns 128 bits as hexadecimal digits: the time and 80 random bits, so that they are unique.
pub(super) fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    // The standard library's own keys come from the system.
    let chance = || RandomState::new().hash_one(now);
    let (high, low) = (chance() & 0xffff, chance());
    format!("{:012x}{high:04x}{low:016x}", now & 0xffff_ffff_ffff)
}

/// Returns the name of a new file in a folder.
pub(super) fn new_file(folder: &str) -> String {
    let name = format!("part-{}{ENDING}", unique());
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}

/// Returns the path of a commit.
pub(super) fn commit(number: u64) -> String {
    format!("{COMMITS}/{number:0DIGITS$}{ENDING}")
}

/// Returns the number of the commit of this file name.
pub(super) fn commit_number(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(ENDING)?;
    let plain = digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Returns whether a file of this path has rows of a data set without commits.
pub(super) fn is_visible(path: &str) -> bool {
    path.ends_with(ENDING) && !path.split('/').any(is_hidden)
}

/// Returns whether files and folders of this name are passed over.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with(['_', '.'])
}

/// Refuses a path that leads out of the data set, or is none at all.
pub(super) fn check(path: &str) -> Result<()> {
    let wrong = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
    let mut parts = std::path::Path::new(path).components();
    let plain = parts.all(|part| matches!(part, std::path::Component::Normal(_)));
    match plain && !path.split('/').any(wrong) {
        true => Ok(()),
        false => Err(Error::malformed(format!("{path:?} is no path within a data set"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_are_all_different() {
        let names: std::collections::HashSet<_> = (0..10_000).map(|_| new_file("a=1")).collect();
        assert_eq!(names.len(), 10_000);
        let name = names.iter().next().unwrap();
        assert!(
            name.starts_with("a=1/part-0") && name.len() == "a=1/part-.trv".len() + 32,
            "{name}"
        );
        assert!(is_visible(name) && check(name).is_ok());
        assert!(new_file("").starts_with("part-"));
    }

    #[test]
    fn commits_have_twenty_digits() {
        assert_eq!(commit(7), "_commits/00000000000000000007.trv");
        assert_eq!(commit_number("00000000000000000007.trv"), Some(7));
        assert_eq!(commit_number("18446744073709551615.trv"), Some(u64::MAX));
        for other in ["7.trv", "99999999999999999999.trv", "+0000000000000000007.trv", "0"] {
            assert_eq!(commit_number(other), None, "{other}");
        }
    }

    #[test]
    fn hidden_files_have_no_rows() {
        for path in ["a.trv", "x=1/y=2/a.trv", "deep/er/a.trv"] {
            assert!(is_visible(path), "{path}");
        }
        for path in ["a.csv", ".a.trv", "_commits/a.trv", "x/_y/a.trv", "x/.y/a.trv"] {
            assert!(!is_visible(path), "{path}");
        }
    }

    #[test]
    fn paths_stay_within() {
        for path in ["", "/a", "../a", "a/../b", "a//b", "./a", "a/.", "a\\b", "a\0", "a/"] {
            assert!(check(path).is_err(), "{path:?}");
        }
        check("city=Ulm%20b/a b.trv").unwrap();
    }
}
