//! Resolves the names in parsed files, and computes numbers, slots and layouts.

use std::collections::{BTreeMap, BTreeSet};

use super::error::SchemaError;
use super::model::{Content, DefaultValue, Enum, Field, FieldType, Member, Placed, Scalar, Schema, StructLayout, Type};
use super::parse::{
    Attributes, SourceContent, SourceDefault, SourceField, SourceFile, SourceType, SourceTypeName, SourceValue,
};

/// The deepest nesting of structs. Each level is a call of this module.
const MAX_DEPTH: usize = 64;

/// Returns the schema of parsed files. The first file determines the root type, the identifier and the extension.
pub(super) fn resolve(sources: &[SourceFile]) -> Result<Schema, SchemaError> {
    let mut resolver = Resolver::default();
    for ty in sources.iter().flat_map(|source| &source.types) {
        if resolver.declared.insert(full_name(&ty.namespace, &ty.name.value), ty).is_some() {
            return Err(ty.name.place.error(format!("found a second declaration of `{}`", ty.name.value)));
        }
    }
    // Defaults need the numbers of enums, and tables need the layouts of structs.
    let declared = resolver.declared.clone();
    for (name, ty) in &declared {
        if let SourceContent::Enum { underlying, values } = &ty.content {
            resolver.enums.insert(name.clone(), enumeration(underlying, values, &ty.attributes)?);
        }
    }
    let mut schema = Schema::default();
    for (name, ty) in declared {
        let content = match &ty.content {
            SourceContent::Enum { .. } => continue,
            SourceContent::Struct(_) => Content::Struct(resolver.layout(&name, ty, 0)?),
            SourceContent::Union { values } => Content::Union(resolver.members(&ty.namespace, values)?),
            SourceContent::Table(fields) => Content::Table(resolver.fields(&ty.namespace, fields)?),
        };
        schema.types.insert(name, Type { place: ty.name.place, content });
    }
    if let Some(source) = sources.first() {
        if let Some((namespace, root)) = &source.root {
            let name = resolver.find(namespace, &root.value).filter(|name| resolver.is_table(name));
            let value = name.ok_or_else(|| root.place.error(format!("found no table `{}`", root.value)))?;
            schema.root = Some(Placed { value, place: root.place });
        }
        schema.identifier.clone_from(&source.identifier);
        schema.extension.clone_from(&source.extension);
    }
    for (name, content) in resolver.enums {
        let place = resolver.declared[&name].name.place;
        schema.types.insert(name, Type { place, content: Content::Enum(content) });
    }
    Ok(schema)
}

fn full_name(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") }
}

#[derive(Default)]
struct Resolver<'a> {
    declared: BTreeMap<String, &'a SourceType>,
    enums: BTreeMap<String, Enum>,
    layouts: BTreeMap<String, StructLayout>,
}

impl Resolver<'_> {
    /// Returns the full name of a type that `namespace` can see as `name`, from the innermost namespace to the outermost.
    fn find(&self, namespace: &str, name: &str) -> Option<String> {
        let mut scope = namespace;
        loop {
            let full = full_name(scope, name);
            if self.declared.contains_key(&full) {
                return Some(full);
            }
            if scope.is_empty() {
                return None;
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    fn is_table(&self, name: &str) -> bool {
        matches!(self.declared[name].content, SourceContent::Table(_))
    }

    fn is_union(&self, ty: &FieldType) -> bool {
        match ty {
            FieldType::Named(name) => matches!(self.declared[name].content, SourceContent::Union { .. }),
            FieldType::Vector(element) => self.is_union(element),
            _ => false,
        }
    }

    fn type_of(&self, namespace: &str, ty: &SourceTypeName) -> Result<FieldType, SchemaError> {
        Ok(match ty {
            SourceTypeName::Vector(element) => FieldType::Vector(Box::new(self.type_of(namespace, element)?)),
            SourceTypeName::Array(element, count) => {
                FieldType::Array(Box::new(self.type_of(namespace, element)?), *count)
            }
            SourceTypeName::Name(name) => {
                let found = named(&name.value).or_else(|| self.find(namespace, &name.value).map(FieldType::Named));
                found.ok_or_else(|| name.place.error(format!("found no type `{}`", name.value)))?
            }
        })
    }

    /// Returns the members of a union. The tag 0 means that the union has no value.
    fn members(&self, namespace: &str, values: &[SourceValue]) -> Result<Vec<Member>, SchemaError> {
        let names: Vec<_> = values.iter().map(|value| (&value.name, &value.number)).collect();
        let numbers = numbers(&names, Scalar::Unsigned(1), false, 1)?;
        let member = |(value, tag): (&SourceValue, i128)| {
            let ty = SourceTypeName::Name(Placed {
                value: value.ty.clone().unwrap_or_else(|| value.name.value.clone()),
                place: value.name.place,
            });
            let ty = self.type_of(namespace, &ty)?;
            Ok(Member { name: value.name.value.clone(), place: value.name.place, tag, ty })
        };
        let members = values.iter().zip(numbers).filter(|(value, _)| value.name.value != "NONE").map(member);
        let mut members: Vec<_> = members.collect::<Result<_, SchemaError>>()?;
        members.sort_by_key(|member| member.tag);
        Ok(members)
    }

    /// Returns the layout of a struct: each field is aligned to its own alignment.
    fn layout(&mut self, name: &str, ty: &SourceType, depth: usize) -> Result<StructLayout, SchemaError> {
        if let Some(layout) = self.layouts.get(name) {
            return Ok(layout.clone());
        }
        let SourceContent::Struct(fields) = &ty.content else { unreachable!("the caller found a struct") };
        if depth > MAX_DEPTH {
            return Err(ty.name.place.error("found a struct that contains itself, or more than 64 nested structs"));
        }
        let (mut end, mut align, mut laid) = (0_u64, 1_u64, Vec::new());
        for field in fields {
            let field_type = self.type_of(&ty.namespace, &field.ty)?;
            let (element, count) = match &field_type {
                FieldType::Array(element, count) => (&**element, u64::from(*count)),
                other => (other, 1),
            };
            let (size, own) = match element {
                FieldType::Scalar(scalar) => (u64::from(scalar.width()), u64::from(scalar.width())),
                FieldType::Named(inner) if self.enums.contains_key(inner) => {
                    let width = u64::from(self.enums[inner].underlying.width());
                    (width, width)
                }
                FieldType::Named(inner) if matches!(self.declared[inner].content, SourceContent::Struct(_)) => {
                    let declared = self.declared[inner];
                    let layout = self.layout(inner, declared, depth + 1)?;
                    (layout.size, layout.align)
                }
                _ => {
                    let message =
                        format!("found the type {field_type} in a struct, expected a scalar, an enum or a struct");
                    return Err(field.name.place.error(message));
                }
            };
            let offset = end.next_multiple_of(own);
            let size = size.checked_mul(count).and_then(|size| offset.checked_add(size)).filter(|end| *end <= 1 << 31);
            end = size.ok_or_else(|| field.name.place.error("found a struct of more than 2 GiB"))?;
            align = align.max(own);
            laid.push((offset, field.name.clone(), field_type));
        }
        align = align.max(force_align(&ty.attributes)?.unwrap_or(1));
        let layout = StructLayout { fields: laid, size: end.next_multiple_of(align), align };
        self.layouts.insert(name.to_owned(), layout.clone());
        Ok(layout)
    }

    /// Returns the fields of a table in the order of their slots.
    fn fields(&self, namespace: &str, fields: &[SourceField]) -> Result<Vec<Field>, SchemaError> {
        let types = fields.iter().map(|field| self.type_of(namespace, &field.ty)).collect::<Result<Vec<_>, _>>()?;
        let slots = self.slots(fields, &types)?;
        let mut names = BTreeSet::new();
        let mut done = Vec::new();
        for ((field, ty), slot) in fields.iter().zip(types).zip(slots) {
            if !names.insert(&field.name.value) {
                return Err(field.name.place.error(format!("found a second field `{}`", field.name.value)));
            }
            let nested = field.attributes.get("nested_flatbuffer").map(|(place, name)| {
                let name = name.unwrap_or_default();
                self.find(namespace, name).ok_or_else(|| place.error(format!("found no table `{name}`")))
            });
            done.push(Field {
                default: self.default_of(&ty, field)?,
                name: field.name.value.clone(),
                place: field.name.place,
                slot,
                ty,
                required: field.attributes.has("required"),
                deprecated: field.attributes.has("deprecated"),
                key: field.attributes.has("key"),
                force_align: force_align(&field.attributes)?,
                nested: nested.transpose()?,
            });
        }
        done.sort_by_key(|field| field.slot);
        Ok(done)
    }

    /// Returns the slot of each field. A union has two slots, and its `id` is the second.
    fn slots(&self, fields: &[SourceField], types: &[FieldType]) -> Result<Vec<u32>, SchemaError> {
        let with_id = fields.iter().filter(|field| field.attributes.has("id")).count();
        if with_id != 0 && with_id != fields.len() {
            let field = fields.iter().find(|field| !field.attributes.has("id")).unwrap_or(&fields[0]);
            return Err(field
                .name
                .place
                .error("found a field without `id` in a table with ids, expected an id for each field"));
        }
        let mut taken = BTreeMap::new();
        let mut next = 0;
        let mut slots = Vec::new();
        for (field, ty) in fields.iter().zip(types) {
            let union = self.is_union(ty);
            let slot = match field.attributes.get("id") {
                Some((place, id)) => {
                    let id = id.and_then(|id| id.parse::<u16>().ok()).map(u32::from);
                    id.ok_or_else(|| place.error("found an `id` that is not a number from 0 to 65535"))?
                }
                None => next + u32::from(union),
            };
            next = slot + 1;
            if union && slot == 0 {
                return Err(field
                    .name
                    .place
                    .error("found the id 0 for a union, expected 1 or more: its tag has the id before"));
            }
            for own in slot - u32::from(union)..=slot {
                if taken.insert(own, &field.name).is_some() {
                    return Err(field.name.place.error(format!("found two fields with the id {own}")));
                }
            }
            slots.push(slot);
        }
        // The ids of a table have no gaps, so the last id is one less than the number of ids.
        if let Some((last, field)) = taken.last_key_value().filter(|(last, _)| **last as usize + 1 != taken.len()) {
            let message = format!("found the id {last} in a table with {} ids, expected ids without gaps", taken.len());
            return Err(field.place.error(message));
        }
        Ok(slots)
    }

    fn default_of(&self, ty: &FieldType, field: &SourceField) -> Result<DefaultValue, SchemaError> {
        let (scalar, values) = match ty {
            FieldType::Scalar(scalar) => (*scalar, None),
            FieldType::Named(name) => match self.enums.get(name) {
                Some(found) => (found.underlying, Some(found)),
                None => return Ok(DefaultValue::None),
            },
            _ => {
                return Ok(match &field.default {
                    Some(Placed { value: SourceDefault::Text(text), .. }) => DefaultValue::Text(text.clone()),
                    _ => DefaultValue::None,
                });
            }
        };
        let zero = if let Scalar::Float(_) = scalar { DefaultValue::Float(0.0) } else { DefaultValue::Integer(0) };
        let Some(Placed { value, place }) = &field.default else { return Ok(zero) };
        let wrong = || place.error(format!("found a default that is no value of the type {ty}"));
        match value {
            SourceDefault::Names(names) if names.len() == 1 && names[0] == "null" => Ok(DefaultValue::None),
            SourceDefault::Number(text) | SourceDefault::Text(text) if values.is_none() => {
                number(text, scalar).ok_or_else(wrong)
            }
            SourceDefault::Number(text) => number(text, scalar).ok_or_else(wrong),
            SourceDefault::Names(names) if values.is_none() => match &*names[0] {
                "true" if names.len() == 1 => Ok(DefaultValue::Integer(1)),
                "false" if names.len() == 1 => Ok(DefaultValue::Integer(0)),
                word if names.len() == 1 => number(word, scalar).ok_or_else(wrong),
                _ => Err(wrong()),
            },
            SourceDefault::Names(_) | SourceDefault::Text(_) => {
                let names: Vec<&str> = match value {
                    SourceDefault::Text(text) => text.split_whitespace().collect(),
                    SourceDefault::Names(names) => names.iter().map(String::as_str).collect(),
                    SourceDefault::Number(_) => unreachable!("numbers are above"),
                };
                let number_of = |name: &&str| {
                    let last = name.rsplit('.').next().unwrap_or(name);
                    let known = values.into_iter().flat_map(|known| &known.values);
                    known.clone().find(|(value, _)| value.value == last).map(|(_, number)| *number)
                };
                let bits = names.iter().map(number_of).try_fold(0, |bits, number| Some(bits | number?));
                bits.map(DefaultValue::Integer).ok_or_else(wrong)
            }
        }
    }
}

/// Returns the built-in type with this name.
fn named(name: &str) -> Option<FieldType> {
    if name == "string" { Some(FieldType::String) } else { Scalar::by_name(name).map(FieldType::Scalar) }
}

fn force_align(attributes: &Attributes) -> Result<Option<u64>, SchemaError> {
    let Some((place, value)) = attributes.get("force_align") else { return Ok(None) };
    let align =
        value.and_then(|value| value.parse().ok()).filter(|align: &u64| align.is_power_of_two() && *align <= 1 << 15);
    align.map(Some).ok_or_else(|| place.error("found a `force_align` that is not a power of two up to 32768"))
}

/// Returns an enum. With the attribute `bit_flags`, a number is the position of a bit.
fn enumeration(
    underlying: &Placed<String>,
    values: &[SourceValue],
    attributes: &Attributes,
) -> Result<Enum, SchemaError> {
    let scalar = Scalar::by_name(&underlying.value).filter(|scalar| scalar.range().is_some());
    let scalar = scalar
        .ok_or_else(|| underlying.place.error(format!("found `{}`, expected an integer type", underlying.value)))?;
    let names: Vec<_> = values.iter().map(|value| (&value.name, &value.number)).collect();
    let numbers = numbers(&names, scalar, attributes.has("bit_flags"), 0)?;
    let mut values: Vec<_> = names.into_iter().map(|(name, _)| name.clone()).zip(numbers).collect();
    values.sort_by_key(|(_, number)| *number);
    Ok(Enum { underlying: scalar, values })
}

/// Returns the number of each name. A name without a number has the number after that of the name before.
fn numbers(
    names: &[(&Placed<String>, &Option<Placed<String>>)],
    scalar: Scalar,
    bits: bool,
    first: i128,
) -> Result<Vec<i128>, SchemaError> {
    let (smallest, largest) = scalar.range().unwrap_or((0, 0));
    let mut next = first;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (name, written) in names {
        let value = match written {
            Some(Placed { value, place }) => {
                integer(value).ok_or_else(|| place.error(format!("found `{value}`, expected an integer")))?
            }
            // A union may list its tag 0 by name.
            None if name.value == "NONE" && first == 1 && found.is_empty() => 0,
            None => next,
        };
        next = value + 1;
        let number =
            if bits { u32::try_from(value).ok().filter(|bit| *bit < 64).map(|bit| 1 << bit) } else { Some(value) };
        let number = number.filter(|number| (smallest..=largest).contains(number));
        let number = number
            .ok_or_else(|| name.place.error(format!("found the number {value}, which does not fit in {scalar}")))?;
        if !seen.insert(number) {
            return Err(name.place.error(format!("found a second name for the number {number}")));
        }
        found.push(number);
    }
    Ok(found)
}

/// Returns an integer in decimal or hexadecimal notation. All results are smaller than 2^64.
fn integer(text: &str) -> Option<i128> {
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

/// Returns the default value that `text` is for the type `scalar`.
fn number(text: &str, scalar: Scalar) -> Option<DefaultValue> {
    if let Some((smallest, largest)) = scalar.range() {
        let value = match text {
            "true" if scalar == Scalar::Bool => 1,
            "false" if scalar == Scalar::Bool => 0,
            _ => integer(text)?,
        };
        return Some(DefaultValue::Integer(value)).filter(|_| (smallest..=largest).contains(&value));
    }
    let decimal = integer(text).map_or_else(|| text.to_owned(), |value| value.to_string());
    // A default has the precision of its type.
    let value =
        if scalar == Scalar::Float(4) { decimal.parse::<f32>().ok().map(f64::from) } else { decimal.parse().ok() };
    value.map(DefaultValue::Float)
}
