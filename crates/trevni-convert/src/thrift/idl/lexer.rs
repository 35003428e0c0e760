//! Splits IDL text into tokens.
//!
//! ```text
//! Point  shared.Point  i32     a name          "text" 'text'          a literal
//! 12  -7  0x1F                 an integer      { } [ ] ( ) < > , ; : = * &    marks
//! 1.5  -2e9                    a double        // #  /* */            comments, left out
//! ```

use trevni::{Error, Result};

/// A word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Int(i64),
    Double(f64),
    Text(String),
    Mark(char),
    End,
}

impl Token<'_> {
    /// Returns what it is called in errors.
    pub(super) fn said(&self) -> String {
        match self {
            Token::Name(name) => format!("{name:?}"),
            Token::Int(n) => n.to_string(),
            Token::Double(n) => n.to_string(),
            Token::Text(_) => "a literal".to_owned(),
            Token::Mark(mark) => format!("{mark:?}"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Splits text into tokens.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    /// What the text is called in errors.
    pub(super) file: &'a str,
    rest: &'a str,
    /// The line that is read, from 1.
    pub(super) line: u32,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { file, rest, line: 1 }
    }

    /// Returns an error at a line.
    pub(super) fn wrong(&self, line: u32, what: &str) -> Error {
        Error::malformed(format!("{}, line {line}: {what}", self.file))
    }

    /// Returns the next word.
    pub(super) fn next(&mut self) -> Result<Token<'a>> {
        self.pass_blanks()?;
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
                Ok(Token::Name(self.take_while(part)))
            }
            '0'..='9' | '+' | '-' | '.' => self.number(),
            '"' | '\'' => self.literal(first),
            '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | ',' | ';' | ':' | '=' | '*' | '&' => {
                self.pass(1);
                Ok(Token::Mark(first))
            }
            other => Err(self.wrong(self.line, &format!("{other:?} has no meaning here"))),
        }
    }

    /// Advances by some bytes, which end at a character boundary; counts lines.
    fn pass(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let lines = passed.bytes().filter(|b| *b == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.rest = rest;
        passed
    }

    fn take_while(&mut self, part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        self.pass(end)
    }

    fn pass_blanks(&mut self) -> Result<()> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest.starts_with("//") || self.rest.starts_with('#') {
                self.take_while(|c| c != '\n');
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                let end = comment.find("*/");
                let end = end.ok_or_else(|| self.wrong(self.line, "a comment has no end"))?;
                self.pass(end + 4);
            } else {
                return Ok(());
            }
        }
    }

    fn number(&mut self) -> Result<Token<'a>> {
        let unsigned = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
        let hex = unsigned.starts_with("0x") || unsigned.starts_with("0X");
        let mut before = 'e';
        let mut behind = |c: char| {
            // A sign is at the start, or after the e of an exponent.
            let signed = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
            before = if hex { ' ' } else { c };
            !(signed || c.is_ascii_alphanumeric() || c == '.')
        };
        let end = self.rest.find(&mut behind).unwrap_or(self.rest.len());
        let line = self.line;
        let text = self.pass(end);
        number(text).ok_or_else(|| self.wrong(line, &format!("{text:?} is no number of 64 bits")))
    }

    fn literal(&mut self, quote: char) -> Result<Token<'a>> {
        let line = self.line;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.pass(at + 1);
                return Ok(Token::Text(text));
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next().map(|(_, c)| c) {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some(c @ ('"' | '\'' | '\\')) => text.push(c),
                Some(c) => {
                    let what = format!("a literal has the unknown escape {:?}", format!("\\{c}"));
                    return Err(self.wrong(line, &what));
                }
                None => break,
            }
        }
        Err(self.wrong(line, "a literal has no end"))
    }
}

fn number<'a>(text: &str) -> Option<Token<'a>> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        if hex.starts_with(['+', '-']) {
            return None;
        }
        return i64::from_str_radix(&format!("{sign}{hex}"), 16).ok().map(Token::Int);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return format!("{sign}{digits}").parse().ok().map(Token::Int);
    }
    format!("{sign}{digits}").parse().ok().map(Token::Double)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<Token<'_>>> {
        let mut lexer = Lexer::new("IDL", text);
        let mut tokens = Vec::new();
        loop {
            match lexer.next()? {
                Token::End => return Ok(tokens),
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn words_of_every_kind() {
        use Token::*;
        let text = "a.b_1 /* x\n*/ 12 -7 +3 0x1F -0xff 1.5 -2e9 .5 1e+3 'it\\'s' \"\\\"\\n\" // c\n# d\n{<*";
        let wanted = [
            Name("a.b_1"),
            Int(12),
            Int(-7),
            Int(3),
            Int(31),
            Int(-255),
            Double(1.5),
            Double(-2e9),
            Double(0.5),
            Double(1000.0),
            Text("it's".into()),
            Text("\"\n".into()),
            Mark('{'),
            Mark('<'),
            Mark('*'),
        ];
        assert_eq!(all(text).unwrap(), wanted);
        assert_eq!(all("-9223372036854775808 0xE+1").unwrap(), [Int(i64::MIN), Int(14), Int(1)]);
    }

    #[test]
    fn what_is_no_word_is_told_with_its_line() {
        for (text, wanted) in [
            ("\n @x", "malformed: IDL, line 2: '@' has no meaning here"),
            ("a\n/* b\n", "malformed: IDL, line 2: a comment has no end"),
            ("'a\nb", "malformed: IDL, line 1: a literal has no end"),
            ("'\\", "malformed: IDL, line 1: a literal has no end"),
            ("'\\q'", "malformed: IDL, line 1: a literal has the unknown escape \"\\\\q\""),
            (
                "9223372036854775808",
                "malformed: IDL, line 1: \"9223372036854775808\" is no number of 64 bits",
            ),
            ("-inf", "malformed: IDL, line 1: \"-inf\" is no number of 64 bits"),
            ("0x", "malformed: IDL, line 1: \"0x\" is no number of 64 bits"),
            ("0x-1", "malformed: IDL, line 1: \"0x\" is no number of 64 bits"),
            ("1x", "malformed: IDL, line 1: \"1x\" is no number of 64 bits"),
            ("-", "malformed: IDL, line 1: \"-\" is no number of 64 bits"),
            ("é", "malformed: IDL, line 1: 'é' has no meaning here"),
        ] {
            assert_eq!(all(text).unwrap_err().to_string(), wanted, "{text}");
        }
    }
}
