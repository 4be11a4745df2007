//! The state of the sandbox in reports.

use std::fmt;

use serde::{Deserialize, Serialize};
use torchproof::named;

/// The path, which does not exist, for processes without a writable folder.
#[cfg(target_os = "linux")]
pub(in crate::reader) const NOWHERE: &str = "/nonexistent";

/// What restricts a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sandbox {
    /// The mechanism.
    pub mode: Mode,
    /// What the mechanism does not restrict on this system: actions and resources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrestricted: Vec<String>,
    /// Why the runner does not use a stronger mechanism.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

named! {
    /// A sandbox's mechanism.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Mode {
        /// Bubblewrap: new pid, network, IPC, user and mount namespaces.
        Bwrap = "bwrap",
        /// Landlock and seccomp.
        Landlock = "landlock",
        /// No restrictions.
        Off = "off",
    }
}

impl Sandbox {
    pub fn off(why: &str) -> Self {
        Sandbox { mode: Mode::Off, unrestricted: Vec::new(), why: Some(why.to_owned()) }
    }

    /// Returns the first line of a text report: the mechanism, or the reason why there is none.
    pub fn header(&self) -> String {
        if self.is_active() { format!("sandbox: {}", self.mode.name()) } else { self.to_string() }
    }

    pub const fn is_active(&self) -> bool {
        !matches!(self.mode, Mode::Off)
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_active() {
            return write!(f, "not sandboxed: {}", self.why.as_deref().unwrap_or_default());
        }
        write!(f, "sandboxed with {}", self.mode.name())?;
        if self.unrestricted.is_empty() {
            Ok(())
        } else {
            write!(f, ", which does not restrict {}", self.unrestricted.join(", "))
        }
    }
}
