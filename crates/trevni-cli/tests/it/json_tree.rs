//! JSON texts, parsed so that nothing is lost: order, repeated members, the bits of numbers.

use serde_json::Value as Json;

/// Members in order, repeated ones too, and numbers as the bits of their type.
#[derive(Debug, PartialEq)]
pub enum Tree {
    Leaf(Json),
    Number(u64),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// A JSON text, as [`Tree`]; numbers in the members named in `singles` are parsed as `f32`.
pub fn tree(text: &str, singles: &[String]) -> Tree {
    let mut at = Parser { rest: text.trim(), singles, single: false };
    let tree = at.value();
    assert_eq!(at.rest, "", "{text}");
    tree
}

struct Parser<'a> {
    rest: &'a str,
    singles: &'a [String],
    /// Whether the member at hand is one of them.
    single: bool,
}

impl Parser<'_> {
    fn value(&mut self) -> Tree {
        match self.peek() {
            '{' => {
                let outer = self.single;
                Tree::Object(self.members('}', |p| {
                    let Tree::Leaf(Json::String(key)) = p.value() else { panic!("no key") };
                    assert!(p.take(':'));
                    // A value with children (`value$`) has the type of its array.
                    p.single = if key == "value$" { outer } else { p.singles.contains(&key) };
                    (key, p.value())
                }))
            }
            '[' => Tree::List(self.members(']', Parser::value)),
            _ => self.leaf(),
        }
    }

    fn members<T>(&mut self, end: char, mut member: impl FnMut(&mut Self) -> T) -> Vec<T> {
        self.rest = &self.rest[1..];
        let mut all = Vec::new();
        while !self.take(end) {
            all.push(member(self));
            self.take(',');
        }
        all
    }

    fn leaf(&mut self) -> Tree {
        let mut stream = serde_json::Deserializer::from_str(self.rest).into_iter::<Json>();
        let value = stream.next().unwrap().unwrap();
        let n = stream.byte_offset();
        let text = &self.rest[..n];
        self.rest = self.rest[n..].trim_start();
        match value {
            Json::Number(_) if text.contains(['.', 'E', 'e']) => Tree::Number(match self.single {
                true => text.parse::<f32>().unwrap().to_bits().into(),
                false => text.parse::<f64>().unwrap().to_bits(),
            }),
            other => Tree::Leaf(other),
        }
    }

    fn peek(&self) -> char {
        self.rest.chars().next().unwrap()
    }

    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => {
                self.rest = self.rest.trim_start();
                false
            }
        }
    }
}
