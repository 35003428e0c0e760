//! Parses an IDL file.
//!
//! ```text
//! document ─► definition ─► field ─► type, value (term.rs)         a token ahead is enough everywhere
//! ```

use std::collections::{HashMap, HashSet};

use super::lexer::{Lexer, Token};
use super::{Definition, Document, FieldDefinition, Include, Requiredness, TypeName};
use trevni::{Error, Result};

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub(super) token: Token<'a>,
    /// The line of the token.
    pub(super) line: u32,
    document: Document,
    /// Where each name is defined.
    lines: HashMap<String, u32>,
}

impl Document {
    /// Parses the text of a file, which is called `file` in errors.
    pub(in crate::thrift) fn parse(file: &str, text: &str) -> Result<Self> {
        let lexer = Lexer::new(file, text);
        let (document, lines) = (Document::default(), HashMap::new());
        let mut parser = Parser { lexer, token: Token::End, line: 1, document, lines };
        parser.advance()?;
        while parser.token != Token::End {
            parser.statement()?;
            parser.separator()?;
        }
        Ok(parser.document)
    }
}

impl<'a> Parser<'a> {
    /// Returns the current token and reads the next.
    pub(super) fn advance(&mut self) -> Result<Token<'a>> {
        let token = self.lexer.next()?;
        self.line = self.lexer.line;
        Ok(std::mem::replace(&mut self.token, token))
    }

    pub(super) fn wrong(&self, what: &str) -> Error {
        self.lexer.wrong(self.line, what)
    }

    pub(super) fn unfit(&self, wanted: &str) -> Error {
        self.wrong(&format!("{} found instead of {wanted}", self.token.said()))
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.token == Token::Mark(mark)
    }

    pub(super) fn eat(&mut self, mark: char) -> Result<bool> {
        let found = self.is_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn want(&mut self, mark: char) -> Result<()> {
        match self.eat(mark)? {
            true => Ok(()),
            false => Err(self.unfit(&format!("{mark:?}"))),
        }
    }

    pub(super) fn name(&mut self, wanted: &str) -> Result<&'a str> {
        match self.token {
            Token::Name(name) => self.advance().map(|_| name),
            _ => Err(self.unfit(wanted)),
        }
    }

    /// Returns a name of something new, which has no dots.
    fn new_name(&mut self, wanted: &str) -> Result<&'a str> {
        match self.token {
            Token::Name(name) if !name.contains('.') => self.advance().map(|_| name),
            _ => Err(self.unfit(wanted)),
        }
    }

    pub(super) fn eat_name(&mut self, name: &str) -> Result<bool> {
        let found = self.token == Token::Name(name);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn literal(&mut self, wanted: &str) -> Result<String> {
        match &mut self.token {
            Token::Text(text) => {
                let text = std::mem::take(text);
                self.advance().map(|_| text)
            }
            _ => Err(self.unfit(wanted)),
        }
    }

    pub(super) fn separator(&mut self) -> Result<()> {
        if !self.eat(',')? {
            self.eat(';')?;
        }
        Ok(())
    }

    /// Parses `(a = "b", c)`, if present.
    pub(super) fn annotations(&mut self) -> Result<()> {
        if !self.eat('(')? {
            return Ok(());
        }
        while !self.eat(')')? {
            self.name("the name of an annotation")?;
            if self.eat('=')? {
                self.literal("the literal of an annotation")?;
            }
            self.separator()?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<()> {
        let line = self.line;
        match self.name("a definition")? {
            "include" => {
                let path = self.literal("the path of a file")?;
                self.document.includes.push(Include { path, line });
                Ok(())
            }
            "cpp_include" => self.literal("the path of a file").map(|_| ()),
            "namespace" => self.namespace(),
            "const" => self.constant(line),
            "typedef" => self.typedef(line),
            "enum" => self.enumeration(line),
            "senum" => self.text_enumeration(line),
            "struct" | "exception" => self.record(line, false),
            "union" => self.record(line, true),
            "service" => self.service(),
            other => {
                Err(self.lexer.wrong(line, &format!("{other:?} found instead of a definition")))
            }
        }
    }

    fn namespace(&mut self) -> Result<()> {
        if !self.eat('*')? {
            self.name("a language")?;
        }
        match self.token {
            Token::Text(_) => self.literal("a namespace").map(|_| ())?,
            _ => self.name("a namespace").map(|_| ())?,
        }
        self.annotations()
    }

    fn define(&mut self, line: u32, name: &str, definition: Definition) -> Result<()> {
        if let Some(before) = self.lines.insert(name.to_owned(), line) {
            let what = format!("{name:?} is defined before, in line {before}");
            return Err(self.lexer.wrong(line, &what));
        }
        self.document.definitions.insert(name.to_owned(), definition);
        Ok(())
    }

    fn constant(&mut self, line: u32) -> Result<()> {
        let type_name = self.type_name(0)?;
        let name = self.new_name("the name of a constant")?;
        self.want('=')?;
        let value = self.value(0)?;
        self.define(line, name, Definition::Const(type_name, value))
    }

    fn typedef(&mut self, line: u32) -> Result<()> {
        let type_name = self.type_name(0)?;
        let name = self.new_name("the name of a type")?;
        self.annotations()?;
        self.define(line, name, Definition::Typedef(type_name))
    }

    fn enumeration(&mut self, line: u32) -> Result<()> {
        let enum_name = self.new_name("the name of an enum")?;
        self.want('{')?;
        let (mut names, mut known) = (Vec::new(), HashSet::new());
        let mut next = Some(0i32);
        while !self.eat('}')? {
            let line = self.line;
            let name = self.new_name("the name of a number")?;
            if !known.insert(name) {
                return Err(self.lexer.wrong(line, &format!("{name:?} is twice in one enum")));
            }
            if self.eat('=')? {
                next = Some(self.int("the number of a name")?);
            }
            let number =
                next.ok_or_else(|| self.lexer.wrong(line, &format!("{name:?} is out of 32 bits")))?;
            names.push((name.to_owned(), number));
            next = number.checked_add(1);
            self.annotations()?;
            self.separator()?;
        }
        self.annotations()?;
        self.define(line, enum_name, Definition::Enum(names))
    }

    /// The old enum of texts: a string by another name.
    fn text_enumeration(&mut self, line: u32) -> Result<()> {
        let name = self.new_name("the name of an enum")?;
        self.want('{')?;
        while !self.eat('}')? {
            self.literal("a literal")?;
            self.separator()?;
        }
        self.annotations()?;
        self.define(line, name, Definition::Typedef(TypeName::Text))
    }

    fn int<T: TryFrom<i64>>(&mut self, wanted: &str) -> Result<T> {
        let Token::Int(n) = self.token else { return Err(self.unfit(wanted)) };
        let bits = 8 * size_of::<T>();
        let fit =
            T::try_from(n).map_err(|_| self.wrong(&format!("{n} does not fit {bits} bits")))?;
        self.advance().map(|_| fit)
    }

    fn record(&mut self, line: u32, union: bool) -> Result<()> {
        let name = self.new_name("the name of a struct")?;
        self.eat_name("xsd_all")?;
        self.want('{')?;
        let mut fields = Vec::new();
        let (mut ids, mut names) = (HashSet::new(), HashSet::new());
        let mut next_id = -1i16;
        while !self.eat('}')? {
            let field = self.field(&mut next_id)?;
            let twice = match (ids.insert(field.id), names.insert(field.name.clone())) {
                (false, _) => Some(format!("field id {}", field.id)),
                (_, false) => Some(format!("field {:?}", field.name)),
                _ => None,
            };
            if let Some(what) = twice {
                return Err(self.lexer.wrong(field.line, &format!("{what} is twice in {name:?}")));
            }
            fields.push(field);
        }
        self.annotations()?;
        if !union {
            self.document.structs.push(name.to_owned());
        }
        self.define(line, name, Definition::Record { union, fields })
    }

    /// Returns a field; one without an id gets the next of those below zero.
    fn field(&mut self, next_id: &mut i16) -> Result<FieldDefinition> {
        let line = self.line;
        let id = match self.token {
            Token::Int(_) => {
                let id = self.int("the id of a field")?;
                self.want(':')?;
                id
            }
            _ => {
                let id = *next_id;
                let below = id.checked_sub(1);
                *next_id = below.ok_or_else(|| self.wrong("too many fields without an id"))?;
                id
            }
        };
        let requiredness = if self.eat_name("required")? {
            Requiredness::Required
        } else if self.eat_name("optional")? {
            Requiredness::Optional
        } else {
            Requiredness::Default
        };
        let type_name = self.type_name(0)?;
        self.eat('&')?;
        let name = self.new_name("the name of a field")?.to_owned();
        let default = if self.eat('=')? { Some(self.value(0)?) } else { None };
        for mark in ["xsd_optional", "xsd_nillable"] {
            self.eat_name(mark)?;
        }
        self.annotations()?;
        self.separator()?;
        Ok(FieldDefinition { id, name, requiredness, type_name, default, line })
    }

    /// Skips a service up to its closing brace.
    fn service(&mut self) -> Result<()> {
        let line = self.line;
        self.new_name("the name of a service")?;
        if self.eat_name("extends")? {
            self.name("the name of a service")?;
        }
        self.want('{')?;
        let mut open = 1u64;
        while open > 0 {
            match self.advance()? {
                Token::Mark('{') => open += 1,
                Token::Mark('}') => open -= 1,
                Token::End => return Err(self.lexer.wrong(line, "a service has no end")),
                _ => {}
            }
        }
        self.annotations()
    }
}
