//! Predicates: their text, and their results compared with plain Rust and Arrow's kernels.
//!
//! ```text
//! tree ──show──► text ──parse──► the same tree          column of every type ──► asked ──► beside a loop
//! ```

mod answers;
mod types;

use arrow::datatypes::{DataType, Field};
use proptest::prelude::*;

use super::*;

fn literals() -> impl Strategy<Value = Literal> {
    prop_oneof![
        any::<bool>().prop_map(Literal::from),
        any::<i64>().prop_map(Literal::from),
        any::<f64>().prop_map(Literal::from),
        ".{0,6}".prop_map(Literal::from),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(Literal::from),
    ]
}

fn columns() -> impl Strategy<Value = ColumnPath> {
    let names = prop_oneof!["[a-z_][a-z0-9_]{0,3}", ".{0,4}", "(?i)and|not|null|x|nan"];
    prop::collection::vec(names, 1..3).prop_map(ColumnPath::from)
}

fn operators() -> impl Strategy<Value = Operator> {
    use Operator::*;
    prop::sample::select(vec![Eq, Ne, Lt, Le, Gt, Ge])
}

fn predicates() -> impl Strategy<Value = Predicate> {
    let leaf = prop_oneof![
        (columns(), operators(), literals()).prop_map(|(c, o, l)| Predicate::compare(c, o, l)),
        (columns(), prop::collection::vec(literals(), 0..4))
            .prop_map(|(c, l)| Predicate::is_in(c, l)),
        (columns(), operators(), columns())
            .prop_map(|(a, o, b)| Predicate::compare_columns(a, o, b)),
        (columns(), ".{0,6}").prop_map(|(c, pattern)| Predicate::like(c, pattern)),
        (columns(), ".{0,6}").prop_map(|(c, pattern)| Predicate::ilike(c, pattern)),
        columns().prop_map(Predicate::is_null),
        columns().prop_map(Predicate::is_true),
    ];
    leaf.prop_recursive(4, 20, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            inner.prop_map(|a| !a),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shown_parses_to_the_same(predicate in predicates()) {
        let text = predicate.to_string();
        let parsed = Predicate::parse(&text);
        prop_assert!(parsed.is_ok(), "{}: {}", text, parsed.unwrap_err());
        prop_assert_eq!(parsed.unwrap(), predicate, "{}", text);
    }

    #[test]
    fn any_text_is_a_condition_or_an_error(
        words in prop::collection::vec(prop::sample::select(vec![
            "a", ".", "and", "or", "not", "in", "(", ")", ",", "is", "null", "between", "=", "<", "<>", "1", "-", "'x'",
            "'", "\"", "x'0", "like", "ilike", "*", "1e", "é", "\u{0}", "true", " ", "-inf", "1.5.", "+",
        ]), 0..12),
        text in ".{0,20}",
    ) {
        for text in [words.concat(), words.join(" "), text] {
            if let Ok(predicate) = Predicate::parse(&text) {
                let shown = predicate.to_string();
                prop_assert_eq!(&Predicate::parse(&shown).unwrap(), &predicate, "{}", shown);
            }
        }
    }

    #[test]
    fn numbers_are_shown_so_that_they_parse(
        digits in "[0-9]{0,12}(\\.[0-9]{0,12})?",
        exponent in prop::sample::select(vec![-10_001, -9999, -9990, -21, 0, 20, 9990, 9999, 10_001]),
        extra in -15..15,
    ) {
        let text = format!("a = {digits}e{}", exponent + extra);
        if let Ok(predicate) = Predicate::parse(&text) {
            prop_assert_eq!(&Predicate::parse(&predicate.to_string()).unwrap(), &predicate);
        }
    }
}

#[test]
fn texts_are_shown_in_one_way() {
    for (text, shown) in [
        ("a=1", "a = 1"),
        (" A  <>  'it''s' ", "A != 'it''s'"),
        ("a == x'00FF'", "a = x'00ff'"),
        ("a.b <= 1.50", "a.b <= 1.5"),
        ("\"a b\".\"not\" is not null", "not \"a b\".\"not\" is null"),
        ("a NOT IN (1, 2 ,3)", "not a in (1, 2, 3)"),
        ("a between 1 and 2 and b", "a >= 1 and a <= 2 and b"),
        ("a not between -1 and 2", "not (a >= -1 and a <= 2)"),
        ("((a)) or (b or c)", "a or b or c"),
        ("a and (b or c)", "a and (b or c)"),
        ("a and b or c and not d", "a and b or c and not d"),
        ("not not a", "not not a"),
        ("a = nan or a < -INF", "a = nan or a < -inf"),
        ("a in ()", "a in ()"),
        ("a <> b.c", "a != b.c"),
        ("a = \"nan\"", "a = \"nan\""),
        ("a LIKE 'x%' or b not ilike '_'", "a like 'x%' or not b ilike '_'"),
        ("größe > 1", "größe > 1"),
        ("true_ = TRUE", "true_ = true"),
    ] {
        let parsed = Predicate::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(parsed.to_string(), shown);
    }
    let predicate = Predicate::parse("b.c = 1 and a or b.c is null and \"x.y\".z").unwrap();
    assert_eq!(predicate.columns(), ["b.c", "a", "\"x.y\".z"]);
}

#[test]
fn errors_show_the_place() {
    for (text, what, at) in [
        ("", "expected a column instead of the end,", 1),
        ("price >> 10", "expected a literal or a column instead of `>`,", 8),
        ("price > ", "expected a literal or a column instead of the end,", 9),
        ("a = not", "expected a literal or a column instead of `not`,", 5),
        ("a in (b)", "expected a literal instead of `b`,", 7),
        ("a * 2 > b", "'*' is arithmetic, which conditions do not have,", 3),
        ("a = null", "expected a literal, or `is null` for the comparison, instead of `null`,", 5),
        ("a = 1 b", "expected `and`, `or` or the end instead of `b`,", 7),
        ("(a = 1", "expected `)` instead of the end,", 7),
        ("a in 1", "expected `(` instead of the number 1,", 6),
        ("a in (1 2)", "expected `,` or `)` instead of the number 2,", 9),
        ("a not 1", "expected `in`, `between`, `like` or `ilike` instead of the number 1,", 7),
        ("a between 1 or 2", "expected `and` instead of `or`,", 13),
        ("a is 1", "expected `null` instead of the number 1,", 6),
        ("a like 1", "expected a text instead of the number 1,", 8),
        ("10 < a", "expected a column instead of the number 10,", 1),
        ("é = 'x", "a ' that is never closed", 5),
        ("a.", "expected a column instead of the end,", 3),
        ("a = x'0'", "x'...' needs pairs of the digits 0 to 9 and a to f", 5),
        ("a = 1x", "1x is no number", 5),
        ("a ; b", "';' means nothing", 3),
    ] {
        let e = Predicate::parse(text).unwrap_err().to_string();
        let arrow = format!("{}^", " ".repeat(at - 1));
        assert_eq!(e, format!("invalid: {what} at character {at}\n  {text}\n  {arrow}"));
    }
    let deep = format!("{}a{}", "(".repeat(5000), ")".repeat(5000));
    let e = Predicate::parse(&deep).unwrap_err().to_string();
    assert!(e.contains("fewer parentheses and `not` instead of"), "{}", &e[..90]);
    assert!(Predicate::parse(&"not ".repeat(100_000)).is_err());
}

/// A tree has a limit of levels, and a chain is one of them.
#[test]
fn levels_are_limited() {
    let one = || Predicate::compare("a", Operator::Eq, 1);
    let schema = Schema::new(vec![Field::new("a", DataType::Int64, true)]);
    let nested = |levels: usize| {
        (1..levels)
            .fold(one(), |inner, i| if i % 2 == 0 { inner.or(one()) } else { inner.and(one()) })
    };
    assert!(nested(256).check(&schema).is_ok());
    for levels in [257, 2_000, 100_000] {
        let text = nested(levels).check(&schema).unwrap_err().to_string();
        assert!(text.contains("nests more than 256 levels"), "{text}");
        assert!((!nested(levels)).check(&schema).is_err());
    }
    assert!((1..300).fold(one(), |inner, _| !inner).check(&schema).is_err());
    let chain = (1..100_000).fold(one(), |chain, _| chain.or(one()));
    assert_eq!(chain.levels, 2);
    assert_eq!(chain, Predicate::any((0..100_000).map(|_| one())));
    assert!(chain.check(&schema).is_ok());
    assert_eq!(Predicate::all([one()]), one());
}
