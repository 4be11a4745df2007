//! Table fields and their slots.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::SchemaError;
use super::super::model::{Field, FieldType};
use super::super::parse::{SourceField, integer};
use super::Resolver;
use super::structs::force_align;

impl Resolver<'_> {
    pub(super) fn fields(&self, namespace: &str, fields: &[SourceField]) -> Result<Vec<Field>, SchemaError> {
        let types = fields.iter().map(|field| self.type_of(namespace, &field.ty)).collect::<Result<Vec<_>, _>>()?;
        let slots = self.slots(fields, &types)?;
        let (mut names, mut has_key) = (BTreeSet::new(), false);
        let mut done = Vec::new();
        for ((field, ty), slot) in fields.iter().zip(types).zip(slots) {
            let (name, attributes) = (&field.name.value, &field.attributes);
            let wrong = |message: String| Err(field.name.place.error(message));
            if !names.insert(name) {
                return wrong(format!("found a second field `{name}`"));
            }
            if let FieldType::Array(..) = ty {
                return wrong(format!("found the array `{name}` in a table, expected arrays in structs only"));
            }
            let (required, key) = (attributes.has("required"), attributes.has("key"));
            if required && self.is_scalar(&ty) {
                return wrong(format!("found `required` at `{name}` of type {ty}, which has a default"));
            }
            if key && std::mem::replace(&mut has_key, true) {
                return wrong(format!("found `key` at `{name}`, expected one key in a table"));
            }
            let nested = attributes.get("nested_flatbuffer").map(|(place, name)| {
                let name = name.unwrap_or_default();
                self.find(namespace, name).ok_or_else(|| place.error(format!("found no table `{name}`")))
            });
            done.push(Field {
                default: self.default_of(namespace, &ty, field)?,
                name: name.clone(),
                place: field.name.place,
                slot,
                natural_align: self.natural_align(&ty),
                ty,
                required,
                deprecated: attributes.has("deprecated"),
                key,
                force_align: force_align(attributes)?,
                nested: nested.transpose()?,
                offset64: attributes.has("offset64"),
                vector64: attributes.has("vector64"),
                flexbuffer: attributes.has("flexbuffer"),
            });
        }
        done.sort_by_key(|field| field.slot);
        Ok(done)
    }

    fn is_scalar(&self, ty: &FieldType) -> bool {
        match ty {
            FieldType::Scalar(_) => true,
            FieldType::Named(name) => self.enums.contains_key(name),
            _ => false,
        }
    }

    /// The alignment of a type; for a vector or an array, the alignment of its elements.
    fn natural_align(&self, ty: &FieldType) -> u64 {
        match ty {
            FieldType::Scalar(scalar) => scalar.width().into(),
            FieldType::Vector(element) | FieldType::Array(element, _) => self.natural_align(element),
            FieldType::Named(name) => match (self.enums.get(name), self.layouts.get(name)) {
                (Some(found), _) => found.underlying.width().into(),
                (None, Some(layout)) => layout.align,
                (None, None) => 4,
            },
            FieldType::String => 4,
        }
    }

    /// A union has two slots: the tag, and the value, which is its `id`.
    fn slots(&self, fields: &[SourceField], types: &[FieldType]) -> Result<Vec<u32>, SchemaError> {
        let with_id = fields.iter().filter(|field| field.attributes.has("id")).count();
        if with_id != 0 && with_id != fields.len() {
            let field = fields.iter().find(|field| !field.attributes.has("id")).unwrap_or(&fields[0]);
            let message = "found a field without `id` in a table with ids, expected an id for each field";
            return Err(field.name.place.error(message));
        }
        let mut taken = BTreeMap::new();
        let mut next = 0;
        let mut slots = Vec::new();
        for (field, ty) in fields.iter().zip(types) {
            let union = self.is_union(ty);
            let slot = match field.attributes.get("id") {
                Some((place, id)) => {
                    let id = id.and_then(integer).and_then(|id| u16::try_from(id).ok()).map(u32::from);
                    id.ok_or_else(|| place.error("the `id` is not a slot, expected a number from 0 to 65535"))?
                }
                None => next + u32::from(union),
            };
            next = slot + 1;
            if union && slot == 0 {
                let message = "found the id 0 for a union, expected 1 or more: its tag takes the id before it";
                return Err(field.name.place.error(message));
            }
            for own in slot - u32::from(union)..=slot {
                if taken.insert(own, &field.name).is_some() {
                    return Err(field.name.place.error(format!("found two fields with the id {own}")));
                }
            }
            slots.push(slot);
        }
        // The ids of a table must have no gaps.
        if let Some((last, field)) = taken.last_key_value().filter(|(last, _)| **last as usize + 1 != taken.len()) {
            let message = format!("found the id {last} in a table with {} ids, expected ids without gaps", taken.len());
            return Err(field.place.error(message));
        }
        Ok(slots)
    }
}
