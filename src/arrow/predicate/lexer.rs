//! Splits the text of a predicate into tokens.
//!
//! ```text
//! price >= -1.5 and "a b".c in ('Ulm', x'00')
//! word  sign number word quoted . word word ( text , bytes )
//! ```

use super::literal::{Literal, LiteralKind};
use super::number::Number;
use crate::error::{Error, Result};

/// A piece of text that means something.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Letters, digits and `_`; a name, or a word of the language.
    Word(String),
    /// A name between double quotes.
    Quoted(String),
    Literal(Literal),
    Sign(&'static str),
    End,
}

/// A token, and the byte that it begins at.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) at: usize,
}

/// The longer of two that begin alike comes first.
const SIGNS: [&str; 13] = ["<=", ">=", "!=", "<>", "==", "<", ">", "=", "(", ")", ",", ".", "-"];

/// Cuts a text; the last token is its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let at = text.len() - rest.len();
        let (token, len) = next(rest).map_err(|what| fault(text, at, &what))?;
        let end = token == Token::End;
        all.push(Placed { token, at });
        if end {
            return Ok(all);
        }
        rest = rest.get(len..).unwrap_or("").trim_start();
    }
}

/// Returns an error with a marker under its position.
pub(super) fn fault(text: &str, at: usize, what: &str) -> Error {
    let before = text.get(..at).map_or(0, |before| before.chars().count());
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let place = before + 1;
    Error::invalid(format!("{what} at character {place}\n  {shown}\n  {:before$}^", ""))
}

/// Returns whether a name can begin so.
pub(super) fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Returns whether a character continues a name.
pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns the first token, and its length.
fn next(text: &str) -> Result<(Token, usize), String> {
    let Some(first) = text.chars().next() else { return Ok((Token::End, 0)) };
    if matches!(text.as_bytes(), [b'x' | b'X', b'\'', ..]) {
        let (digits, len) = quoted(text.get(1..).unwrap_or(""), '\'')?;
        let bytes = bytes(&digits).ok_or("x'...' needs pairs of the digits 0 to 9 and a to f")?;
        return Ok((Token::Literal(Literal(LiteralKind::Bytes(bytes))), len + 1));
    }
    match first {
        '\'' => {
            let (text, len) = quoted(text, '\'')?;
            Ok((Token::Literal(Literal(LiteralKind::Text(text))), len))
        }
        '"' => {
            let (name, len) = quoted(text, '"')?;
            Ok((Token::Quoted(name), len))
        }
        c if begins_word(c) => {
            let word = prefix(text, is_of_word);
            Ok((Token::Word(word.to_owned()), word.len()))
        }
        c if c.is_ascii_digit() || is_signed(text) => number(text),
        _ => match SIGNS.iter().find(|sign| text.starts_with(**sign)) {
            Some(sign) => Ok((Token::Sign(sign), sign.len())),
            None if matches!(first, '*' | '/' | '+' | '%') => {
                Err(format!("{first:?} is arithmetic, which conditions do not have,"))
            }
            None => Err(format!("{first:?} means nothing")),
        },
    }
}

fn prefix(text: &str, of: impl Fn(char) -> bool) -> &str {
    let len = text.find(|c| !of(c)).unwrap_or(text.len());
    text.get(..len).unwrap_or(text)
}

/// Returns whether a number begins with a sign.
fn is_signed(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or("");
    rest.starts_with(|c: char| c.is_ascii_digit()) || is_infinite(rest)
}

fn is_infinite(text: &str) -> bool {
    prefix(text, is_of_word).eq_ignore_ascii_case("inf")
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let mut before = ' ';
    let end = text.find(|c: char| {
        // A sign belongs to a number at its start and after an `e`.
        let signed = matches!(c, '+' | '-') && matches!(before, ' ' | 'e' | 'E');
        before = c;
        !(signed || c == '.' || is_of_word(c))
    });
    let written = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let number = Number::parse(written).map_err(|_| format!("{written} is no number"))?;
    Ok((Token::Literal(Literal(LiteralKind::Number(number))), written.len()))
}

/// Returns the text between quotes, in which two quotes are one, and its length with them.
fn quoted(text: &str, quote: char) -> Result<(String, usize), String> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            inner.push(c);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            inner.push(quote);
        } else {
            return Ok((inner, at + 1));
        }
    }
    Err(format!("a {quote} that is never closed"))
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |c: &u8| char::from(*c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let pair = |[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    if rest.is_empty() { pairs.iter().map(pair).collect() } else { None }
}
