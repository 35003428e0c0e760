//! Tests of random arrays.

use super::*;

#[test]
fn random_arrays_are_valid_and_like_themselves() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..2000 {
        let n = &mut Numbers(seed);
        let field = field("f", 3, n);
        let array = array(&field, below(n, 20), n);
        array.to_data().validate_full().unwrap();
        crate::equality::same(&array, &array).unwrap();
        seen.insert(
            field.data_type().to_string().split(['(', ',', '<']).next().unwrap().to_owned(),
        );
    }
    println!("{seen:?}");
    assert!(seen.len() > 35);
}
