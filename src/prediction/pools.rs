//! The memory that an application gives to a method, compared with what the method needs.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{ArenaSetup, Release};
use crate::flatbuffer::Vector;
use crate::pte::{Method, Pte};

/// The sizes in bytes of the memory that an application gives to a method. An absent size is large enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PoolSizes {
    /// The pool of the method allocator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<u64>,
    /// The pool of the temporary allocator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temporary: Option<u64>,
    /// The buffers for planned tensors, in the order in which `memory_planned_buffer_size` counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Vec<u64>>,
}

/// A pool that is too small for a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SmallPool {
    /// `method`, `temporary`, or `planned` with the number of the buffer, counted from 1 as in the file.
    pub name: String,
    /// The size in the profile.
    pub bytes: u64,
    /// The smallest size with which the method loads. What backends take comes on top.
    pub needed: u64,
}

/// The most buffers that are compared; a hostile file can have many.
const MAX_BUFFERS: usize = 1024;

impl PoolSizes {
    /// Returns whether all sizes are absent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the pools that are too small for a method. A size that the method needs, but that no evidence supports, is not compared.
    pub(super) fn too_small(&self, setup: ArenaSetup, program: &Pte<'_>, method: Method<'_>) -> Vec<SmallPool> {
        if self.is_empty() {
            return Vec::new();
        }
        let compare = |name: String, bytes: Option<u64>, needed: Option<u64>| {
            let (bytes, needed) = bytes.zip(needed)?;
            (bytes < needed).then_some(SmallPool { name, bytes, needed })
        };
        let arenas = ArenaSetup::smallest_arenas(&[setup], program, method).pop().flatten();
        // Since 1.5, the method pool has the room that a small temporary pool lacks.
        let is_required = setup.release < Release([1, 5, 0]);
        let temporary = self.temporary.filter(|size| is_required && *size > 0);
        let of_method = arenas.map(|arenas| arenas.method);
        let mut small: Vec<SmallPool> = compare("method".into(), self.method, of_method).into_iter().collect();
        small.extend(compare("temporary".into(), temporary, arenas.map(|arenas| arenas.temporary)));
        let sizes = method.plan().non_const_buffer_sizes().ok().flatten();
        // The first size is reserved.
        let sizes = sizes.into_iter().flat_map(Vector::iter).skip(1).take(MAX_BUFFERS);
        if let Some(planned) = &self.planned {
            small.extend(sizes.enumerate().filter_map(|(index, needed)| {
                let bytes = planned.get(index).copied().unwrap_or(0);
                compare(format!("planned {}", index + 1), Some(bytes), u64::try_from(needed).ok())
            }));
        }
        small
    }
}
