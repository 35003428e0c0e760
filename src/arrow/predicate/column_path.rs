//! Paths of columns: the names from a top-level field to a field within structs.
//!
//! ```text
//! a.b        the field "a.b" if there is one, otherwise the field b within a
//! "a.b"      only the field "a.b"
//! "a".b      only the field b within a; a quote within quotes is doubled
//! ```

use arrow::datatypes::Fields;

use crate::arrow::leaf::types::named_fields;

/// The names that lead to a column: of a field, and of fields within it.
///
/// A string is split at its dots, outside of double quotes; the elements of an array are names as they are. A path without
/// quotes may also be the name of one field that has dots in it, which is preferred.
///
/// ```
/// use arrow::datatypes::{DataType, Field, Fields, Schema};
/// use trevni::arrow::{ColumnPath, ProjectionMask};
///
/// let inner = Fields::from(vec![Field::new("b", DataType::Int32, true)]);
/// let fields = vec![Field::new("a", DataType::Struct(inner), true), Field::new("a.b", DataType::Utf8, true)];
/// let schema = Schema::new(fields);
/// let place = |path: &str| ColumnPath::from(path).root(schema.fields());
/// assert_eq!((place("a.b"), place("\"a.b\""), place("\"a\".b")), (Some(1), Some(1), Some(0)));
/// assert_eq!(ProjectionMask::columns(&schema, ["a.b"])?, ProjectionMask::roots(&schema, [1])?);
/// assert_eq!(ProjectionMask::columns(&schema, ["\"a\".b"])?, ProjectionMask::paths(&schema, [[0, 0]])?);
/// # Ok::<_, trevni::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ColumnPath {
    names: Vec<String>,
    /// Whether several names, joined by dots, may be one.
    is_dotted: bool,
}

impl From<&str> for ColumnPath {
    fn from(text: &str) -> Self {
        let (mut names, mut is_quoted, mut rest) = (Vec::new(), false, text);
        loop {
            let name = match quoted_name(rest) {
                Some((name, after)) => {
                    (is_quoted, rest) = (true, after);
                    name
                }
                None => {
                    let (name, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
                    rest = after;
                    name.to_owned()
                }
            };
            names.push(name);
            match rest.strip_prefix('.') {
                Some(after) => rest = after,
                None => return Self::new(names, !is_quoted),
            }
        }
    }
}

/// Returns the name in quotes that a path begins with, and what follows: nothing, or a dot.
fn quoted_name(path: &str) -> Option<(String, &str)> {
    let mut rest = path.strip_prefix('"')?;
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return (after.is_empty() || after.starts_with('.')).then_some((name, after)),
        }
    }
}

impl From<String> for ColumnPath {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for ColumnPath {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<Vec<String>> for ColumnPath {
    fn from(names: Vec<String>) -> Self {
        Self::new(names, false)
    }
}

impl<const N: usize> From<[&str; N]> for ColumnPath {
    fn from(names: [&str; N]) -> Self {
        Self::new(names.map(str::to_owned).into(), false)
    }
}

/// A field that a path leads to or into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathStep {
    /// The index of the field.
    pub index: usize,
    /// The path from there to a field within it, unless it is the field itself.
    pub rest: Option<ColumnPath>,
}

impl ColumnPath {
    pub(super) fn new(names: Vec<String>, is_dotted: bool) -> Self {
        Self { is_dotted: is_dotted && names.len() > 1, names }
    }

    /// Returns the path of a text that is a name of one of these fields, or a path.
    pub fn among(text: &str, fields: &Fields) -> Self {
        match fields.iter().any(|field| field.name() == text) {
            true => [text].into(),
            false => text.into(),
        }
    }

    /// Returns the names, as they are split at dots.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn is_dotted(&self) -> bool {
        self.is_dotted
    }

    /// Returns the fields that the path begins with, those of the longest name first. That there is a field within one is
    /// not sure: the next is to be tried then.
    pub fn steps(&self, fields: &Fields) -> Vec<PathStep> {
        let most = if self.is_dotted { self.names.len() } else { 1 };
        let mut found = Vec::new();
        for count in (1..=most.min(self.names.len())).rev() {
            let (name, rest) = self.names.split_at(count);
            let name = name.join(".");
            let rest = (!rest.is_empty()).then(|| Self::new(rest.to_vec(), self.is_dotted));
            let named = fields.iter().enumerate().filter(|(_, field)| *field.name() == name);
            found.extend(named.map(|(index, _)| PathStep { index, rest: rest.clone() }));
            if rest.is_none() && !found.is_empty() {
                break;
            }
        }
        found
    }

    /// Returns the index of the field at the top that the path leads to or into.
    pub fn root(&self, fields: &Fields) -> Option<usize> {
        self.routes(fields).first().and_then(|route| route.first().copied())
    }

    /// Returns the indices that lead to the fields of this path, each from the top: several if names are not unique, none
    /// if there is no such field. Fields are within structs, maps, unions, and lists of these.
    pub fn routes(&self, fields: &Fields) -> Vec<Vec<usize>> {
        let (mut routes, mut depth) = (Vec::new(), None);
        for PathStep { index, rest } in self.steps(fields) {
            let left = rest.as_ref().map_or(0, |rest| rest.names.len());
            if !routes.is_empty() && depth != Some(left) {
                break;
            }
            depth = Some(left);
            match rest {
                None => routes.push(vec![index]),
                Some(rest) => {
                    let field = fields.get(index);
                    let inner = field.and_then(|field| named_fields(field.data_type()));
                    let inner = inner.map(|inner| rest.routes(&inner)).unwrap_or_default();
                    routes.extend(
                        inner
                            .into_iter()
                            .map(|inner| std::iter::once(index).chain(inner).collect()),
                    );
                }
            }
        }
        routes
    }

    /// Returns the same path with the names that it has among these fields, so that it has no other meaning elsewhere.
    pub(crate) fn exact(&self, fields: &Fields) -> Self {
        let Some(route) = self.routes(fields).into_iter().next() else { return self.clone() };
        let mut names = Vec::with_capacity(route.len());
        let mut inside = Some(fields.clone());
        for index in route {
            let Some(field) = inside.as_ref().and_then(|fields| fields.get(index)) else { break };
            names.push(field.name().clone());
            inside = named_fields(field.data_type());
        }
        names.into()
    }
}
