//! Numbers as decimal text.

use proptest::prelude::*;

use super::{cases, levels};
use crate::kernel::{self, Level};

#[test]
fn figures_are_those_of_the_number() {
    let some = (0..100_000_000i64).step_by(9973).chain([99_999_999, 10, 9_999, 10_000]);
    let numbers: Vec<i64> = some.collect();
    for level in levels() {
        for skip in 0..8 {
            let mut words = vec![7; 3];
            kernel::decimal::format_digits(level, &numbers, skip, &mut words);
            assert_eq!(words.len(), 3 + numbers.len());
            for (number, word) in numbers.iter().zip(&words[3..]) {
                let text = format!("{number:08}");
                let expected = &text.as_bytes()[skip as usize..];
                assert_eq!(&word.to_le_bytes()[..expected.len()], expected, "{level:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn numbers_give_the_same_at_every_level(
        numbers in prop::collection::vec(0i64..100_000_000, 0..100), skip in 0u32..99,
    ) {
        let mut expected = Vec::new();
        kernel::decimal::format_digits(Level::Portable, &numbers, skip, &mut expected);
        for level in levels() {
            let mut words = Vec::new();
            kernel::decimal::format_digits(level, &numbers, skip, &mut words);
            prop_assert_eq!(&words, &expected);
        }
    }

    #[test]
    fn any_numbers_give_as_many_words(
        numbers in prop::collection::vec(any::<i64>(), 0..100), skip in any::<u32>(),
    ) {
        for level in levels() {
            let mut words = vec![7; 3];
            kernel::decimal::format_digits(level, &numbers, skip, &mut words);
            prop_assert_eq!(words.len(), 3 + numbers.len());
        }
    }
}
