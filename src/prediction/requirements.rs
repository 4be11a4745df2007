//! What a method needs from the build that loads it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::Error;
use crate::flatbuffer::{Fault, Str, Vector};
use crate::pte::Method;
use crate::pte::schema::{BackendDelegate, DeviceType, InstructionArgumentsValue, Operator};

/// The operators, backends and devices that a build must have to load a method.
///
/// The names are those in the file; bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requirements {
    /// The operators that kernel calls name, with their overloads.
    pub operators: BTreeSet<String>,
    /// The ids of the delegates' backends.
    pub backends: BTreeSet<String>,
    /// The devices with planned memory, besides the CPU.
    pub devices: BTreeSet<String>,
}

impl Requirements {
    /// Returns a method's requirements. Lists that cannot be read count as empty.
    #[must_use]
    pub fn of(method: Method<'_>) -> Self {
        let operators: Vec<_> = method.operators().collect();
        let called = method.instructions().filter_map(|instruction| match instruction.ok()?.instr_args().ok()?? {
            InstructionArgumentsValue::KernelCall(call) => usize::try_from(call.op_index().ok()?).ok(),
            _ => None,
        });
        let called: BTreeSet<usize> = called.collect();
        let operators = called.into_iter().filter_map(|index| Some(joined_name((*operators.get(index)?).ok()?)));
        let devices = method.plan().non_const_buffer_device().ok().flatten();
        let devices = devices.into_iter().flat_map(Vector::iter).filter_map(|device| device.ok()?.device_type().ok());
        Self {
            operators: operators.collect(),
            backends: Self::backends(method).collect(),
            devices: devices.filter(|device| *device != DeviceType::CPU).map(device_name).collect(),
        }
    }

    /// Returns the requirements of all methods together.
    pub(super) fn of_program<'a>(methods: impl Iterator<Item = Method<'a>>) -> Self {
        let mut all = Self::default();
        for Self { operators, backends, devices } in methods.map(Self::of) {
            all.operators.extend(operators);
            all.backends.extend(backends);
            all.devices.extend(devices);
        }
        all
    }

    /// Returns each delegate's backend id, or an empty text if it has none.
    pub(super) fn backends(method: Method<'_>) -> impl Iterator<Item = String> {
        let id = |delegate: Result<BackendDelegate<'_>, Error>| Some(lossy(delegate.ok()?.id().ok()??));
        method.delegates().map(move |delegate| id(delegate).unwrap_or_default())
    }

    /// Returns whether a build needs nothing to load the method.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operators.is_empty() && self.backends.is_empty() && self.devices.is_empty()
    }
}

/// Joins an operator's name and overload into its full name, as the runtime does.
fn joined_name(operator: Operator<'_>) -> String {
    let part = |text: Result<Option<Str<'_>>, Fault>| text.ok().flatten().map_or(String::new(), lossy);
    let (name, overload) = (part(operator.name()), part(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

fn lossy(text: Str<'_>) -> String {
    String::from_utf8_lossy(text.as_bytes()).into_owned()
}

/// Returns a device type's name in profiles: `cuda`, or the number of an unknown type.
fn device_name(device: DeviceType) -> String {
    device.name().map_or_else(|| format!("{}", device.0), str::to_ascii_lowercase)
}
