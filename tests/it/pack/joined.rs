//! Joined leaves: which columns fields become, as the table in `spec/pack.md` says.

#[test]
fn todo_columns() {}
