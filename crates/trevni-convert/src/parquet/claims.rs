//! Checks what a file claims before the library allocates or recurses for it.
//!
//! ```text
//! footer        schema: elements in depth-first order, each with the number of its children
//!               every list has the elements that it claims
//! page header   the size of the page before compression is within the limit
//! ```

use super::compact::{Compact, I32, LIST, STRUCT};
use trevni::{Error, Result};

/// The maximum nesting depth of groups: a list takes two.
const DEEPEST: usize = 256;

/// The fields of the footer, of an element of the schema, and of a page header that are checked.
const SCHEMA: i64 = 2;
const NUM_CHILDREN: i64 = 5;
const UNCOMPRESSED_PAGE_SIZE: i64 = 2;

/// Fails if the schema of a footer is nested too deep, or a list has fewer elements than it claims.
pub(super) fn check_footer(footer: &[u8]) -> Result<()> {
    let wrong = || Error::malformed("parquet: the footer is malformed");
    match depth(footer).ok_or_else(wrong)? {
        deep if deep > DEEPEST => Err(Error::unsupported(format!(
            "parquet: a schema nested more than {DEEPEST} levels deep"
        ))),
        _ => Ok(()),
    }
}

/// Returns the depth of the schema of a footer.
fn depth(footer: &[u8]) -> Option<usize> {
    let (mut compact, mut last, mut deepest) = (Compact(footer), 0, 0);
    while let Some((id, kind)) = compact.field(&mut last)? {
        if (id, kind) != (SCHEMA, LIST) {
            compact.skip(kind)?;
            continue;
        }
        // How many children of each group around the next element are still to come.
        let mut open: Vec<i64> = Vec::new();
        let (length, kind) = compact.list()?;
        for _ in 0..length {
            if let Some(children) = open.last_mut() {
                *children -= 1;
            }
            match kind {
                STRUCT => open.push(children(&mut compact)?),
                kind => compact.skip_element(kind)?,
            }
            deepest = deepest.max(open.len());
            while open.last().is_some_and(|children| *children <= 0) {
                open.pop();
            }
        }
    }
    Some(deepest)
}

/// Returns how many children an element of the schema has.
fn children(compact: &mut Compact<'_>) -> Option<i64> {
    let (mut last, mut children) = (0, 0);
    while let Some((id, kind)) = compact.field(&mut last)? {
        match (id, kind) {
            (NUM_CHILDREN, I32) => children = compact.integer()?,
            (_, kind) => compact.skip(kind)?,
        }
    }
    Some(children)
}

/// Fails if a page claims more bytes than the limit. What is no page header is left to the library.
pub(super) fn check_page(header: &[u8], limit: usize) -> Result<()> {
    let (mut compact, mut last) = (Compact(header), 0);
    while let Some(Some((id, kind))) = compact.field(&mut last) {
        if (id, kind) == (UNCOMPRESSED_PAGE_SIZE, I32) {
            let size = compact.integer().and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
            if size > limit as u64 {
                return Err(Error::too_large("parquet: bytes of a page", size, limit as u64));
            }
        } else if compact.skip(kind).is_none() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a footer whose schema is this many groups in each other, around a column.
    fn nested(groups: usize) -> Vec<u8> {
        let mut footer = vec![0x15, 2, 0x19, 0xfc];
        let mut count = groups + 1;
        while count >= 0x80 {
            footer.push(count.to_le_bytes()[0] | 0x80);
            count >>= 7;
        }
        footer.push(count.to_le_bytes()[0]);
        (0..groups).for_each(|_| footer.extend([0x48, 1, b'g', 0x15, 2, 0]));
        footer.extend([0x15, 2, 0x38, 1, b'c', 0, 0x16, 0, 0]);
        footer
    }

    #[test]
    fn schemas_have_a_deepest_level() {
        for groups in [1, 2, 100, DEEPEST - 1] {
            assert_eq!(depth(&nested(groups)), Some(groups + 1));
            check_footer(&nested(groups)).unwrap();
        }
        for groups in [DEEPEST, 100_000] {
            let e = check_footer(&nested(groups)).unwrap_err().to_string();
            assert!(e.contains("256 levels"), "{e}");
        }
        let whole = nested(3);
        for end in 0..whole.len() {
            assert!(check_footer(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn pages_have_a_largest_size() {
        // A data page of 300 bytes before compression.
        let header = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 20, 0x00];
        check_page(&header, 300).unwrap();
        assert!(check_page(&header, 299).unwrap_err().to_string().contains("bytes of a page"));
        check_page(&[0xff; 20], 1).unwrap();
    }
}
