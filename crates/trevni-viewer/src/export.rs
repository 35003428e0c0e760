//! One page with everything in it: its own scripts, and the answers to all requests that it will make.
//!
//! ```text
//! index.html ──► <style> style.css
//!                <script type="application/json"> {"open":..., "rows":..., "blocks":[...], "values":{...}, ...}
//!                <script> page.js and the modules that it imports, each a function
//! ```
//! Such a page reads no file: it has some rows and cannot filter them.

use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};

use serde_json::{Map, Value as Json, json};
use trevni::{Error, Result};

use crate::page::{ASSETS, Asset};
use crate::request::Request;
use crate::session::{RowRange, Session};
use crate::{rows, values};

/// Values of a page, at most: those of its first rows.
const MOST_VALUES: usize = 200_000;

/// Blocks of a page that have their encodings in it, at most.
const MOST_BLOCKS: usize = 5_000;

/// The modules, each after those that it imports.
const MODULES: [&str; 9] = [
    "elements.js",
    "compare.js",
    "engine.js",
    "folder.js",
    "picture.js",
    "table.js",
    "values.js",
    "verify.js",
    "page.js",
];

/// A page that has been made.
#[derive(Debug)]
pub struct Export {
    /// The page.
    pub html: String,
    /// How many rows are in it.
    pub rows: u64,
    /// Whether the file has others.
    pub is_cut: bool,
}

impl Session {
    /// Makes one page that shows the file without reading it: its first rows, its schema, its blocks, and the values of
    /// its columns. All of the file is read for it.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn export(&self) -> Result<Export> {
        let mut open = self.answer_to(Request::Open)?;
        let (found, rows, is_cut) = self.first_rows()?;
        if let Some(open) = open.as_object_mut() {
            open.insert("inPage".into(), rows.into());
            open.insert("rows".into(), self.row_count.unwrap_or(rows).into());
            open.insert("other".into(), Json::Null);
        }
        let names = self.schema.fields().iter().map(|field| field.name().clone());
        let values = names.map(|name| Ok((name.clone(), values::values(self, name)?)));
        let answers = json!({
            "open": open,
            "rows": found,
            "values": values.collect::<Result<Map<_, _>>>()?,
            "columns": self.columns()?,
        });
        let html = page(&answers)?;
        Ok(Export { html, rows, is_cut })
    }

    /// Returns the answer of the first rows, how many they are, and whether there are others.
    fn first_rows(&self) -> Result<(Json, u64, bool)> {
        let columns = self.schema.fields().len().clamp(1, rows::MOST_COLUMNS);
        let most = (MOST_VALUES / columns).max(1);
        // One more shows whether there are others.
        let range = RowRange { count: Some(most as u64 + 1), ..RowRange::default() };
        let (names, mut found) = rows::read(self, range)?;
        let is_cut = found.len() > most;
        found.truncate(most);
        let count = found.len() as u64;
        Ok((json!({ "columns": names, "rows": found }), count, is_cut))
    }

    /// Returns the answers about each column: its blocks, how they are encoded, and their faults.
    fn columns(&self) -> Result<Vec<Json>> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let count = file.columns().len();
        let sizes = (0..count).map(|column| Ok(file.blocks(column)?.len()));
        let with_encodings = sizes.sum::<Result<usize>>()? <= MOST_BLOCKS;
        let answers = (0..count).map(|column| {
            let blocks = if with_encodings { file.blocks(column)?.len() } else { 0 };
            let encodings = (0..blocks).map(|block| {
                let answer = self.answer_to(Request::Block { column, block });
                // A fault is an answer too.
                answer.unwrap_or_else(|e| json!({ "error": e.to_string() }))
            });
            Ok(json!({
                "blocks": self.answer_to(Request::Blocks { column })?,
                "block": encodings.collect::<Vec<_>>(),
                "verify": self.answer_to(Request::Verify { column })?,
            }))
        });
        answers.collect()
    }
}

fn page(answers: &Json) -> Result<String> {
    let [html, style] = ["", "style.css"].map(asset);
    // A value that ended the script would only end it for a page that knows this number.
    let nonce = format!("{:016x}", RandomState::new().hash_one(answers.to_string()));
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'"
    );
    let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    let answers = answers.to_string().replace('<', "\\u003c");
    let parts = [
        ("data-engine=\"server\"", "data-engine=\"embedded\"".to_owned()),
        ("<meta charset=\"utf-8\">", format!("<meta charset=\"utf-8\">\n{meta}")),
        (
            "<link rel=\"stylesheet\" href=\"style.css\">",
            format!("<style nonce=\"{nonce}\">\n{}</style>", style?),
        ),
        ("<script type=\"module\" src=\"page.js\"></script>\n", String::new()),
        (
            "</body>",
            format!(
                "<script type=\"application/json\" id=\"answers\">{answers}</script>\n\
                 <script nonce=\"{nonce}\">\n{}</script>\n</body>",
                script()?
            ),
        ),
    ];
    let mut html = html?.to_owned();
    for (old, new) in parts {
        let at = html.find(old).ok_or_else(|| Error::invalid(format!("a page without {old}")))?;
        html.replace_range(at..at + old.len(), &new);
    }
    Ok(html)
}

/// Returns the scripts as one: browsers load no modules from a file of this machine.
fn script() -> Result<String> {
    let mut script = String::from("\"use strict\";\nconst modules = {};\n");
    for name in MODULES {
        let _ = writeln!(script, "modules[\"./{name}\"] = (() => {{");
        let mut exported = Vec::new();
        for line in asset(name)?.lines() {
            if let Some((names, from)) =
                line.strip_prefix("import ").and_then(|line| line.split_once(" from "))
            {
                let _ =
                    writeln!(script, "const {names} = modules[{}];", from.trim_end_matches(';'));
                continue;
            }
            let code = line.strip_prefix("export ");
            exported.extend(code.and_then(name_of));
            script.push_str(code.unwrap_or(line));
            script.push('\n');
        }
        let _ = writeln!(script, "return {{ {} }};\n}})();", exported.join(", "));
    }
    Ok(script)
}

/// Returns the name that a line declares.
fn name_of(code: &str) -> Option<&str> {
    let code = code.strip_prefix("async ").unwrap_or(code);
    let code = ["function ", "class ", "const "].iter().find_map(|word| code.strip_prefix(word))?;
    code.split(|c: char| !c.is_ascii_alphanumeric()).next()
}

fn asset(path: &str) -> Result<&'static str> {
    let found = ASSETS.iter().find(|asset: &&Asset| asset.path == path);
    let text = found.and_then(|asset| std::str::from_utf8(asset.bytes).ok());
    text.ok_or_else(|| Error::invalid(format!("no file {path:?} of the page")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_of_the_page_is_in_the_one() {
        let scripts = ASSETS.iter().filter(|asset| asset.path.ends_with(".js")).count();
        assert_eq!(scripts, MODULES.len());
        let script = script().unwrap();
        for line in script.lines() {
            assert!(!line.starts_with("import ") && !line.starts_with("export "), "{line}");
        }
        assert!(!script.contains("</script") && !script.contains("<!--"));
        assert!(
            script.contains("return { number, escaped, create, bytes };"),
            "the names of elements.js"
        );
    }
}
