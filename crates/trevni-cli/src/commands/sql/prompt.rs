//! The prompt of `trevni sql`: statements of several lines, history, and completion.

use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, Helper, Highlighter, Hinter};

use super::session::{Query, SqlSession};
use crate::exit::{CliError, tell};

const HELP: &str = "\
Statements end in `;`. FROM 'path/*.trv' reads files of any format.
  SHOW TABLES; DESCRIBE t;     tables and columns
  EXPLAIN ANALYZE SELECT ...;  how a query is run
  help, quit                   this text, the end";

/// Words that are completed beside names.
const WORDS: &[&str] = &[
    "AND",
    "AS",
    "ASC",
    "AVG",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "COPY",
    "COUNT",
    "CREATE",
    "DESCRIBE",
    "DESC",
    "DISTINCT",
    "ELSE",
    "END",
    "EXPLAIN ANALYZE",
    "EXTERNAL TABLE",
    "FROM",
    "GROUP BY",
    "HAVING",
    "IN",
    "INSERT INTO",
    "INTERVAL",
    "IS NOT NULL",
    "IS NULL",
    "JOIN",
    "LEFT JOIN",
    "LIKE",
    "LIMIT",
    "LOCATION",
    "MAX",
    "MIN",
    "NOT",
    "ON",
    "OPTIONS",
    "OR",
    "ORDER BY",
    "OVER",
    "PARTITION BY",
    "SELECT",
    "SHOW TABLES",
    "STORED AS TREVNI",
    "SUM",
    "THEN",
    "UNION ALL",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
];

/// Reads statements from the terminal until its end, and prints what they return.
pub(super) fn run(
    session: &SqlSession,
    print: impl Fn(Query) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let config = Config::builder().auto_add_history(true).build();
    let terminal = |e: ReadlineError| CliError::Data(format!("terminal: {e}"));
    let mut editor: Editor<SqlHelper, DefaultHistory> =
        Editor::with_config(config).map_err(terminal)?;
    let history = history_file();
    if let Some(path) = &history {
        // There is none before the first session.
        let _ = editor.load_history(path);
    }
    tell("SQL over files; `help` shows more, `quit` ends.");
    loop {
        editor.set_helper(Some(SqlHelper { names: session.names() }));
        match editor.readline("trevni> ") {
            Ok(line) if is_end(&line) => break,
            Ok(line) if line.trim() == "help" => tell(HELP),
            Ok(line) => run_line(session, &line, &print),
            // Drops the line.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(e) => return Err(terminal(e)),
        }
    }
    if let Some(path) = &history {
        let saved = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if saved.is_err() || editor.save_history(path).is_err() {
            tell(&format!("warning: {} cannot be written", path.display()));
        }
    }
    Ok(())
}

/// Runs the statements of a line. An error is printed, and does not end the prompt.
fn run_line(session: &SqlSession, line: &str, print: &impl Fn(Query) -> Result<(), CliError>) {
    let done = session.parse(line).and_then(|statements| {
        statements.into_iter().try_for_each(|statement| print(session.query(statement)?))
    });
    if let Err(e) = done {
        tell(&e.text());
    }
}

fn is_end(line: &str) -> bool {
    matches!(line.trim().trim_end_matches(';'), "quit" | "exit" | "\\q")
}

/// Returns where lines are kept, by the XDG base directories.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|path| !path.is_empty());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
    Some(state.map(PathBuf::from).or_else(home)?.join("trevni/history"))
}

/// Completes words, and continues a statement that has not ended.
#[derive(Helper, Highlighter, Hinter)]
struct SqlHelper {
    names: Vec<String>,
}

impl Validator for SqlHelper {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let text = context.input().trim();
        let is_whole = text.is_empty() || text.ends_with(';') || text == "help" || is_end(text);
        Ok(match is_whole {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Completer for SqlHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(complete(&self.names, line.get(..at).unwrap_or(line)))
    }
}

/// Returns where the last word of a text starts, and what it may become: names, then words of SQL.
fn complete(names: &[String], text: &str) -> (usize, Vec<Pair>) {
    let is_apart = |c: char| c != '_' && !c.is_alphanumeric();
    let start = text
        .rfind(is_apart)
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let begun = text.get(start..).unwrap_or_default();
    if begun.is_empty() {
        return (start, Vec::new());
    }
    let of_begun = |word: &&str| {
        let head = word.get(..begun.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(begun))
    };
    let words = names.iter().map(String::as_str).chain(WORDS.iter().copied()).filter(of_begun);
    let pair = |word: &str| Pair { display: word.to_owned(), replacement: word.to_owned() };
    (start, words.map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_words() {
        let names = ["selected".to_owned(), "mag".to_owned()];
        let (start, found) = complete(&names, "SELECT mag, sel");
        let found: Vec<_> = found.into_iter().map(|pair| pair.replacement).collect();
        assert_eq!((start, found), (12, vec!["selected".to_owned(), "SELECT".to_owned()]));
        assert!(complete(&names, "SELECT ").1.is_empty());
        assert_eq!(complete(&names, "é").0, 0);
    }
}
