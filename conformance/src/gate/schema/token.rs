//! Splits the text of a schema into tokens.

use std::iter::Peekable;
use std::str::CharIndices;

use super::error::Place;
use super::error::SchemaError;

/// A token; comments and spaces are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Number(String),
    Text(String),
    Mark(char),
    End,
}

impl Token {
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Word(word) | Self::Number(word) => format!("`{word}`"),
            Self::Text(_) => "a string".to_owned(),
            Self::Mark(mark) => format!("`{mark}`"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    place: Place,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, file: usize) -> Self {
        Self { text, chars: text.char_indices().peekable(), place: Place { file, line: 1, column: 1 } }
    }

    /// Returns the next token, or [`Token::End`] after the last one.
    pub(super) fn next_token(&mut self) -> Result<(Token, Place), SchemaError> {
        self.skip_space_and_comments()?;
        let place = self.place;
        Ok((self.token()?, place))
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn position(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn next(&mut self) -> Option<char> {
        let (_, c) = self.chars.next()?;
        if c == '\n' {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    fn skip_space_and_comments(&mut self) -> Result<(), SchemaError> {
        loop {
            let rest = &self.text[self.position()..];
            if rest.starts_with("//") {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.next();
                }
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let start = self.place;
                let length = comment.find("*/").ok_or_else(|| start.error("a comment without its end `*/`"))?;
                let end = self.position() + 2 + length + 2;
                while self.position() < end {
                    self.next();
                }
            } else if rest.starts_with(|c: char| c.is_whitespace() || c == '\u{feff}') {
                self.next();
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, SchemaError> {
        let (start, place) = (self.position(), self.place);
        let Some(first) = self.next() else { return Ok(Token::End) };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok(Token::Word(self.take(start, word).to_owned()));
        }
        let next = self.peek().unwrap_or(' ');
        let signed = "+-".contains(first) && (next.is_ascii_alphanumeric() || next == '.');
        if first.is_ascii_digit() || signed || first == '.' && next.is_ascii_digit() {
            // A sign after `e` belongs to the number, except in a hexadecimal number, where `e` is a digit.
            let mut last = first;
            let mut hexadecimal = false;
            let number = self.take(start, |c| {
                hexadecimal |= last == '0' && matches!(c, 'x' | 'X');
                let exponent = matches!(last, 'e' | 'E' | 'p' | 'P') && (!hexadecimal || matches!(last, 'p' | 'P'));
                last = c;
                word(c) || c == '.' || "+-".contains(c) && exponent
            });
            return Ok(Token::Number(number.to_owned()));
        }
        if first == '"' || first == '\'' {
            return self.string(first, place);
        }
        if "{}()[]:;,=.|&".contains(first) {
            return Ok(Token::Mark(first));
        }
        Err(place.error(format!("an unexpected character {first:?}")))
    }

    fn take(&mut self, start: usize, mut belongs: impl FnMut(char) -> bool) -> &str {
        while self.peek().is_some_and(&mut belongs) {
            self.next();
        }
        let end = self.position();
        &self.text[start..end]
    }

    fn string(&mut self, quote: char, start: Place) -> Result<Token, SchemaError> {
        let mut content = String::new();
        loop {
            match self.next() {
                None | Some('\n') => return Err(start.error("a string without its closing quote")),
                Some(c) if c == quote => return Ok(Token::Text(content)),
                Some('\\') => content.push(self.escaped(start)?),
                Some(c) => content.push(c),
            }
        }
    }

    fn escaped(&mut self, string: Place) -> Result<char, SchemaError> {
        let place = self.place;
        let wrong = || place.error("found an unknown escape sequence, expected one of JSON or \\xHH");
        let first = self.next().ok_or_else(|| string.error("a string without its closing quote"))?;
        let code = match first {
            'n' => return Ok('\n'),
            't' => return Ok('\t'),
            'r' => return Ok('\r'),
            'b' => return Ok('\u{8}'),
            'f' => return Ok('\u{c}'),
            '"' | '\'' | '\\' | '/' => return Ok(first),
            // From 0x80 on, a byte is only part of a character in UTF-8.
            'x' => self.hexadecimal(2).filter(|code| *code < 0x80).ok_or_else(wrong)?,
            'u' => {
                let high = self.hexadecimal(4).ok_or_else(wrong)?;
                if !(0xd800..0xdc00).contains(&high) {
                    high
                } else {
                    let marked = self.next() == Some('\\') && self.next() == Some('u');
                    let low = if marked { self.hexadecimal(4) } else { None };
                    let low = low.filter(|low| (0xdc00..0xe000).contains(low)).ok_or_else(wrong)?;
                    0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)
                }
            }
            _ => return Err(wrong()),
        };
        char::from_u32(code).ok_or_else(wrong)
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        (0..digits).try_fold(0, |number, _| Some(number * 16 + self.next()?.to_digit(16)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token>, SchemaError> {
        let mut scanner = Scanner::new(text, 0);
        let mut tokens = Vec::new();
        while tokens.last() != Some(&Token::End) {
            tokens.push(scanner.next_token()?.0);
        }
        Ok(tokens)
    }

    #[test]
    fn comments_and_spaces_separate_tokens() {
        let found = tokens("a:/* b */int8=-0x1e-5 // c\n;[1.5e-3]").unwrap();
        let found: Vec<_> = found.iter().map(Token::in_words).collect();
        let expected = ["`a`", "`:`", "`int8`", "`=`", "`-0x1e`", "`-5`", "`;`", "`[`", "`1.5e-3`", "`]`"];
        assert_eq!(found[..found.len() - 1], expected);
    }

    #[test]
    fn strings_contain_escape_sequences() {
        let text = r#""a\n\t\"\/\x41\u00e9\ud83d\ude00" 'b"'"#;
        let found = tokens(text).unwrap();
        assert_eq!(found[..2], [Token::Text("a\n\t\"/A\u{e9}\u{1f600}".into()), Token::Text("b\"".into())]);
        for text in [r#""\q""#, r#""\u12""#, r#""\xff""#, r#""\ud83d""#, r#""\ud83d\u0041""#, r#""\"#] {
            assert!(tokens(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_error_has_a_line_and_a_column() {
        for (text, line, column) in [("a\n  ?", 2, 3), ("/* a", 1, 1), ("\n\"a\n\"", 2, 1)] {
            let place = tokens(text).unwrap_err().place;
            assert_eq!((place.line, place.column), (line, column), "{text}");
        }
    }
}
