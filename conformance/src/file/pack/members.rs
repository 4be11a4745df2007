//! The members of an object that is no table.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::SpecError;

/// The members of an object, each of which is taken once.
#[derive(Debug)]
pub(super) struct Members(Map<String, Value>);

impl Members {
    /// The members of an object, all of which must be known.
    pub(super) fn read(value: Value, known: &[&str]) -> Result<Self, SpecError> {
        let members = serde_json::from_value::<Map<String, Value>>(value);
        let members = members.map_err(|error| SpecError::at("", error.to_string()))?;
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self(members)),
            Some(name) => {
                let message = format!("is unknown there; known are {}", known.join(", "));
                Err(SpecError::at(name.escape_debug().to_string(), message))
            }
        }
    }

    /// Removes a member; `null` is a value, and not an absent member.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, SpecError> {
        let read = |value| serde_json::from_value(value).map_err(|error| SpecError::at(name, error.to_string()));
        self.0.remove(name).map(read).transpose()
    }
}
