//! Parses the text of a predicate; the inverse of [`display`](super::display).
//!
//! ```text
//! any         all or all ...                 all    one and one ...          one    not one │ (any) │ condition
//! condition   column                         column sign literal             column is [not] null
//!             column [not] in (literal, ...) column [not] between literal and literal
//!             column sign column             column [not] like 'text'     column [not] ilike 'text'
//! ```

use super::lexer::{Placed, Token, fault, tokens};
use super::literal::{Literal, LiteralKind};
use super::number::Number;
use super::{ColumnPath, Node, Operator};
use crate::error::{Error, Result};

/// The maximum nesting depth of parentheses and `not`.
const DEEPEST: usize = 100;

/// Keywords, which are names only in quotes.
pub(super) const WORDS: [&str; 11] =
    ["and", "or", "not", "in", "is", "null", "between", "true", "false", "like", "ilike"];

/// Parses a condition.
pub(super) fn parse(text: &str) -> Result<Node> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, depth: 0 };
    let node = parser.any()?;
    match parser.token() {
        Token::End => Ok(node),
        _ => Err(parser.expected("`and`, `or` or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |placed| &placed.token)
    }

    /// Returns an error that names what was expected instead of the next token.
    fn expected(&self, what: &str) -> Error {
        let at = self.tokens.get(self.next).map_or(self.text.len(), |placed| placed.at);
        let found = match self.token() {
            Token::Word(word) => format!("`{word}`"),
            Token::Quoted(name) => format!("the name {name:?}"),
            Token::Literal(literal) => literal.describe(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        fault(self.text, at, &format!("expected {what} instead of {found},"))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is = matches!(self.token(), Token::Word(found) if found.eq_ignore_ascii_case(word));
        self.next += usize::from(is);
        is
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is = matches!(self.token(), Token::Sign(found) if *found == sign);
        self.next += usize::from(is);
        is
    }

    fn need_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn need_sign(&mut self, sign: &str) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn any(&mut self) -> Result<Node> {
        let mut nodes = vec![self.all()?];
        while self.take_word("or") {
            nodes.push(self.all()?);
        }
        Ok(Node::any(nodes))
    }

    fn all(&mut self) -> Result<Node> {
        let mut nodes = vec![self.one()?];
        while self.take_word("and") {
            nodes.push(self.one()?);
        }
        Ok(Node::all(nodes))
    }

    fn one(&mut self) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.expected("fewer parentheses and `not`"));
        }
        let node = if self.take_word("not") {
            Node::Not(Box::new(self.one()?))
        } else if self.take_sign("(") {
            let node = self.any()?;
            self.need_sign(")")?;
            node
        } else {
            self.condition()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn condition(&mut self) -> Result<Node> {
        let column = self.column()?;
        if let Some(operator) = self.operator() {
            if self.is_column() {
                return Ok(Node::CompareColumns { left: column, operator, right: self.column()? });
            }
            return Ok(Node::Compare {
                column,
                operator,
                literal: self.literal("a literal or a column")?,
            });
        }
        if self.take_word("is") {
            let negated = self.take_word("not");
            self.need_word("null")?;
            return Ok(negate(Node::IsNull(column), negated));
        }
        let negated = self.take_word("not");
        if self.take_word("in") {
            let literals = self.literals()?;
            return Ok(negate(Node::In { column, literals }, negated));
        }
        if self.take_word("between") {
            return Ok(negate(self.between(column)?, negated));
        }
        for (word, ignore_case) in [("like", false), ("ilike", true)] {
            if self.take_word(word) {
                let pattern = self.pattern()?;
                return Ok(negate(Node::Like { column, pattern, ignore_case }, negated));
            }
        }
        if negated {
            return Err(self.expected("`in`, `between`, `like` or `ilike`"));
        }
        Ok(Node::IsTrue(column))
    }

    fn pattern(&mut self) -> Result<String> {
        let Token::Literal(Literal(LiteralKind::Text(pattern))) = self.token() else {
            return Err(self.expected("a text"));
        };
        let pattern = pattern.clone();
        self.next += 1;
        Ok(pattern)
    }

    fn is_column(&self) -> bool {
        match self.token() {
            Token::Quoted(_) => true,
            Token::Word(word) => !is_of_language(word) && !is_number(word),
            _ => false,
        }
    }

    fn column(&mut self) -> Result<ColumnPath> {
        let (mut names, mut is_dotted) = (Vec::new(), true);
        loop {
            match self.token() {
                Token::Quoted(name) => {
                    is_dotted = false;
                    names.push(name.clone());
                }
                Token::Word(word) if !is_of_language(word) => names.push(word.clone()),
                _ => return Err(self.expected("a column")),
            }
            self.next += 1;
            if !self.take_sign(".") {
                return Ok(ColumnPath::new(names, is_dotted));
            }
        }
    }

    fn operator(&mut self) -> Option<Operator> {
        let Token::Sign(sign) = self.token() else { return None };
        let operator = match *sign {
            "=" | "==" => Operator::Eq,
            "!=" | "<>" => Operator::Ne,
            "<" => Operator::Lt,
            "<=" => Operator::Le,
            ">" => Operator::Gt,
            ">=" => Operator::Ge,
            _ => return None,
        };
        self.next += 1;
        Some(operator)
    }

    fn literal(&mut self, expected: &str) -> Result<Literal> {
        let literal = match self.token() {
            Token::Literal(literal) => literal.clone(),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => true.into(),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => false.into(),
            Token::Word(word) if is_number(word) => {
                Literal(LiteralKind::Number(Number::parse(word)?))
            }
            Token::Word(word) if word.eq_ignore_ascii_case("null") => {
                return Err(self.expected("a literal, or `is null` for the comparison,"));
            }
            _ => return Err(self.expected(expected)),
        };
        self.next += 1;
        Ok(literal)
    }

    fn literals(&mut self) -> Result<Vec<Literal>> {
        self.need_sign("(")?;
        let mut literals = Vec::new();
        if self.take_sign(")") {
            return Ok(literals);
        }
        loop {
            literals.push(self.literal("a literal")?);
            if self.take_sign(")") {
                return Ok(literals);
            }
            if !self.take_sign(",") {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }

    fn between(&mut self, column: ColumnPath) -> Result<Node> {
        let least = self.literal("a literal")?;
        self.need_word("and")?;
        let most = self.literal("a literal")?;
        let (operator, literal) = (Operator::Ge, least);
        let from = Node::Compare { column: column.clone(), operator, literal };
        let (operator, literal) = (Operator::Le, most);
        Ok(Node::And(vec![from, Node::Compare { column, operator, literal }]))
    }
}

fn negate(node: Node, negated: bool) -> Node {
    if negated { Node::Not(Box::new(node)) } else { node }
}

/// Returns whether a word is one of the language's own.
pub(super) fn is_of_language(word: &str) -> bool {
    WORDS.iter().any(|own| word.eq_ignore_ascii_case(own))
}

/// Returns whether a word is a number where a literal may be.
pub(super) fn is_number(word: &str) -> bool {
    ["nan", "inf"].iter().any(|number| word.eq_ignore_ascii_case(number))
}
