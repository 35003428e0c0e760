//! Columns that grow, and rows that are taken back.

use super::values::MOST_SYMBOLS;
use super::*;

fn sample() -> FieldRef {
    let list = Field::new_list("l", Field::new("item", DataType::Utf8, false), true);
    let branches =
        [Field::new("null", DataType::Null, true), Field::new("n", DataType::Int64, false)];
    let union = UnionFields::try_new([0, 1], branches).unwrap();
    let union = Field::new("u", DataType::Union(union, UnionMode::Dense), true);
    let id = Field::new("id", DataType::Int32, false);
    Arc::new(Field::new("row", DataType::Struct(vec![id, list, union].into()), true))
}

fn row(grow: &mut Grow, id: i64, texts: Option<&[&str]>, n: Option<i64>) -> Result<()> {
    grow.child(0)?.push_long(id)?;
    if let Some(texts) = texts {
        let list = grow.child(1)?;
        texts.iter().try_for_each(|text| list.item()?.push_text(text))?;
        list.end_list()?;
    }
    if let Some(n) = n {
        grow.child(2)?.branch(1)?.push_long(n)?;
    }
    grow.end_struct()
}

#[test]
fn a_row_that_fails_is_taken_back() {
    let mut with_fault = Grow::new(&sample()).unwrap();
    let mut without = Grow::new(&sample()).unwrap();
    type Row = (i64, Option<&'static [&'static str]>, Option<i64>);
    let rows: [Row; 4] = [
        (1, Some(&["a", "b"]), Some(7)),
        (2, None, None),
        (3, Some(&[]), Some(9)),
        (4, Some(&["c"]), None),
    ];
    for (id, texts, n) in rows {
        let before = with_fault.len();
        let fault = row(&mut with_fault, i64::MAX, texts, n).unwrap_err().to_string();
        assert_eq!(fault, "malformed: \"id\": 9223372036854775807 is out of range");
        with_fault.child(1).unwrap().item().unwrap().push_text("left over").unwrap();
        with_fault.child(2).unwrap().branch(1).unwrap().push_long(1).unwrap();
        with_fault.truncate(before);
        row(&mut with_fault, id, texts, n).unwrap();
        row(&mut without, id, texts, n).unwrap();
    }
    assert_eq!(with_fault.finish().unwrap().to_data(), without.finish().unwrap().to_data());
    assert_eq!(with_fault.len(), 0);
}

#[test]
fn known_symbols_come_first_and_too_many_are_forgotten() {
    let symbols = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut grow = Grow::new(&Arc::new(Field::new("e", symbols, true))).unwrap();
    ["A", "B", "A"].into_iter().for_each(|name| grow.know(name).unwrap());
    let mut batch = |texts: &mut dyn Iterator<Item = String>| {
        texts.for_each(|text| grow.push_text(&text).unwrap());
        let array = grow.finish().unwrap();
        array.as_any_dictionary().values().len()
    };
    assert_eq!(batch(&mut ["B".to_owned()].into_iter()), 2);
    assert_eq!(batch(&mut (0..MOST_SYMBOLS).map(|n| n.to_string())), MOST_SYMBOLS + 2);
    assert_eq!(batch(&mut ["B".to_owned()].into_iter()), 1);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut grow = Grow::new(&sample()).unwrap();
    let fault = grow.end_struct().unwrap_err().to_string();
    assert_eq!(fault, "malformed: \"id\" is missing");
    grow.truncate(0);
    grow.child(0).unwrap().push_long(1).unwrap();
    grow.child(0).unwrap().push_long(2).unwrap();
    let fault = grow.end_struct().unwrap_err().to_string();
    assert_eq!(fault, "malformed: \"id\" has two values in one struct");
    assert!(grow.push_bool(true).is_err() && grow.child(3).is_err() && grow.branch(0).is_err());
}
