//! The layouts of structs.

use std::collections::BTreeSet;

use super::super::error::SchemaError;
use super::super::model::{FieldType, StructField, StructLayout};
use super::super::parse::{Attributes, SourceContent, SourceField, SourceType};
use super::Resolver;

/// The maximum depth of nested structs, because each level is a recursive call.
const MAX_DEPTH: usize = 64;

impl Resolver<'_> {
    pub(super) fn layout(
        &mut self,
        name: &str,
        ty: &SourceType,
        fields: &[SourceField],
        depth: usize,
    ) -> Result<(u64, u64), SchemaError> {
        if let Some(layout) = self.layouts.get(name) {
            return Ok((layout.size, layout.align));
        }
        if depth > MAX_DEPTH {
            return Err(ty.name.place.error("found a struct that contains itself, or more than 64 nested structs"));
        }
        let (mut end, mut align, mut placed) = (0_u64, 1_u64, Vec::new());
        let mut names = BTreeSet::new();
        for field in fields {
            let place = field.name.place;
            if !names.insert(&field.name.value) {
                return Err(place.error(format!("found a second field `{}`", field.name.value)));
            }
            let field_type = self.type_of(&ty.namespace, &field.ty)?;
            let (element, count) = match &field_type {
                FieldType::Array(element, count) => (&**element, u64::from(*count)),
                other => (other, 1),
            };
            let Some((size, own)) = self.inline_size(element, depth)? else {
                let message =
                    format!("found the type {field_type} in a struct, expected a scalar, an enum or a struct");
                return Err(place.error(message));
            };
            let offset = end.next_multiple_of(own);
            let size = size.checked_mul(count).and_then(|size| offset.checked_add(size)).filter(|end| *end <= 1 << 31);
            end = size.ok_or_else(|| place.error("found a struct of more than 2 GiB; use a vector for the data"))?;
            align = align.max(own);
            let key = field.attributes.has("key");
            placed.push(StructField { offset, name: field.name.clone(), ty: field_type, key });
        }
        align = align.max(force_align(&ty.attributes)?.unwrap_or(1));
        let layout = StructLayout { fields: placed, size: end.next_multiple_of(align), align };
        let found = (layout.size, layout.align);
        self.layouts.insert(name.into(), layout);
        Ok(found)
    }

    fn inline_size(&mut self, ty: &FieldType, depth: usize) -> Result<Option<(u64, u64)>, SchemaError> {
        let width = match ty {
            FieldType::Scalar(scalar) => scalar.width(),
            FieldType::Named(name) => match self.enums.get(name) {
                Some(found) => found.underlying.width(),
                None => {
                    let declared = self.declared[name];
                    let SourceContent::Struct(fields) = &declared.content else { return Ok(None) };
                    return self.layout(name, declared, fields, depth + 1).map(Some);
                }
            },
            _ => return Ok(None),
        };
        Ok(Some((width.into(), width.into())))
    }
}

pub(super) fn force_align(attributes: &Attributes) -> Result<Option<u64>, SchemaError> {
    let Some((place, value)) = attributes.get("force_align") else { return Ok(None) };
    let align =
        value.and_then(|value| value.parse().ok()).filter(|align: &u64| align.is_power_of_two() && *align <= 1 << 15);
    align.map(Some).ok_or_else(|| place.error("found a `force_align` that is not a power of two up to 32768"))
}
