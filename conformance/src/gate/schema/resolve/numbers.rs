//! The numbers of enum values and union members.

use std::collections::BTreeSet;

use super::super::error::SchemaError;
use super::super::model::{Enum, LocatedItem, Scalar};
use super::super::parse::{Attributes, SourceValue, integer};

/// With the `bit_flags` attribute, each declared number is a bit position.
pub(super) fn enumeration(
    underlying: &LocatedItem<String>,
    values: &[SourceValue],
    attributes: &Attributes,
) -> Result<Enum, SchemaError> {
    let underlying = integer_type(underlying)?;
    let numbers = numbers(values, underlying, attributes.has("bit_flags"), 0)?;
    let mut values: Vec<_> = values.iter().map(|value| value.name.clone()).zip(numbers).collect();
    values.sort_by_key(|(_, number)| *number);
    let by_name = values.iter().map(|(name, number)| (name.value.clone(), (*number, name.place))).collect();
    Ok(Enum { underlying, values, by_name })
}

pub(super) fn integer_type(name: &LocatedItem<String>) -> Result<Scalar, SchemaError> {
    let scalar = Scalar::by_name(&name.value).filter(|scalar| scalar.range().is_some());
    scalar.ok_or_else(|| name.place.error(format!("found `{}`, expected an integer type", name.value)))
}

/// A value without a declared number gets the previous one plus one.
pub(super) fn numbers(
    values: &[SourceValue],
    scalar: Scalar,
    bits: bool,
    first: i128,
) -> Result<Vec<i128>, SchemaError> {
    let (smallest, largest) = scalar.range().unwrap_or((0, 0));
    let mut next = first;
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut found = Vec::new();
    for SourceValue { name, number, .. } in values {
        if !names.insert(&name.value) {
            return Err(name.place.error(format!("found a second value `{}`", name.value)));
        }
        let value = match number {
            Some(LocatedItem { value, place }) => {
                integer(value).ok_or_else(|| place.error(format!("found `{value}`, expected an integer")))?
            }
            // A union may declare the tag 0 as `NONE`.
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
