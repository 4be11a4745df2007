//! Splits the text of a schema into tokens.

use std::iter::Peekable;
use std::str::CharIndices;

use super::error::Place;
use super::error::SchemaError;

/// A token of a schema, without comments and spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword, without dots.
    Word(String),
    /// A number with its sign, as it is written.
    Number(String),
    /// The content of a string.
    Text(String),
    /// A punctuation mark.
    Mark(char),
    /// The end of the file.
    End,
}

impl Token {
    /// Returns the token in the words of an error.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Word(word) | Self::Number(word) => format!("`{word}`"),
            Self::Text(_) => "a string".to_owned(),
            Self::Mark(mark) => format!("`{mark}`"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// Returns the tokens of a file, each with its place. The last token is [`Token::End`].
pub(super) fn tokens(text: &str, file: usize) -> Result<Vec<(Token, Place)>, SchemaError> {
    let mut scanner =
        Scanner { text, chars: text.char_indices().peekable(), place: Place { file, line: 1, column: 1 } };
    let mut tokens = Vec::new();
    loop {
        scanner.skip_space_and_comments()?;
        let place = scanner.place;
        let token = scanner.token()?;
        let ended = token == Token::End;
        tokens.push((token, place));
        if ended {
            return Ok(tokens);
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    place: Place,
}

impl Scanner<'_> {
    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    /// Returns the position of the next character.
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
            // The sign of an exponent belongs to the number, except in a hexadecimal integer.
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
                // Names and identifiers need no other escapes than a character that stands for itself.
                Some('\\') => content.extend(self.next()),
                Some(c) => content.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text, 0).unwrap().iter().map(|(token, _)| token.in_words()).collect()
    }

    #[test]
    fn comments_and_spaces_separate_tokens() {
        let found = words("a:/* b */int8=-0x1e-5 // c\n;[1.5e-3]");
        let expected = ["`a`", "`:`", "`int8`", "`=`", "`-0x1e`", "`-5`", "`;`", "`[`", "`1.5e-3`", "`]`"];
        assert_eq!(found[..found.len() - 1], expected);
    }

    #[test]
    fn an_error_has_a_line_and_a_column() {
        for (text, line, column) in [("a\n  ?", 2, 3), ("/* a", 1, 1), ("\n\"a\n\"", 2, 1)] {
            let place = tokens(text, 0).unwrap_err().place;
            assert_eq!((place.line, place.column), (line, column), "{text}");
        }
    }
}
