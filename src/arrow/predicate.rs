//! Predicates on rows: comparisons of columns with literals, joined by `and`, `or` and `not`.
//!
//! ```text
//! text ──parse──► Predicate ──bind──► Bound ──evaluate──► true, false or null for each row
//!        ◄─show──            schema           batch
//! ```
//! Null is neither true nor false, as in SQL: `not a = 1` leaves out the rows in which `a` is null, as `a = 1` does.

mod bind;
mod bound;
mod column_path;
mod datetime;
mod display;
mod evaluate;
mod lexer;
mod literal;
mod node;
mod number;
mod parse;

#[cfg(test)]
mod tests;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::datatypes::Schema;

pub(crate) use bind::find;
pub(crate) use bound::{Bound, ColumnRoute, Test, ValueSet};
pub use column_path::{ColumnPath, PathStep};
pub use literal::Literal;
pub(crate) use node::Node;

use crate::error::Result;

/// A condition on rows.
///
/// ```
/// use trevni::arrow::{Operator, Predicate};
///
/// let parsed = Predicate::parse("price > 10 and city in ('Ulm', 'Bonn')")?;
/// let made = Predicate::compare("price", Operator::Gt, 10)
///     .and(Predicate::is_in("city", ["Ulm", "Bonn"]));
/// assert_eq!(parsed, made);
/// assert_eq!(parsed.to_string(), "price > 10 and city in ('Ulm', 'Bonn')");
/// assert_eq!(parsed.columns(), ["price", "city"]);
/// # Ok::<(), trevni::Error>(())
/// ```
///
/// The words of the language, in capitals or not:
///
/// ```text
/// a = 1   a != 1   a < 1   a <= 1   a > 1   a >= 1   a between 1 and 9   a not between 1 and 9
/// a in (1, 2)   a not in (1, 2)   a is null   a is not null   flag   not flag
/// a < b                                   two columns of a row
/// a like 'x_%'   a not like 'x_%'         `_` is one character, `%` any text, `\` escapes the next one
/// a ilike 'X_%'                           the same, in capitals or not
/// x and y   x or y   not x   (x)          not binds more than and, and more than or
/// a.b                                     the field b of the struct a
/// "of"."a name"                           names that are words of the language, or have signs in them
/// ```
///
/// | literal | compares with |
/// |---|---|
/// | `10`, `-0.5`, `1e9`, `nan`, `inf`, `-inf` | numbers of all kinds, exactly; in floating-point columns as the nearest value there is |
/// | `'text'`, with `''` for a quote | text |
/// | `x'6162'` | binary |
/// | `true`, `false` | booleans |
/// | `'2024-01-31'`, `'2024-01-31T10:00:00.5'`, with `Z` or `+01:00` | dates and timestamps, of which those with a zone need one here or a fixed one of their own |
/// | `'10:00:00.5'` | times |
/// | `'1d 2h 3m 4.5s'`, down to `ns` | durations |
///
/// Columns of different number types are compared as a type that holds both, or as `float64` where one is
/// floating-point.
///
/// A number that no value of the column can be is no error: `a > 10.5` and `a < 1e30` are what they are in mathematics.
/// Floating-point numbers are in IEEE's total order, as in Arrow's own comparisons: NaN is above infinity, and -0
/// below 0.
///
/// Conditions nest at most 256 levels; one that is deeper cannot be bound. Chains of `and` or of `or` are one level,
/// and many conditions are joined at once with [`all`](Self::all) and [`any`](Self::any).
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    pub(crate) node: Node,
    /// The levels of the tree, so that none is ever deeper than [`MOST_LEVELS`]: each of its uses is a recursion.
    levels: usize,
}

/// The most levels of a tree.
const MOST_LEVELS: usize = 256;

/// How a column is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Predicate {
    /// Parses a condition. An error shows the position.
    pub fn parse(text: &str) -> Result<Self> {
        parse::parse(text).map(Self::new)
    }

    /// Compares a column with a literal.
    pub fn compare(
        column: impl Into<ColumnPath>,
        operator: Operator,
        literal: impl Into<Literal>,
    ) -> Self {
        let (column, literal) = (column.into(), literal.into());
        Self::new(Node::Compare { column, operator, literal })
    }

    /// Returns whether a column is one of these; of none, it never is.
    pub fn is_in<L: Into<Literal>>(
        column: impl Into<ColumnPath>,
        literals: impl IntoIterator<Item = L>,
    ) -> Self {
        let literals = literals.into_iter().map(Into::into).collect();
        Self::new(Node::In { column: column.into(), literals })
    }

    /// Two columns compared with each other.
    pub fn compare_columns(
        left: impl Into<ColumnPath>,
        operator: Operator,
        right: impl Into<ColumnPath>,
    ) -> Self {
        let (left, right) = (left.into(), right.into());
        Self::new(Node::CompareColumns { left, operator, right })
    }

    /// Matches text with a pattern: `%` matches any text, `_` one character, and `\` escapes the next character.
    pub fn like(column: impl Into<ColumnPath>, pattern: impl Into<String>) -> Self {
        let (column, pattern) = (column.into(), pattern.into());
        Self::new(Node::Like { column, pattern, ignore_case: false })
    }

    /// Returns whether text matches a pattern, in capitals or not.
    pub fn ilike(column: impl Into<ColumnPath>, pattern: impl Into<String>) -> Self {
        let (column, pattern) = (column.into(), pattern.into());
        Self::new(Node::Like { column, pattern, ignore_case: true })
    }

    /// Returns whether a column is null.
    pub fn is_null(column: impl Into<ColumnPath>) -> Self {
        Self::new(Node::IsNull(column.into()))
    }

    /// Tests a boolean column.
    pub fn is_true(column: impl Into<ColumnPath>) -> Self {
        Self::new(Node::IsTrue(column.into()))
    }

    /// Both.
    pub fn and(self, other: Self) -> Self {
        Self::all([self, other])
    }

    /// Either.
    pub fn or(self, other: Self) -> Self {
        Self::any([self, other])
    }

    /// All of some conditions: true if there are none.
    pub fn all(predicates: impl IntoIterator<Item = Self>) -> Self {
        Self::join(predicates, Node::all, |node| matches!(node, Node::And(_)))
    }

    /// Any of some conditions: false if there are none.
    pub fn any(predicates: impl IntoIterator<Item = Self>) -> Self {
        Self::join(predicates, Node::any, |node| matches!(node, Node::Or(_)))
    }

    fn join(
        predicates: impl IntoIterator<Item = Self>,
        join: impl FnOnce(Vec<Node>) -> Node,
        is_flattened: impl Fn(&Node) -> bool,
    ) -> Self {
        let (mut nodes, mut levels) = (Vec::new(), 0);
        for Self { node, levels: below } in predicates {
            // What is joined already needs no level of its own.
            levels = levels.max(below - usize::from(is_flattened(&node)));
            nodes.push(node);
        }
        let joins = nodes.len() != 1 || nodes.first().is_some_and(is_flattened);
        Self::of_levels(join(nodes), levels + usize::from(joins))
    }

    pub(crate) fn new(node: Node) -> Self {
        let levels = node.levels();
        Self::of_levels(node, levels)
    }

    fn of_levels(node: Node, levels: usize) -> Self {
        match levels > MOST_LEVELS {
            true => Self { node: Node::TooDeep, levels: 1 },
            false => Self { node, levels },
        }
    }

    /// Returns the [paths](ColumnPath) of the columns that it speaks of, each once, in the order in which they come.
    pub fn columns(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.node.each_column(&mut |column| {
            let name = column.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        });
        names
    }

    /// Returns the conditions that must all hold, in order; those that look at the same columns are one.
    pub(crate) fn into_steps(self) -> Vec<Node> {
        let nodes = match self.node {
            Node::And(nodes) => nodes,
            node => vec![node],
        };
        let mut steps: Vec<(Vec<String>, Vec<Node>)> = Vec::new();
        for node in nodes {
            let predicate = Self::new(node);
            let columns = predicate.columns();
            match steps.iter_mut().find(|(step, _)| *step == columns) {
                Some((_, nodes)) => nodes.push(predicate.node),
                None => steps.push((columns, vec![predicate.node])),
            }
        }
        steps.into_iter().map(|(_, nodes)| Node::all(nodes)).collect()
    }

    /// Fails unless all columns are in a schema, of types that can be compared with their literals.
    pub fn check(&self, schema: &Schema) -> Result<()> {
        self.bind(schema).map(|_| ())
    }

    pub(crate) fn resolve(&self, schema: &Schema) -> Result<Bound> {
        Bound::new(&self.node, schema.fields())
    }

    /// Resolves the columns against a schema, once for many batches. Fails as [`check`](Self::check) does.
    pub fn bind(&self, schema: &Schema) -> Result<BoundPredicate> {
        self.resolve(schema).map(BoundPredicate)
    }

    /// Evaluates the predicate for each row of a batch: true, false, or null.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        self.bind(batch.schema_ref())?.evaluate(batch)
    }
}

/// A [`Predicate`] whose columns are resolved against a schema, for batches of that schema.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use trevni::arrow::Predicate;
///
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// let bound = Predicate::parse("id > 1")?.bind(&batch.schema())?;
/// assert_eq!(bound.filter(&batch)?, batch.slice(1, 2));
/// # Ok::<(), trevni::Error>(())
/// ```
#[derive(Debug)]
pub struct BoundPredicate(Bound);

impl BoundPredicate {
    /// Evaluates the predicate for each row of a batch: true, false, or null.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        self.0.evaluate(batch.columns(), batch.num_rows())
    }

    /// Returns the rows of a batch for which the predicate is true.
    pub fn filter(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        self.0.keep(batch)
    }
}

impl std::str::FromStr for Predicate {
    type Err = crate::error::Error;

    /// Parses a condition, as [`parse`](Predicate::parse) does.
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl std::ops::Not for Predicate {
    type Output = Self;

    fn not(self) -> Self {
        Self::of_levels(Node::Not(Box::new(self.node)), self.levels + 1)
    }
}

impl Operator {
    /// Returns the operator that is true where this one is false.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Operator::Eq => Operator::Ne,
            Operator::Ne => Operator::Eq,
            Operator::Lt => Operator::Ge,
            Operator::Le => Operator::Gt,
            Operator::Gt => Operator::Le,
            Operator::Ge => Operator::Lt,
        }
    }

    /// Returns the sign in the text.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Eq => "=",
            Operator::Ne => "!=",
            Operator::Lt => "<",
            Operator::Le => "<=",
            Operator::Gt => ">",
            Operator::Ge => ">=",
        }
    }
}
