//! Checks what a file claims before the library allocates or recurses for it.
//!
//! ```text
//! footer        schema: elements in depth-first order, each with the number of its children
//!               every list has the elements that it claims
//! page header   the size of the page before compression is within the limit
//! ```
//! Fields are known by their ids, whatever types they claim, as the library knows them.

use crate::thrift_protocol::compact::Compact;
use crate::thrift_protocol::wire_type::WireType;
use crate::thrift_protocol::{Decode, Head, skip};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The maximum nesting depth of groups: a list takes two.
const DEEPEST: usize = 256;

/// The depth at which the metadata is said to be: half of the levels that Thrift allows are left for what is skipped.
const DEPTH: usize = 32;

/// The fields of the footer, of an element of the schema, and of a page header that are checked.
const SCHEMA: i16 = 2;
const ENCRYPTION: i16 = 8;
const NUM_CHILDREN: i16 = 5;
const UNCOMPRESSED_PAGE_SIZE: i16 = 2;

/// Fails if the schema of a footer is nested too deep, a list has fewer elements than it claims, or columns are encrypted.
pub(super) fn check_footer(footer: &[u8]) -> Result<()> {
    let wrong = |e| Error::malformed(format!("parquet: the footer is malformed: {e}"));
    match depth(footer).map_err(wrong)? {
        None => Err(Error::unsupported("parquet: columns that are encrypted")),
        Some(deep) if deep > DEEPEST => Err(Error::unsupported(format!(
            "parquet: a schema nested more than {DEEPEST} levels deep"
        ))),
        Some(_) => Ok(()),
    }
}

/// Returns the depth of the schema of a footer; `None` if columns are encrypted.
fn depth(footer: &[u8]) -> Result<Option<usize>> {
    let (mut cursor, mut last, mut depth) = (Cursor::new(footer), 0, 0);
    while let Some(head) = Compact::head(&mut cursor, last)? {
        last = head.id;
        match head.id {
            SCHEMA => depth = depth.max(schema_depth(&mut cursor)?),
            ENCRYPTION => return Ok(None),
            _ => skip::<Compact>(&mut cursor, head, DEPTH)?,
        }
    }
    Ok(Some(depth))
}

/// Returns the depth of a list of elements of the schema.
fn schema_depth(cursor: &mut Cursor<'_>) -> Result<usize> {
    let (Some(item), count) = Compact::list(cursor)? else { return Ok(0) };
    // How many children of each group around the next element are still to come.
    let (mut open, mut deepest) = (Vec::new(), 0);
    for _ in 0..count {
        if let Some(children) = open.last_mut() {
            *children -= 1;
        }
        match item {
            WireType::Struct => open.push(children(cursor)?),
            item => skip::<Compact>(cursor, Head::of_item(item), DEPTH)?,
        }
        deepest = deepest.max(open.len());
        while open.last().is_some_and(|children| *children <= 0) {
            open.pop();
        }
    }
    Ok(deepest)
}

/// Returns how many children an element of the schema has.
fn children(cursor: &mut Cursor<'_>) -> Result<i64> {
    let (mut last, mut children) = (0, 0);
    while let Some(head) = Compact::head(cursor, last)? {
        last = head.id;
        match head.id {
            NUM_CHILDREN => children = Compact::int(cursor, WireType::I32)?,
            _ => skip::<Compact>(cursor, head, DEPTH)?,
        }
    }
    Ok(children)
}

/// Fails if a page claims more bytes than the limit. What is no page header is left to the library.
pub(super) fn check_page(header: &[u8], limit: usize) -> Result<()> {
    let (mut cursor, mut last) = (Cursor::new(header), 0);
    while let Ok(Some(head)) = Compact::head(&mut cursor, last) {
        last = head.id;
        if head.id != UNCOMPRESSED_PAGE_SIZE {
            match skip::<Compact>(&mut cursor, head, DEPTH) {
                Ok(()) => continue,
                Err(_) => break,
            }
        }
        // The library takes the low 32 bits of any number.
        let Ok(size) = cursor.long("the size of a page") else { break };
        if size.unsigned_abs() > limit as u64 {
            let what = "parquet: bytes of a page";
            return Err(Error::too_large(what, size.unsigned_abs(), limit as u64));
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
            assert_eq!(depth(&nested(groups)).unwrap(), Some(groups + 1));
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
