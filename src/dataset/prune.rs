//! Prunes files that have no rows for which a predicate is true, by their statistics.
//!
//! ```text
//! a: 3 .. 9, 2 null     a > 5     true, false or null           a > 9     false or null: no row
//! year: 2026            year = 2024 or a > 5                    true, false or null
//! ```
//! For each part of a condition, the results are computed that some row may have; `and`, `or` and `not` combine
//! them. Unknown bounds allow any result, so a file is skipped only if none of its rows can match.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{Field, FieldRef, Schema};

use crate::arrow::{ColumnPath, Literal, Node, Operator, Predicate};
use crate::error::Result;

/// The statistics of a column in each of some files.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) name: String,
    /// Null if all values are, or if it is not known.
    pub(super) min: ArrayRef,
    pub(super) max: ArrayRef,
    /// Null if it is not known.
    pub(super) nulls: UInt64Array,
}

/// Answers that rows may have.
type Answers = u8;

const TRUE: Answers = 1;
const FALSE: Answers = 2;
const NULL: Answers = 4;
const ANY: Answers = TRUE | FALSE | NULL;

/// Returns whether each file, with its number of rows, may have matching rows.
pub(super) fn may_pass(node: &Node, rows: &[u64], facts: &[Fact]) -> Result<Vec<bool>> {
    let answers = answers(node, rows, facts)?;
    Ok(answers.iter().map(|answers| answers & TRUE != 0).collect())
}

fn answers(node: &Node, rows: &[u64], facts: &[Fact]) -> Result<Vec<Answers>> {
    let all = |nodes: &[Node]| -> Result<Vec<Vec<Answers>>> {
        nodes.iter().map(|node| answers(node, rows, facts)).collect()
    };
    Ok(match node {
        Node::Compare { column, operator, literal } => {
            let Some(fact) = find(column, facts) else { return Ok(vec![ANY; rows.len()]) };
            let values = fact.compare(*operator, literal)?;
            fact.with_nulls(rows, &values)
        }
        Node::In { column, literals } => {
            let Some(fact) = find(column, facts) else { return Ok(vec![ANY; rows.len()]) };
            let mut values = vec![FALSE; rows.len()];
            for literal in literals {
                let more = fact.compare(Operator::Eq, literal)?;
                values.iter_mut().zip(more).for_each(|(any, one)| *any = either(*any, one));
            }
            fact.with_nulls(rows, &values)
        }
        // Bounds do not apply to these.
        Node::Like { .. } | Node::CompareColumns { .. } => vec![ANY; rows.len()],
        Node::IsTrue(column) => {
            let Some(fact) = find(column, facts) else { return Ok(vec![ANY; rows.len()]) };
            let values = fact.compare(Operator::Eq, &true.into())?;
            fact.with_nulls(rows, &values)
        }
        Node::IsNull(column) => match find(column, facts) {
            Some(fact) => fact.is_null(rows),
            None => vec![TRUE | FALSE; rows.len()],
        },
        Node::And(nodes) => fold(all(nodes)?, TRUE, rows.len(), both),
        Node::Or(nodes) => fold(all(nodes)?, FALSE, rows.len(), either),
        Node::Not(node) => answers(node, rows, facts)?.into_iter().map(not).collect(),
    })
}

fn fold(
    parts: Vec<Vec<Answers>>,
    of_none: Answers,
    files: usize,
    join: impl Fn(Answers, Answers) -> Answers,
) -> Vec<Answers> {
    parts.into_iter().fold(vec![of_none; files], |mut all, part| {
        all.iter_mut().zip(part).for_each(|(one, other)| *one = join(*one, other));
        all
    })
}

fn find<'a>(column: &ColumnPath, facts: &'a [Fact]) -> Option<&'a Fact> {
    match column.names() {
        [name] => facts.iter().find(|fact| fact.name == *name),
        _ => None,
    }
}

fn not(answers: Answers) -> Answers {
    let turned = if answers & TRUE != 0 { FALSE } else { 0 };
    turned | if answers & FALSE != 0 { TRUE } else { 0 } | answers & NULL
}

/// Combines the results of two conditions on the same rows, which may be correlated in any way.
fn both(one: Answers, other: Answers) -> Answers {
    let mut answers = one & other & TRUE;
    if one == 0 || other == 0 {
        return 0;
    }
    answers |= (one | other) & FALSE;
    // Null combined with null or true.
    if (one & NULL != 0 && other & (NULL | TRUE) != 0)
        || (other & NULL != 0 && one & (NULL | TRUE) != 0)
    {
        answers |= NULL;
    }
    answers
}

fn either(one: Answers, other: Answers) -> Answers {
    not(both(not(one), not(other)))
}

impl Fact {
    /// Returns the answers of values that are not null.
    fn compare(&self, operator: Operator, literal: &Literal) -> Result<Vec<Answers>> {
        use Operator::*;
        let at = |operator, values: &ArrayRef| self.ask(operator, literal, values);
        let mut found = Vec::with_capacity(self.min.len());
        // For each end, whether it is so; true if it is not known.
        let (some, others) = match operator {
            Lt | Le => (at(operator, &self.min)?, turned(at(operator, &self.max)?)),
            Gt | Ge => (at(operator, &self.max)?, turned(at(operator, &self.min)?)),
            Eq | Ne => {
                let within = at(Le, &self.min)?.into_iter().zip(at(Ge, &self.max)?);
                let only = at(Eq, &self.min)?.into_iter().zip(at(Eq, &self.max)?);
                let within: Vec<_> = within.map(|(low, high)| known(low) && known(high)).collect();
                let only = only.map(|(low, high)| !(low == Some(true) && high == Some(true)));
                (within.into_iter().map(Some).collect(), only.map(Some).collect())
            }
        };
        for (yes, no) in some.into_iter().zip(others) {
            let (yes, no) = (known(yes), known(no));
            let answers = if yes { TRUE } else { 0 } | if no { FALSE } else { 0 };
            found.push(if operator == Ne { not(answers) } else { answers });
        }
        Ok(found)
    }

    fn ask(
        &self,
        operator: Operator,
        literal: &Literal,
        values: &ArrayRef,
    ) -> Result<Vec<Option<bool>>> {
        let field: FieldRef = Arc::new(Field::new("of", values.data_type().clone(), true));
        let bound = Predicate::compare("of", operator, literal.clone())
            .resolve(&Schema::new(vec![field]))?;
        let answers = bound.evaluate(std::slice::from_ref(values), values.len())?;
        Ok(answers.iter().collect())
    }

    /// Those of all values, from those of values that are not null.
    fn with_nulls(&self, rows: &[u64], values: &[Answers]) -> Vec<Answers> {
        let one = |((rows, nulls), values): ((&u64, Option<u64>), &Answers)| {
            let (some, others) = counts(*rows, nulls);
            (if some { NULL } else { 0 }) | if others { *values } else { 0 }
        };
        rows.iter().zip(self.nulls.iter()).zip(values).map(one).collect()
    }

    fn is_null(&self, rows: &[u64]) -> Vec<Answers> {
        let one = |(rows, nulls): (&u64, Option<u64>)| {
            let (some, others) = counts(*rows, nulls);
            (if some { TRUE } else { 0 }) | if others { FALSE } else { 0 }
        };
        rows.iter().zip(self.nulls.iter()).map(one).collect()
    }
}

/// Returns whether there may be nulls, and non-nulls.
fn counts(rows: u64, nulls: Option<u64>) -> (bool, bool) {
    match nulls {
        Some(nulls) => (nulls > 0, nulls < rows),
        None => (rows > 0, rows > 0),
    }
}

fn known(answer: Option<bool>) -> bool {
    answer.unwrap_or(true)
}

fn turned(answers: Vec<Option<bool>>) -> Vec<Option<bool>> {
    answers.into_iter().map(|answer| answer.map(|answer| !answer)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::Int32Type;

    /// Small files of all kinds, with complete or partial statistics.
    fn files() -> Vec<Int32Array> {
        let values = [None, Some(1), Some(2), Some(3)];
        let mut files = vec![Int32Array::from(Vec::<i32>::new())];
        for a in values {
            files.push(vec![a].into());
            for b in values {
                files.push(vec![a, b].into());
                files.extend(values.map(|c| Int32Array::from(vec![a, b, c])));
            }
        }
        files
    }

    fn fact(
        files: &[Int32Array],
        known: impl Fn(usize) -> bool,
        counted: impl Fn(usize) -> bool,
    ) -> Fact {
        let of = |end: fn(&Int32Array) -> Option<i32>| {
            let one = |(i, file): (usize, &Int32Array)| end(file).filter(|_| known(i));
            Arc::new(files.iter().enumerate().map(one).collect::<Int32Array>())
        };
        let nulls = files.iter().enumerate();
        let nulls = nulls.map(|(i, file)| counted(i).then(|| file.null_count() as u64)).collect();
        let (min, max) =
            (of(arrow::compute::min::<Int32Type>), of(arrow::compute::max::<Int32Type>));
        Fact { name: "a".into(), min, max, nulls }
    }

    #[test]
    fn no_file_with_rows_that_pass_is_left_out() {
        let files = files();
        let rows: Vec<_> = files.iter().map(|file| file.len() as u64).collect();
        let all = fact(&files, |_| true, |_| true);
        let facts = [
            all.clone(),
            fact(&files, |i| i % 2 == 0, |_| true),
            fact(&files, |_| true, |i| i % 3 == 0),
            fact(&files, |_| false, |_| false),
        ];
        let mut exact = 0;
        for text in [
            "a = 2",
            "a != 2",
            "a < 2",
            "a <= 2",
            "a > 2",
            "a >= 2",
            "a = 2.5",
            "a != 2.5",
            "a > 1.5",
            "a in (1, 3)",
            "a not in (1, 3)",
            "a in ()",
            "a is null",
            "a is not null",
            "not a > 1",
            "a > 1 and a < 3",
            "a < 2 or a > 2",
            "not (a = 1 and a is not null)",
            "not (a < 2 or a is null)",
            "a between 2 and 3",
            "a = 9 or a is null",
            "a > 0 and not a > 0",
        ] {
            let Ok(predicate) = Predicate::parse(text) else { continue };
            let expected: Vec<bool> = files.iter().map(|file| passes(&predicate, file)).collect();
            for fact in &facts {
                let found = may_pass(&predicate.node, &rows, std::slice::from_ref(fact)).unwrap();
                for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    assert!(*found || !expected, "{text} of {:?} with {fact:?}", files[i]);
                }
                exact += usize::from(found == expected);
            }
            let none = may_pass(&predicate.node, &rows, &[]).unwrap();
            assert!(none.iter().zip(&expected).all(|(found, expected)| *found || !expected));
        }
        assert!(exact >= 10, "{exact}");
    }

    fn passes(predicate: &Predicate, file: &Int32Array) -> bool {
        let column: ArrayRef = Arc::new(file.clone());
        let batch = RecordBatch::try_from_iter_with_nullable([("a", column, true)]).unwrap();
        predicate.evaluate(&batch).unwrap().true_count() > 0
    }

    #[test]
    fn answers_join_as_answers_of_rows_do() {
        let of = |bits: Answers| {
            [(TRUE, Some(true)), (FALSE, Some(false)), (NULL, None)]
                .into_iter()
                .filter(move |(bit, _)| bits & bit != 0)
                .map(|(_, answer)| answer)
        };
        let bit = |answer| match answer {
            Some(true) => TRUE,
            Some(false) => FALSE,
            None => NULL,
        };
        let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let or = |a: Option<bool>, b: Option<bool>| and(a.map(|a| !a), b.map(|b| !b)).map(|c| !c);
        for a in 0..8 {
            for b in 0..8 {
                let pairs = of(a).flat_map(|a| of(b).map(move |b| (a, b)));
                let ands = pairs.clone().fold(0, |all, (a, b)| all | bit(and(a, b)));
                let ors = pairs.fold(0, |all, (a, b)| all | bit(or(a, b)));
                assert_eq!((both(a, b), either(a, b)), (ands, ors), "{a} {b}");
            }
        }
    }
}
