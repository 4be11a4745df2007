//! The defaults of fields.

use super::super::error::SchemaError;
use super::super::model::{DefaultValue, Enum, FieldType, LocatedItem, Scalar};
use super::super::parse::{SourceDefault, SourceField, integer};
use super::Resolver;

impl Resolver<'_> {
    pub(super) fn default_of(
        &self,
        namespace: &str,
        ty: &FieldType,
        field: &SourceField,
    ) -> Result<DefaultValue, SchemaError> {
        let (scalar, own) = match ty {
            FieldType::Scalar(scalar) => (*scalar, None),
            FieldType::Named(name) => match self.enums.get(name) {
                Some(found) => (found.underlying, Some(found)),
                None => return Ok(DefaultValue::None),
            },
            _ => {
                return Ok(match &field.default {
                    Some(LocatedItem { value: SourceDefault::Text(text), .. }) => DefaultValue::Text(text.clone()),
                    _ => DefaultValue::None,
                });
            }
        };
        let zero = if let Scalar::Float(_) = scalar { DefaultValue::Float(0.0) } else { DefaultValue::Integer(0) };
        let Some(LocatedItem { value, place }) = &field.default else { return Ok(zero) };
        let names: Vec<&str> = match value {
            SourceDefault::Number(text) => vec![text],
            SourceDefault::Text(text) => text.split_whitespace().collect(),
            SourceDefault::Names(names) if names.len() == 1 && names[0] == "null" => return Ok(DefaultValue::None),
            SourceDefault::Names(names) => names.iter().map(String::as_str).collect(),
        };
        let found = match &names[..] {
            [only] => number(only, scalar),
            _ => None,
        };
        // The default of an integer field can be enum values such as `Enum.VALUE`.
        let bits = || {
            let numbers = names.iter().map(|name| self.enum_value(namespace, own, name));
            numbers.reduce(|bits, number| Some(bits? | number?)).flatten()
        };
        let fits = |value: &i128| scalar.range().is_some_and(|(low, high)| (low..=high).contains(value));
        let found = found.or_else(|| bits().filter(fits).map(DefaultValue::Integer));
        found.ok_or_else(|| place.error(format!("found a default that is not a value of the type {ty}")))
    }

    /// `name` is a value of the `own` enum, or a qualified name such as `Enum.VALUE`.
    fn enum_value(&self, namespace: &str, own: Option<&Enum>, name: &str) -> Option<i128> {
        let (found, name) = match (name.rsplit_once('.'), own) {
            (Some((enumeration, value)), None) => (self.enums.get(&self.find(namespace, enumeration)?)?, value),
            (Some((_, value)), Some(own)) => (own, value),
            (None, own) => (own?, name),
        };
        found.by_name.get(name).map(|(number, _)| *number)
    }
}

fn number(text: &str, scalar: Scalar) -> Option<DefaultValue> {
    if let Some((smallest, largest)) = scalar.range() {
        let value = match text {
            "true" => 1,
            "false" => 0,
            _ => integer(text)?,
        };
        return Some(DefaultValue::Integer(value)).filter(|_| (smallest..=largest).contains(&value));
    }
    let decimal = hexadecimal(text).map_or_else(|| text.to_owned(), |value| value.to_string());
    // Round the default to the precision of `scalar`.
    let value =
        if scalar == Scalar::Float(4) { decimal.parse::<f32>().ok().map(f64::from) } else { decimal.parse().ok() };
    value.map(DefaultValue::Float)
}

fn hexadecimal(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
    let (mantissa, exponent) = digits.split_once(['p', 'P']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    Some(sign * bits as f64 * 2_f64.powi(exponent))
}
