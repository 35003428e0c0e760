//! YAML, as the proposals use it.
//!
//! ```text
//! # a comment
//! dtype:                              a map, by deeper indentation
//!   col1: int8
//! chunkshape: (30, 20)                a list, also [30, 20]; (5,) has one item
//! compression: {library: blosclz}     a map on one line
//! order: C         # default: C       true, 5, 0.5, null are typed; 'C' and "C" are texts
//! ```
//! The crate `saphyr-parser` parses; this module builds JSON values of its events. A plain text in parentheses is a
//! list, as in Python. Anchors and aliases are refused, since few bytes of them may stand for any amount of values.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Number, Value};

use super::excerpt;
use trevni::{Error, Result};

/// The maximum nesting depth of maps and lists.
const DEPTH: usize = 32;

/// Reads the one document of a text; `Null` if it has none. `what` names the file in errors.
pub(super) fn parse(what: &str, text: &str) -> Result<Value> {
    document(text).map_err(|message| Error::malformed(format!("{what}: {message}")))
}

/// A result whose error is a message without the name of the file, which [`parse`] adds.
type ParseResult<T> = std::result::Result<T, String>;

fn document(text: &str) -> ParseResult<Value> {
    let mut events = Events { parser: Parser::new_from_str(text) };
    let mut value = None;
    loop {
        match events.next()? {
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            Event::StreamEnd => return Ok(value.unwrap_or_default()),
            _ if value.is_some() => return Err("more than one document".into()),
            event => value = Some(events.value(event, DEPTH)?),
        }
    }
}

struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> ParseResult<Event<'a>> {
        match self.parser.next_event() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(e)) => Err(e.to_string()),
            None => Ok(Event::StreamEnd),
        }
    }

    /// Returns the value that begins with an event.
    fn value(&mut self, first: Event<'a>, depth: usize) -> ParseResult<Value> {
        match first {
            Event::Scalar(_, _, 1.., _)
            | Event::SequenceStart(1.., _)
            | Event::MappingStart(1.., _)
            | Event::Alias(_) => Err("anchors and aliases are not read".into()),
            Event::Scalar(text, ScalarStyle::Plain, _, None) => plain(&text),
            Event::Scalar(text, _, _, None) => Ok(text.into()),
            Event::SequenceStart(_, None) => self.list(deeper(depth)?),
            Event::MappingStart(_, None) => self.map(deeper(depth)?),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                Err("tags are not read".into())
            }
            _ => Err("the text ends within a value".into()),
        }
    }

    fn list(&mut self, depth: usize) -> ParseResult<Value> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(Value::Array(items)),
                event => items.push(self.value(event, depth)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> ParseResult<Value> {
        let mut map = Map::new();
        loop {
            let key = match self.next()? {
                Event::MappingEnd => return Ok(Value::Object(map)),
                event => match self.value(event, depth)? {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            let event = self.next()?;
            let value = self.value(event, depth)?;
            if map.insert(key.clone(), value).is_some() {
                return Err(format!("{} comes twice", excerpt::text(&key)));
            }
        }
    }
}

fn deeper(depth: usize) -> ParseResult<usize> {
    depth.checked_sub(1).ok_or_else(|| format!("nested deeper than {DEPTH} levels"))
}

/// Returns the value of a text without quotes.
fn plain(text: &str) -> ParseResult<Value> {
    match text.strip_prefix('(') {
        // With brackets it is a list of YAML, and has no parentheses to be replaced.
        Some(_) => document(&text.replace('(', "[").replace(')', "]")),
        None => Ok(scalar(text)),
    }
}

fn scalar(text: &str) -> Value {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match text {
        "" | "~" | "null" | "Null" | "None" => Value::Null,
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        _ if is_number => number(text).map_or_else(|| text.into(), Value::Number),
        _ => text.into(),
    }
}

fn number(text: &str) -> Option<Number> {
    let unsigned = text.parse::<u64>().ok().map(Number::from);
    let signed = || text.parse::<i64>().ok().map(Number::from);
    let float = || text.parse::<f64>().ok().and_then(Number::from_f64);
    unsigned.or_else(signed).or_else(float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_the_examples_of_the_proposals() {
        let storage = "
dtype: 
  col1: int8
  col2: float32
chunkshape: (30, 20)
superchunksize: 10  # max. number of chunks in a single file
endianness: big  # default: little
compression:
  library: blosclz   # could be zlib, fastlz or others
  level: 5
  filters: [shuffle, truncate]  # order matters
";
        let expected = json!({
            "dtype": {"col1": "int8", "col2": "float32"},
            "chunkshape": [30, 20],
            "superchunksize": 10,
            "endianness": "big",
            "compression": {"library": "blosclz", "level": 5, "filters": ["shuffle", "truncate"]},
        });
        assert_eq!(parse("x", storage).unwrap(), expected);
        let sizes = "shape: (5000000000,)\nnbytes: 5000000000\ncbytes: 24328038\n";
        let expected =
            json!({"shape": [5000000000u64], "nbytes": 5000000000u64, "cbytes": 24328038});
        assert_eq!(parse("x", sizes).unwrap(), expected);
        assert_eq!(parse("x", "(300, 200)\n").unwrap(), json!([300, 200]));
        let ids = "ids:\n  value: [1,3,6,10]\n  type: array\npressure:\n  value: 225.5\n";
        let expected =
            json!({"ids": {"value": [1, 3, 6, 10], "type": "array"}, "pressure": {"value": 225.5}});
        assert_eq!(parse("x", ids).unwrap(), expected);
    }

    #[test]
    fn reads_values_of_all_kinds() {
        let text = r#"
a: 'it''s # no comment'
"b c": "tab\t: \" }"
c: {x: [1, [2, 3,]], "y z": -1.5e3, e: , f: true}
d: "|S10"
e: (1, (2, 3,))
f: one, two
g: ~
h: []
i: http://x#y
j:
- 1
- |
  two
"#;
        let expected = json!({
            "a": "it's # no comment", "b c": "tab\t: \" }",
            "c": {"x": [1, [2, 3]], "y z": -1500.0, "e": null, "f": true},
            "d": "|S10", "e": [1, [2, 3]], "f": "one, two", "g": null, "h": [], "i": "http://x#y", "j": [1, "two\n"],
        });
        assert_eq!(parse("x", text).unwrap(), expected);
        assert_eq!(parse("x", " \n# nothing\n---\n").unwrap(), Value::Null);
    }

    #[test]
    fn refuses_what_it_does_not_read() {
        let deep_map: String = (0..100).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
        let deep_list = "a: ".to_owned() + &"[".repeat(100_000);
        for text in [
            "a: 1\n b: 2\n",
            "a:\n  b: 1\n c: 2\n",
            "a: 1\na: 2\n",
            "a: [1, 2\n",
            "a: [1 2)\n",
            "a: {b: 1\n",
            "a: 'x\n",
            "a: \"x\n",
            "a: - 1\n",
            "a: &x 1\nb: *x\n",
            "a: !t 1\n",
            "a: (1, 2\n",
            "a: 1\n---\nb: 2\n",
            "a: [1] 2\n",
            &deep_map,
            &deep_list,
            &deep_list.replace('[', "{"),
        ] {
            let found = parse("meta/x", text);
            assert!(found.is_err(), "{text:.60}: {found:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_a_value_or_an_error(words in proptest::collection::vec(
            proptest::sample::select(vec![
                "a", ":", " ", "\n", "  ", "- ", "[", "]", "{", "}", ",", "(", ")", "'", "\"", "\\", "#", "&x", "*x",
                "!t", "|", ">", "?", "---\n", "...\n", "%YAML 1.2\n", "\t", "\r", "1", "é", "\u{feff}", "<<", "\\u12",
            ]), 0..40,
        )) {
            let _ = parse("x", &words.concat());
        }
    }
}
