//! **Failed starts** of readers, counted over all threads.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of consecutive failed starts after which the runner does not start the worker again.
pub(super) const MAX_FAILED_STARTS: u32 = 3;

/// For each reader, the failed starts since its last successful start. All threads of a run share this value.
#[derive(Clone, Debug, Default)]
pub struct FailedStarts(Arc<Mutex<HashMap<Vec<OsString>, Failures>>>);

/// The number of failed starts, and the last error.
type Failures = (u32, String);

impl FailedStarts {
    /// Returns the error of the last failed start, if the runner no longer tries to start the reader.
    pub(super) fn given_up(&self, argv: &[OsString]) -> Option<String> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(argv).filter(|(count, _)| *count >= MAX_FAILED_STARTS).map(|(_, error)| error.clone())
    }

    /// If there is an error, adds `count` failed starts with this error. Without an error, the start was successful, so
    /// the function removes all earlier failed starts.
    pub(super) fn add(&self, argv: &[OsString], error: Option<&String>, count: u32) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match error {
            None => drop(failures.remove(argv)),
            Some(error) => {
                let entry = failures.entry(argv.to_vec()).or_default();
                *entry = (entry.0.saturating_add(count), error.clone());
            }
        }
    }
}
