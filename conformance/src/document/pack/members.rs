//! The members of a JSON object that is not a table.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use torchproof_harness::text::json::json_fault;

use super::SpecError;

#[derive(Debug)]
pub(super) struct Members(Map<String, Value>);

impl Members {
    pub(super) fn read(value: Value, known: &[&str]) -> Result<Self, SpecError> {
        let members = serde_json::from_value::<Map<String, Value>>(value);
        let members = members.map_err(|error| SpecError::at("", json_fault(&error, "an object")))?;
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self(members)),
            Some(name) => {
                let message = format!("unknown member; expected one of {}", known.join(", "));
                Err(SpecError::at(name.escape_debug().to_string(), message))
            }
        }
    }

    /// `null` is a value, not an absent member.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, SpecError> {
        let wrong = |error| SpecError::at(name, json_fault(&error, "a value"));
        let read = |value| serde_json::from_value(value).map_err(wrong);
        self.0.remove(name).map(read).transpose()
    }
}
