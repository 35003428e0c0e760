//! Parses types and constant values, which nest.
//!
//! ```text
//! i32   shared.Point   list<T>   map<K, V>              3   2.5   "text"   Color.RED   [a, b]   {k: v}
//! ```

use super::lexer::Token;
use super::parse::Parser;
use super::{Content, TypeName, Value};
use trevni::Result;

/// Those nested deeper than this are refused.
const DEEPEST: usize = 64;

impl Parser<'_> {
    pub(super) fn type_name(&mut self, depth: usize) -> Result<TypeName> {
        if depth > DEEPEST {
            return Err(self.wrong(&format!("a type is nested deeper than {DEEPEST}")));
        }
        let line = self.line;
        let found = match self.name("a type")? {
            "bool" => TypeName::Bool,
            "byte" | "i8" => TypeName::I8,
            "i16" => TypeName::I16,
            "i32" => TypeName::I32,
            "i64" => TypeName::I64,
            "double" => TypeName::Double,
            "string" | "slist" => TypeName::Text,
            "binary" => TypeName::Binary,
            "uuid" => TypeName::Uuid,
            container @ ("list" | "set" | "map") => self.container(container, depth)?,
            name => TypeName::Named { name: name.to_owned(), line },
        };
        self.annotations()?;
        Ok(found)
    }

    fn container(&mut self, name: &str, depth: usize) -> Result<TypeName> {
        self.cpp_type()?;
        self.want('<')?;
        let first = Box::new(self.type_name(depth + 1)?);
        let found = match name {
            "list" => TypeName::List(first),
            "set" => TypeName::Set(first),
            _ => {
                self.want(',')?;
                TypeName::Map(first, Box::new(self.type_name(depth + 1)?))
            }
        };
        self.want('>')?;
        self.cpp_type()?;
        Ok(found)
    }

    fn cpp_type(&mut self) -> Result<()> {
        if self.eat_name("cpp_type")? {
            self.literal("a type of C++")?;
        }
        Ok(())
    }

    pub(super) fn value(&mut self, depth: usize) -> Result<Value> {
        if depth > DEEPEST {
            return Err(self.wrong(&format!("a value is nested deeper than {DEEPEST}")));
        }
        let line = self.line;
        if self.is_mark('[') || self.is_mark('{') {
            let content = self.values(depth)?;
            return Ok(Value { line, content });
        }
        if matches!(self.token, Token::Mark(_) | Token::End) {
            return Err(self.unfit("a value"));
        }
        let content = match self.advance()? {
            Token::Int(n) => Content::Int(n),
            Token::Double(n) => Content::Double(n),
            Token::Text(text) => Content::Text(text),
            Token::Name(name) => Content::Name(name.to_owned()),
            Token::Mark(_) | Token::End => return Err(self.unfit("a value")),
        };
        Ok(Value { line, content })
    }

    /// `[a, b]` or `{k: v}`.
    fn values(&mut self, depth: usize) -> Result<Content> {
        let mut items = Vec::new();
        if self.eat('[')? {
            while !self.eat(']')? {
                items.push(self.value(depth + 1)?);
                self.separator()?;
            }
            return Ok(Content::List(items));
        }
        self.want('{')?;
        let mut entries = Vec::new();
        while !self.eat('}')? {
            let key = self.value(depth + 1)?;
            self.want(':')?;
            entries.push((key, self.value(depth + 1)?));
            self.separator()?;
        }
        Ok(Content::Map(entries))
    }
}
