//! Detects bytes that are all equal.

/// Returns the byte that all of `bytes` are.
pub(crate) fn run(bytes: &[u8]) -> Option<u8> {
    let byte = *bytes.first()?;
    let (strides, rest) = bytes.as_chunks::<32>();
    let is_run = strides.iter().all(|stride| *stride == [byte; 32]);
    (is_run && rest.iter().all(|other| *other == byte)).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_runs() {
        for len in 1..100 {
            let mut bytes = vec![7; len];
            assert_eq!(run(&bytes), Some(7));
            for odd in 0..len {
                bytes[odd] = 8;
                assert_eq!(run(&bytes), if len == 1 { Some(8) } else { None });
                bytes[odd] = 7;
            }
        }
        assert_eq!(run(&[]), None);
    }
}
