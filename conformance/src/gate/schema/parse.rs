//! Parses one schema file into declarations, without resolving names.

use std::sync::Arc;

use super::error::Place;
use super::error::SchemaError;
use super::model::LocatedItem;
use super::token::{Scanner, Token};

/// The maximum length of a name with its dots, in bytes, because all type names of a file are in memory at once.
const MAX_NAME: usize = 512;
/// The maximum depth of namespaces, because a name is looked up in every enclosing namespace.
const MAX_NAMESPACES: usize = 32;

#[derive(Default)]
pub(super) struct SourceFile {
    pub(super) includes: Vec<LocatedItem<String>>,
    pub(super) types: Vec<SourceType>,
    /// The `root_type` declaration's namespace, and the root type's name.
    pub(super) root: Option<(Arc<str>, LocatedItem<String>)>,
    pub(super) identifier: Option<LocatedItem<String>>,
    pub(super) extension: Option<LocatedItem<String>>,
}

pub(super) struct SourceType {
    pub(super) namespace: Arc<str>,
    pub(super) name: LocatedItem<String>,
    pub(super) attributes: Attributes,
    pub(super) content: SourceContent,
}

pub(super) enum SourceContent {
    Table(Vec<SourceField>),
    Struct(Vec<SourceField>),
    Enum { underlying: LocatedItem<String>, values: Vec<SourceValue> },
    Union { underlying: Option<LocatedItem<String>>, values: Vec<SourceValue> },
}

pub(super) struct SourceField {
    pub(super) name: LocatedItem<String>,
    pub(super) ty: SourceTypeName,
    pub(super) default: Option<LocatedItem<SourceDefault>>,
    pub(super) attributes: Attributes,
}

pub(super) struct SourceValue {
    pub(super) name: LocatedItem<String>,
    pub(super) ty: Option<String>,
    pub(super) number: Option<LocatedItem<String>>,
}

pub(super) enum SourceTypeName {
    Name(LocatedItem<String>),
    Vector(Box<SourceTypeName>),
    Array(Box<SourceTypeName>, u32),
}

pub(super) enum SourceDefault {
    Number(String),
    /// Several names are combined by bitwise or.
    Names(Vec<String>),
    Text(String),
}

#[derive(Default)]
pub(super) struct Attributes(Vec<(LocatedItem<String>, Option<String>)>);

impl Attributes {
    pub(super) fn get(&self, name: &str) -> Option<(Place, Option<&str>)> {
        self.0.iter().find(|(given, _)| given.value == name).map(|(given, value)| (given.place, value.as_deref()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// Stops before a JSON object that follows the declarations, because it is data.
pub(super) fn parse(text: &str, file: usize) -> Result<SourceFile, SchemaError> {
    let mut scanner = Scanner::new(text, file);
    let (token, place) = scanner.next_token()?;
    let mut parser = Parser { scanner, token, place, namespace: Arc::from(""), source: SourceFile::default() };
    while !matches!(parser.token, Token::End | Token::Mark('{')) {
        parser.declaration()?;
    }
    Ok(parser.source)
}

/// The built-in functions of the schema language, which no known schema calls.
const FUNCTIONS: [&str; 8] = ["deg", "rad", "sin", "cos", "tan", "asin", "acos", "atan"];

struct Parser<'a> {
    scanner: Scanner<'a>,
    token: Token,
    place: Place,
    namespace: Arc<str>,
    source: SourceFile,
}

impl Parser<'_> {
    fn next(&mut self) -> Result<(Token, Place), SchemaError> {
        let (token, place) = self.scanner.next_token()?;
        Ok((std::mem::replace(&mut self.token, token), std::mem::replace(&mut self.place, place)))
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, SchemaError> {
        Err(self.place.error(format!("found {}, expected {expected}", self.token.in_words())))
    }

    /// Skips the next token if it is `mark`, and returns whether it did.
    fn accepts(&mut self, mark: char) -> Result<bool, SchemaError> {
        let found = self.token == Token::Mark(mark);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn expect(&mut self, mark: char) -> Result<(), SchemaError> {
        if self.accepts(mark)? { Ok(()) } else { self.unexpected(&format!("`{mark}`")) }
    }

    fn word(&mut self, expected: &str) -> Result<LocatedItem<String>, SchemaError> {
        let Token::Word(value) = self.token.clone() else { return self.unexpected(expected) };
        let (_, place) = self.next()?;
        Ok(LocatedItem { value, place })
    }

    fn name(&mut self, expected: &str) -> Result<LocatedItem<String>, SchemaError> {
        let mut name = self.word(expected)?;
        while self.accepts('.')? {
            name.value.push('.');
            name.value += &self.word("a name after `.`")?.value;
        }
        if name.value.len() > MAX_NAME {
            let message = format!("found a name of {} bytes, expected at most {MAX_NAME}", name.value.len());
            return Err(name.place.error(message));
        }
        Ok(name)
    }

    fn namespace(&mut self) -> Result<Arc<str>, SchemaError> {
        if !matches!(self.token, Token::Word(_)) {
            return Ok(Arc::from(""));
        }
        let name = self.name("a namespace")?;
        let depth = name.value.split('.').count();
        if depth > MAX_NAMESPACES {
            let message = format!("found {depth} nested namespaces, expected at most {MAX_NAMESPACES}");
            return Err(name.place.error(message));
        }
        Ok(name.value.into())
    }

    fn text(&mut self, expected: &str) -> Result<LocatedItem<String>, SchemaError> {
        match self.next()? {
            (Token::Text(value), place) => Ok(LocatedItem { value, place }),
            (token, place) => Err(place.error(format!("found {}, expected {expected}", token.in_words()))),
        }
    }

    fn declaration(&mut self) -> Result<(), SchemaError> {
        let Token::Word(keyword) = self.token.clone() else { return self.unexpected("a declaration") };
        match &*keyword {
            "table" | "struct" | "enum" | "union" => return self.type_declaration(&keyword),
            "rpc_service" => return self.skip_block(),
            "include" | "native_include" | "namespace" | "attribute" | "root_type" | "file_identifier"
            | "file_extension" => {}
            _ => return self.unexpected("a declaration, such as `table`, `enum` or `namespace`"),
        }
        self.next()?;
        match &*keyword {
            "include" => {
                let path = self.text("the path of a schema in quotes")?;
                self.source.includes.push(path);
            }
            "native_include" => drop(self.text("a path in quotes")?),
            "namespace" => self.namespace = self.namespace()?,
            "attribute" => drop(self.attribute_name()?),
            "root_type" => self.source.root = Some((Arc::clone(&self.namespace), self.name("the name of a table")?)),
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

    fn skip_block(&mut self) -> Result<(), SchemaError> {
        while !matches!(self.token, Token::Mark('{' | '}') | Token::End) {
            self.next()?;
        }
        self.expect('{')?;
        while !matches!(self.token, Token::Mark('}') | Token::End) {
            self.next()?;
        }
        self.expect('}')
    }

    fn type_declaration(&mut self, keyword: &str) -> Result<(), SchemaError> {
        self.next()?;
        let name = self.word(&format!("the name of a {keyword}"))?;
        if self.namespace.len() + name.value.len() > MAX_NAME {
            return Err(name.place.error(format!("found a name of more than {MAX_NAME} bytes with its namespace")));
        }
        let underlying = match keyword {
            "enum" => {
                self.expect(':')?;
                Some(self.name("an integer type")?)
            }
            "union" if self.accepts(':')? => Some(self.name("an integer type")?),
            _ => None,
        };
        let attributes = self.attributes()?;
        self.expect('{')?;
        let content = match (keyword, underlying) {
            ("table", _) => SourceContent::Table(self.fields()?),
            ("struct", _) => SourceContent::Struct(self.fields()?),
            ("enum", Some(underlying)) => SourceContent::Enum { underlying, values: self.values(false)? },
            (_, underlying) => SourceContent::Union { underlying, values: self.values(true)? },
        };
        let namespace = Arc::clone(&self.namespace);
        self.source.types.push(SourceType { namespace, name, attributes, content });
        Ok(())
    }

    fn fields(&mut self) -> Result<Vec<SourceField>, SchemaError> {
        let mut fields = Vec::new();
        while !self.accepts('}')? {
            let name = self.word("the name of a field or `}`")?;
            self.expect(':')?;
            let ty = self.type_name()?;
            let default = if self.accepts('=')? { Some(self.default()?) } else { None };
            let attributes = self.attributes()?;
            self.expect(';')?;
            fields.push(SourceField { name, ty, default, attributes });
        }
        Ok(fields)
    }

    fn type_name(&mut self) -> Result<SourceTypeName, SchemaError> {
        if !self.accepts('[')? {
            return Ok(SourceTypeName::Name(self.name("a type")?));
        }
        // There are no vectors of vectors, so no input causes deep recursion.
        let element = Box::new(SourceTypeName::Name(self.name("the type of the elements")?));
        let ty = if self.accepts(':')? {
            let (token, place) = self.next()?;
            let count = if let Token::Number(number) = &token { integer(number) } else { None };
            let count = count.and_then(|count| u16::try_from(count).ok()).filter(|count| *count > 0);
            let message =
                || place.error(format!("found {}, expected the length of an array, 1 to 65535", token.in_words()));
            SourceTypeName::Array(element, count.ok_or_else(message)?.into())
        } else {
            SourceTypeName::Vector(element)
        };
        self.expect(']')?;
        Ok(ty)
    }

    fn default(&mut self) -> Result<LocatedItem<SourceDefault>, SchemaError> {
        let place = self.place;
        let value = match self.token.clone() {
            Token::Text(_) => SourceDefault::Text(self.text("a string")?.value),
            Token::Number(number) => {
                self.next()?;
                SourceDefault::Number(number)
            }
            Token::Word(_) => {
                let first = self.name("a value")?.value;
                // Attributes can follow a value's name: `= CPU (id: 3)`.
                if FUNCTIONS.contains(&&*first) && self.token == Token::Mark('(') {
                    let message =
                        format!("found the function `{first}`, expected a number; write the result of the call");
                    return Err(place.error(message));
                }
                let mut names = vec![first];
                while self.accepts('|')? {
                    names.push(self.name("a value")?.value);
                }
                SourceDefault::Names(names)
            }
            Token::Mark('[') => {
                self.next()?;
                self.expect(']')?;
                SourceDefault::Text("[]".to_owned())
            }
            _ => return self.unexpected("a default value"),
        };
        Ok(LocatedItem { value, place })
    }

    fn attributes(&mut self) -> Result<Attributes, SchemaError> {
        let mut attributes = Attributes::default();
        if !self.accepts('(')? {
            return Ok(attributes);
        }
        while !self.accepts(')')? {
            if !attributes.0.is_empty() {
                self.expect(',')?;
            }
            let name = self.attribute_name()?;
            let value = if self.accepts(':')? {
                match self.next()? {
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

    fn attribute_name(&mut self) -> Result<LocatedItem<String>, SchemaError> {
        let expected = "the name of an attribute";
        if matches!(self.token, Token::Text(_)) { self.text(expected) } else { self.word(expected) }
    }

    fn values(&mut self, union: bool) -> Result<Vec<SourceValue>, SchemaError> {
        let mut values = Vec::new();
        while !self.accepts('}')? {
            let mut name = self.name("a name or `}`")?;
            let mut ty = None;
            if union {
                if self.accepts(':')? {
                    ty = Some(self.name("a type")?.value);
                } else if name.value.contains('.') {
                    // The tag is named like the type, with underscores instead of dots.
                    ty = Some(std::mem::take(&mut name.value));
                    name.value = ty.as_deref().unwrap_or_default().replace('.', "_");
                }
            }
            let number = if self.accepts('=')? {
                match self.next()? {
                    (Token::Number(value), place) => Some(LocatedItem { value, place }),
                    (token, place) => {
                        return Err(place.error(format!("found {}, expected an integer", token.in_words())));
                    }
                }
            } else {
                None
            };
            self.attributes()?;
            values.push(SourceValue { name, ty, number });
            if !self.accepts(',')? && self.token != Token::Mark('}') {
                return self.unexpected("`,` or `}`");
            }
        }
        Ok(values)
    }
}

/// Parses a decimal or hexadecimal integer whose absolute value is less than 2^64.
pub(super) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -i128::from(magnitude) } else { i128::from(magnitude) })
}
