//! Resolves the names in parsed files, and computes numbers, slots and layouts.

mod defaults;
mod fields;
mod numbers;
mod structs;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::SchemaError;
use super::model::{Content, Enum, FieldType, LocatedItem, Member, Scalar, Schema, StructLayout, Type, Union};
use super::parse::{SourceContent, SourceFile, SourceType, SourceTypeName, SourceValue};
use numbers::{enumeration, integer_type, numbers};

/// The first file determines the root type, the identifier and the extension.
pub(super) fn resolve(sources: &[SourceFile]) -> Result<Schema, SchemaError> {
    let mut resolver = Resolver::default();
    for ty in sources.iter().flat_map(|source| &source.types) {
        let name = full_name(&ty.namespace, &ty.name.value);
        if resolver.declared.insert(name.into(), ty).is_some() {
            return Err(ty.name.place.error(format!("found a second declaration of `{}`", ty.name.value)));
        }
    }
    let declared = resolver.declared.clone();
    // First enums, then structs, then tables: each kind needs the numbers, sizes and alignments of the kinds before it.
    for (name, ty) in &declared {
        if let SourceContent::Enum { underlying, values } = &ty.content {
            resolver.enums.insert(Arc::clone(name), enumeration(underlying, values, &ty.attributes)?);
        }
    }
    for (name, ty) in &declared {
        if let SourceContent::Struct(fields) = &ty.content {
            resolver.layout(name, ty, fields, 0)?;
        }
    }
    let mut schema = Schema::default();
    for (name, ty) in &declared {
        let content = match &ty.content {
            SourceContent::Enum { .. } | SourceContent::Struct(_) => continue,
            SourceContent::Union { underlying, values } => {
                let tag = underlying.as_ref().map_or(Ok(Scalar::Unsigned(1)), integer_type)?;
                Content::Union(Union { tag, members: resolver.members(&ty.namespace, tag, values)? })
            }
            SourceContent::Table(fields) => Content::Table(resolver.fields(&ty.namespace, fields)?),
        };
        schema.types.insert(Arc::clone(name), Type { place: ty.name.place, content });
    }
    if let Some(source) = sources.first() {
        if let Some((namespace, root)) = &source.root {
            let name = resolver.find(namespace, &root.value).filter(|name| resolver.is_table(name));
            let value = name.ok_or_else(|| root.place.error(format!("found no table `{}`", root.value)))?;
            schema.root = Some(LocatedItem { value, place: root.place });
        }
        schema.identifier.clone_from(&source.identifier);
        schema.extension.clone_from(&source.extension);
    }
    let enums = resolver.enums.into_iter().map(|(name, content)| (name, Content::Enum(content)));
    let structs = resolver.layouts.into_iter().map(|(name, layout)| (name, Content::Struct(layout)));
    for (name, content) in enums.chain(structs) {
        let place = declared[&name].name.place;
        schema.types.insert(name, Type { place, content });
    }
    Ok(schema)
}

fn full_name(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") }
}

#[derive(Default)]
struct Resolver<'a> {
    declared: BTreeMap<Arc<str>, &'a SourceType>,
    enums: BTreeMap<Arc<str>, Enum>,
    layouts: BTreeMap<Arc<str>, StructLayout>,
}

impl Resolver<'_> {
    /// Returns the full name of `name` as used in `namespace`, looking it up from the innermost namespace outwards.
    fn find(&self, namespace: &str, name: &str) -> Option<Arc<str>> {
        let mut scope = namespace;
        loop {
            if let Some((full, _)) = self.declared.get_key_value(&*full_name(scope, name)) {
                return Some(Arc::clone(full));
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
                let found = built_in(&name.value).or_else(|| self.find(namespace, &name.value).map(FieldType::Named));
                found.ok_or_else(|| name.place.error(format!("found no type `{}`", name.value)))?
            }
        })
    }

    /// The tag 0 means that the union has no value.
    fn members(&self, namespace: &str, tag: Scalar, values: &[SourceValue]) -> Result<Vec<Member>, SchemaError> {
        let numbers = numbers(values, tag, false, 1)?;
        let member = |(value, tag): (&SourceValue, i128)| {
            let place = value.name.place;
            let written = value.ty.as_ref().unwrap_or(&value.name.value);
            let ty = self.type_of(namespace, &SourceTypeName::Name(LocatedItem { value: written.clone(), place }))?;
            let valid = match &ty {
                FieldType::String => true,
                FieldType::Named(name) => {
                    matches!(self.declared[name].content, SourceContent::Table(_) | SourceContent::Struct(_))
                }
                _ => false,
            };
            if !valid {
                return Err(place.error(format!("found {ty} in a union, expected a table, a struct or a string")));
            }
            Ok(Member { name: value.name.value.clone(), place, tag, ty })
        };
        let members = values.iter().zip(numbers).filter(|(value, _)| value.name.value != "NONE").map(member);
        let mut members: Vec<_> = members.collect::<Result<_, SchemaError>>()?;
        members.sort_by_key(|member| member.tag);
        Ok(members)
    }
}

fn built_in(name: &str) -> Option<FieldType> {
    if name == "string" { Some(FieldType::String) } else { Scalar::by_name(name).map(FieldType::Scalar) }
}
