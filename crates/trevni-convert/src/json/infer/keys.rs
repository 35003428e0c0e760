//! Objects whose names are data.
//!
//! ```text
//! {"stats":{"2024-01-01":{"n":1},"2024-01-02":{"n":2}, …}}      stats: Map(Utf8, Struct(n: Int64))
//! ```
//! Where a schema would have more fields than a table has columns, the objects with the most names become maps, until it has
//! not. Their values have the type that holds all of them.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields};

use super::{FEWEST_KEYS, Inference, MOST_FIELDS, Members, Path, Seen};
use crate::json_field::{is_json, json_field};

impl Inference {
    /// Makes maps of the objects with the most names, while there are too many fields. Returns what a person should know.
    pub(super) fn names_to_keys(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        while self.record.count() > MOST_FIELDS {
            let (path, names) = self.record.most_members();
            if names < FEWEST_KEYS || path.is_empty() || !self.record.make_map(&path) {
                break;
            }
            let path = path.join(".");
            warnings.push(format!(
                "field {path:?} is a map, whose keys are the {names} names of its objects: --type {path}=json keeps their \
                 text"
            ));
        }
        warnings
    }
}

impl Seen {
    /// Fields at all levels; lists and maps are none themselves.
    fn count(&self) -> usize {
        let of_members = self.members.iter().flat_map(|members| &members.fields);
        let of_members = of_members.map(|(_, seen)| seen.count() + 1).sum::<usize>();
        let of_items = self.items.iter().chain(&self.values).map(|seen| seen.count());
        of_members + of_items.sum::<usize>()
    }

    /// Returns the path of the object with the most names, and how many they are. The outermost object is a row.
    pub(super) fn most_members(&self) -> (Vec<String>, usize) {
        let of_items = self.items.iter().chain(&self.values).map(|seen| seen.most_members());
        let members = self.members.iter().flat_map(|members| &members.fields);
        let of_members = members.map(|(name, seen)| {
            let (mut path, names) = seen.most_members();
            path.insert(0, name.clone());
            (path, names)
        });
        // Of as many names the outer ones are keys.
        let mut most = (Vec::new(), self.members.as_ref().map_or(0, |of| of.fields.len()));
        for found in of_items.chain(of_members) {
            if found.1 > most.1 {
                most = found;
            }
        }
        most
    }

    /// Makes a map of the objects at a path. Returns whether there are any.
    fn make_map(&mut self, path: &[String]) -> bool {
        match path.split_first() {
            None => match (self.members.take(), &mut self.items, &mut self.values) {
                (Some(members), ..) => {
                    let mut values = Seen::default();
                    members.fields.into_iter().for_each(|(_, seen)| values.merge(seen));
                    self.values = Some(Box::new(values));
                    true
                }
                (None, Some(items), _) => items.make_map(path),
                (None, None, Some(values)) => values.make_map(path),
                (None, None, None) => false,
            },
            Some((first, rest)) => {
                let of_name = self.members.iter_mut().flat_map(|members| &mut members.fields);
                let mut of_name = of_name.filter(|(name, _)| name == first);
                of_name.any(|(_, seen)| seen.make_map(rest))
                    || self.items.iter_mut().any(|items| items.make_map(path))
                    || self.values.iter_mut().any(|values| values.make_map(path))
            }
        }
    }

    /// Adds the values of another field.
    fn merge(&mut self, other: Seen) {
        for (place, other) in self.places.iter_mut().zip(other.places) {
            *place = match (*place, other) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        self.numbers |= other.numbers;
        self.digits.merge(&other.digits);
        merge_boxed(&mut self.items, other.items);
        merge_boxed(&mut self.values, other.values);
        if let Some(other) = other.members {
            self.members.get_or_insert_default().merge(*other);
        }
    }
}

fn merge_boxed(one: &mut Option<Box<Seen>>, other: Option<Box<Seen>>) {
    if let Some(other) = other {
        one.get_or_insert_default().merge(*other);
    }
}

impl Members {
    fn merge(&mut self, other: Members) {
        let (mut likely, mut added) = (0, 0);
        for (name, seen) in other.fields {
            let at = self.place(&name, likely, &mut added);
            likely = at + 1;
            if let Some((_, of_name)) = self.fields.get_mut(at) {
                of_name.merge(seen);
            }
        }
    }
}

/// Returns the field of a map with these values. Values without a type in common make the map JSON text.
pub(super) fn map_field(name: &str, values: Seen, path: &mut Path<'_, '_>) -> Field {
    let value = values.into_field("value", path);
    if is_json(&value) {
        return json_field(name);
    }
    let entries = Fields::from(vec![Field::new("key", DataType::Utf8, false), value]);
    let entries = Field::new("entries", DataType::Struct(entries), false);
    Field::new(name, DataType::Map(Arc::new(entries), false), true)
}

#[cfg(test)]
mod tests {
    use super::super::{GivenTypes, Inference, MOST_NAMES};
    use super::*;
    use crate::ReadOptions;
    use crate::json::record_location::RecordLocation;

    fn inferred(text: &str) -> (String, Vec<String>) {
        let mut inference = Inference::default();
        inference.add(text, RecordLocation::of_line(1)).unwrap();
        inference.check_size().unwrap();
        let found = inference.schema(&mut GivenTypes::new(&[]), &ReadOptions::default());
        let fields = found.schema.fields().iter();
        let fields = fields.map(|field| format!("{}: {}", field.name(), field.data_type()));
        (fields.collect::<Vec<_>>().join(", "), found.warnings)
    }

    fn object(names: usize, value: impl Fn(usize) -> String) -> String {
        let members = (0..names).map(|n| format!("\"k{n}\":{}", value(n)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    #[test]
    fn names_become_keys_where_there_are_too_many() {
        let few = object(1000, |n| n.to_string());
        assert_eq!(inferred(&format!("{{\"s\":{few}}}")).1, Vec::<String>::new());
        let many = object(MOST_FIELDS, |n| format!("{{\"x\":{n},\"y{}\":0.5}}", n % 2));
        let (schema, warnings) = inferred(&format!("{{\"s\":[{{\"t\":{many}}}],\"u\":1}}"));
        let value = "Struct(\"x\": Int64, \"y0\": Float64, \"y1\": Float64)";
        let map = format!(
            "Map(\"entries\": non-null Struct(\"key\": non-null Utf8, \"value\": {value}), unsorted)"
        );
        assert_eq!(schema, format!("s: List(Struct(\"t\": {map})), u: Int64"));
        let warning = "field \"s.t\" is a map, whose keys are the 100000 names of its objects: --type s.t=json keeps their text";
        assert_eq!(warnings, [warning]);
    }

    #[test]
    fn more_names_than_are_kept_are_an_error() {
        let mut inference = Inference::default();
        let text = format!("{{\"s\":{}}}", object(MOST_NAMES + 1, |_| "1".to_owned()));
        inference.add(&text, RecordLocation::default()).unwrap();
        let e = inference.check_size().unwrap_err().to_string();
        assert!(e.contains("field \"s\"") && e.contains("--type s=json"), "{e}");
    }
}
