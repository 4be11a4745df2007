//! Parses one file of a schema into its declarations, with the names as they are written.

use super::error::Place;
use super::error::SchemaError;
use super::model::Placed;
use super::token::{Token, tokens};

/// The declarations of a file.
#[derive(Default)]
pub(super) struct SourceFile {
    pub(super) includes: Vec<Placed<String>>,
    pub(super) types: Vec<SourceType>,
    /// The root type with the namespace at its declaration.
    pub(super) root: Option<(String, Placed<String>)>,
    pub(super) identifier: Option<Placed<String>>,
    pub(super) extension: Option<Placed<String>>,
}

/// A type as it is declared.
pub(super) struct SourceType {
    pub(super) namespace: String,
    pub(super) name: Placed<String>,
    pub(super) attributes: Attributes,
    pub(super) content: SourceContent,
}

pub(super) enum SourceContent {
    Table(Vec<SourceField>),
    Struct(Vec<SourceField>),
    Enum { underlying: Placed<String>, values: Vec<SourceValue> },
    Union { values: Vec<SourceValue> },
}

pub(super) struct SourceField {
    pub(super) name: Placed<String>,
    pub(super) ty: SourceTypeName,
    pub(super) default: Option<Placed<SourceDefault>>,
    pub(super) attributes: Attributes,
}

/// A value of an enum, or a member of a union.
pub(super) struct SourceValue {
    pub(super) name: Placed<String>,
    /// The type of a union's member, if it differs from the name.
    pub(super) ty: Option<String>,
    pub(super) number: Option<Placed<String>>,
}

pub(super) enum SourceTypeName {
    Name(Placed<String>),
    Vector(Box<SourceTypeName>),
    Array(Box<SourceTypeName>, u32),
}

pub(super) enum SourceDefault {
    Number(String),
    /// Names of enum values. Several names are bits of one number.
    Names(Vec<String>),
    Text(String),
}

/// The attributes in parentheses: names and values.
#[derive(Default)]
pub(super) struct Attributes(Vec<(Placed<String>, Option<String>)>);

impl Attributes {
    /// Returns the place and the value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<(Place, Option<&str>)> {
        self.0.iter().find(|(given, _)| given.value == name).map(|(given, value)| (given.place, value.as_deref()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// Parses the text of the file with this index.
pub(super) fn parse(text: &str, file: usize) -> Result<SourceFile, SchemaError> {
    let mut parser =
        Parser { tokens: tokens(text, file)?, at: 0, namespace: String::new(), source: SourceFile::default() };
    while *parser.peek() != Token::End {
        parser.declaration()?;
    }
    Ok(parser.source)
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    at: usize,
    namespace: String,
    source: SourceFile,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> (Token, Place) {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, SchemaError> {
        let (token, place) = &self.tokens[self.at];
        Err(place.error(format!("found {}, expected {expected}", token.in_words())))
    }

    /// Skips the mark, if it is next.
    fn accepts(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, mark: char) -> Result<(), SchemaError> {
        if self.accepts(mark) { Ok(()) } else { self.unexpected(&format!("`{mark}`")) }
    }

    fn word(&mut self, expected: &str) -> Result<Placed<String>, SchemaError> {
        match self.peek() {
            Token::Word(_) => {
                let (token, place) = self.next();
                let Token::Word(value) = token else { unreachable!("the token is a word") };
                Ok(Placed { value, place })
            }
            _ => self.unexpected(expected),
        }
    }

    /// Parses a name with dots.
    fn name(&mut self, expected: &str) -> Result<Placed<String>, SchemaError> {
        let mut name = self.word(expected)?;
        while self.accepts('.') {
            name.value.push('.');
            name.value += &self.word("a name after `.`")?.value;
        }
        Ok(name)
    }

    fn text(&mut self, expected: &str) -> Result<Placed<String>, SchemaError> {
        match self.next() {
            (Token::Text(value), place) => Ok(Placed { value, place }),
            (token, place) => Err(place.error(format!("found {}, expected {expected}", token.in_words()))),
        }
    }

    fn declaration(&mut self) -> Result<(), SchemaError> {
        let Token::Word(keyword) = self.peek().clone() else { return self.unexpected("a declaration") };
        match &*keyword {
            "table" | "struct" | "enum" | "union" => return self.type_declaration(&keyword),
            "rpc_service" => return self.skip_block(),
            "include" | "native_include" | "namespace" | "attribute" | "root_type" | "file_identifier"
            | "file_extension" => {}
            _ => return self.unexpected("a declaration, such as `table`, `enum` or `namespace`"),
        }
        self.next();
        match &*keyword {
            "include" => {
                let path = self.text("the path of a schema in quotes")?;
                self.source.includes.push(path);
            }
            "native_include" => drop(self.text("a path in quotes")?),
            "namespace" => {
                let named = matches!(self.peek(), Token::Word(_));
                self.namespace = if named { self.name("a namespace")?.value } else { String::new() };
            }
            "attribute" => {
                if !matches!(self.peek(), Token::Text(_)) {
                    self.word("the name of an attribute")?;
                } else {
                    self.next();
                }
            }
            "root_type" => self.source.root = Some((self.namespace.clone(), self.name("the name of a table")?)),
            "file_identifier" => {
                let identifier = self.text("four characters in quotes")?;
                if identifier.value.len() != 4 {
                    let message = format!("found an identifier of {} bytes, expected 4", identifier.value.len());
                    return Err(identifier.place.error(message));
                }
                self.source.identifier = Some(identifier);
            }
            _ => self.source.extension = Some(self.text("a file extension in quotes")?),
        }
        self.expect(';')
    }

    /// Skips a declaration that does not affect files.
    fn skip_block(&mut self) -> Result<(), SchemaError> {
        while !matches!(self.peek(), Token::Mark('{' | '}') | Token::End) {
            self.next();
        }
        self.expect('{')?;
        while !matches!(self.peek(), Token::Mark('}') | Token::End) {
            self.next();
        }
        self.expect('}')
    }

    fn type_declaration(&mut self, keyword: &str) -> Result<(), SchemaError> {
        self.next();
        let name = self.word(&format!("the name of a {keyword}"))?;
        let underlying = match keyword {
            "enum" => {
                self.expect(':')?;
                Some(self.name("an integer type")?)
            }
            "union" if self.accepts(':') => Some(self.name("an integer type")?),
            _ => None,
        };
        let attributes = self.attributes()?;
        self.expect('{')?;
        let content = match (keyword, underlying) {
            ("table", _) => SourceContent::Table(self.fields()?),
            ("struct", _) => SourceContent::Struct(self.fields()?),
            ("enum", Some(underlying)) => SourceContent::Enum { underlying, values: self.values(false)? },
            (_, Some(wide)) if !matches!(&*wide.value, "ubyte" | "uint8") => {
                return Err(wide
                    .place
                    .error("found a union whose tag is not `ubyte`, which this program does not compare"));
            }
            _ => SourceContent::Union { values: self.values(true)? },
        };
        self.source.types.push(SourceType { namespace: self.namespace.clone(), name, attributes, content });
        Ok(())
    }

    /// Parses fields and the closing brace.
    fn fields(&mut self) -> Result<Vec<SourceField>, SchemaError> {
        let mut fields = Vec::new();
        while !self.accepts('}') {
            let name = self.word("the name of a field or `}`")?;
            self.expect(':')?;
            let ty = self.type_name()?;
            let default = if self.accepts('=') { Some(self.default()?) } else { None };
            let attributes = self.attributes()?;
            self.expect(';')?;
            fields.push(SourceField { name, ty, default, attributes });
        }
        Ok(fields)
    }

    fn type_name(&mut self) -> Result<SourceTypeName, SchemaError> {
        if !self.accepts('[') {
            return Ok(SourceTypeName::Name(self.name("a type")?));
        }
        // A vector of vectors is not valid, so no input causes deep recursion.
        let element = Box::new(SourceTypeName::Name(self.name("the type of the elements")?));
        let ty = if self.accepts(':') {
            let (token, place) = self.next();
            let count = if let Token::Number(number) = &token { number.parse::<u16>().ok() } else { None };
            let count = count.filter(|count| *count > 0);
            let message =
                || place.error(format!("found {}, expected the length of an array, 1 to 65535", token.in_words()));
            SourceTypeName::Array(element, count.ok_or_else(message)?.into())
        } else {
            SourceTypeName::Vector(element)
        };
        self.expect(']')?;
        Ok(ty)
    }

    fn default(&mut self) -> Result<Placed<SourceDefault>, SchemaError> {
        let place = self.tokens[self.at].1;
        let value = match self.peek().clone() {
            Token::Number(number) => {
                self.next();
                SourceDefault::Number(number)
            }
            Token::Text(text) => {
                self.next();
                SourceDefault::Text(text)
            }
            Token::Word(_) => {
                let mut names = vec![self.name("a value")?.value];
                while self.accepts('|') {
                    names.push(self.name("a value")?.value);
                }
                SourceDefault::Names(names)
            }
            Token::Mark('[') => {
                self.next();
                self.expect(']')?;
                SourceDefault::Text("[]".to_owned())
            }
            _ => return self.unexpected("a default value"),
        };
        Ok(Placed { value, place })
    }

    fn attributes(&mut self) -> Result<Attributes, SchemaError> {
        let mut attributes = Attributes::default();
        if !self.accepts('(') {
            return Ok(attributes);
        }
        while !self.accepts(')') {
            if !attributes.0.is_empty() {
                self.expect(',')?;
            }
            let name = self.word("the name of an attribute")?;
            let value = if self.accepts(':') {
                match self.next() {
                    (Token::Word(value) | Token::Number(value) | Token::Text(value), _) => Some(value),
                    (token, place) => {
                        return Err(
                            place.error(format!("found {}, expected the value of an attribute", token.in_words()))
                        );
                    }
                }
            } else {
                None
            };
            attributes.0.push((name, value));
        }
        Ok(attributes)
    }

    /// Parses the values of an enum or the members of a union, and the closing brace.
    fn values(&mut self, union: bool) -> Result<Vec<SourceValue>, SchemaError> {
        let mut values = Vec::new();
        while !self.accepts('}') {
            let mut name = self.name("a name or `}`")?;
            let mut ty = None;
            if union {
                if self.accepts(':') {
                    ty = Some(self.name("a type")?.value);
                } else if name.value.contains('.') {
                    // The tag of a member from another namespace has underscores instead of dots.
                    ty = Some(std::mem::take(&mut name.value));
                    name.value = ty.as_deref().unwrap_or_default().replace('.', "_");
                }
            }
            let number = if self.accepts('=') {
                let place = self.tokens[self.at].1;
                match self.next().0 {
                    Token::Number(value) => Some(Placed { value, place }),
                    token => return Err(place.error(format!("found {}, expected an integer", token.in_words()))),
                }
            } else {
                None
            };
            self.attributes()?;
            values.push(SourceValue { name, ty, number });
            if !self.accepts(',') && *self.peek() != Token::Mark('}') {
                return self.unexpected("`,` or `}`");
            }
        }
        Ok(values)
    }
}
