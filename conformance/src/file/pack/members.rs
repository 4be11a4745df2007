//! The members of an object that is no table.

use serde_json::{Map, Value};
use torchproof::view::{is_not, to_whole};

use super::SpecError;

/// The type of a 64-bit member, for messages.
pub(super) const ULONG: &str = "a ulong";

/// The members of an object, each of which is taken once.
#[derive(Debug)]
pub(super) struct Members {
    path: String,
    map: Map<String, Value>,
}

impl Members {
    /// Those of the object at `path`.
    pub(super) fn of(path: impl Into<String>, value: Value) -> Result<Self, SpecError> {
        let path = path.into();
        match value {
            Value::Object(map) => Ok(Self { path, map }),
            other => Err(SpecError::at(path, is_not(&other, "an object"))),
        }
    }

    /// The path of the object.
    pub(super) fn at(&self) -> &str {
        &self.path
    }

    /// The path of a member.
    pub(super) fn path(&self, name: &str) -> String {
        let step = name.escape_debug();
        if self.path.is_empty() { step.to_string() } else { format!("{}.{step}", self.path) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name)
    }

    pub(super) fn whole<T: TryFrom<i128>>(&mut self, name: &str, wanted: &'static str) -> Result<Option<T>, SpecError> {
        let whole = |value| to_whole(&value, wanted).map_err(|message| SpecError::at(self.path(name), message));
        self.map.get(name).cloned().map(whole).transpose().inspect(|_| drop(self.map.remove(name)))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, SpecError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(SpecError::at(self.path(name), is_not(&other, "a string"))),
        }
    }

    /// Fails for a member that nobody took; `known` says what there could be.
    pub(super) fn finish(self, known: &str) -> Result<(), SpecError> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(name) => Err(SpecError::at(self.path(name), format!("is unknown there; known are {known}"))),
        }
    }
}
