//! The memory that an application provides for a method, compared with what it needs.

use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{ArenaSetup, Release};
use crate::flatbuffer::Vector;
use crate::layout::nbytes;
use crate::named::named;
use crate::pte::{Method, Pte};

/// The sizes in bytes of the memory that an application provides for a method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PoolSizes {
    /// The method allocator's pool. An absent size counts as large enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<u64>,
    /// The temporary allocator's pool, or 0 if it has none, for example because it uses `malloc`. An absent size means
    /// that the application passes no temporary allocator, so the method pool needs more room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temporary: Option<u64>,
    /// The buffers for planned tensors, in the order of `memory_planned_buffer_size`. An absent list counts as large enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Vec<u64>>,
}

named! {
    /// A kind of memory of a method.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum PoolKind {
        /// The method allocator's pool.
        Method = "method",
        /// The temporary allocator's pool.
        Temporary = "temporary",
        /// A buffer for planned tensors.
        Planned = "planned",
    }
}

/// A pool that is too small for a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SmallPool {
    /// The pool's kind.
    pub pool: PoolKind,
    /// The number of a planned buffer, counted from 1 as in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<usize>,
    /// The size in the profile.
    pub bytes: u64,
    /// The smallest size with which the method loads. Backends need additional memory.
    pub needed: u64,
}

/// The maximum number of buffers to compare, because a hostile file can have many.
const MAX_BUFFERS: usize = 1024;

impl PoolSizes {
    /// Returns whether all sizes are absent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the pools that are too small for a method. Skips pools whose smallest size is not known.
    pub(super) fn too_small(&self, setup: ArenaSetup, program: &Pte<'_>, method: Method<'_>) -> Vec<SmallPool> {
        if self.is_empty() {
            return Vec::new();
        }
        let compare = |pool, planned, bytes: Option<u64>, needed: Option<u64>| {
            let (bytes, needed) = bytes.zip(needed)?;
            (bytes < needed).then_some(SmallPool { pool, planned, bytes, needed })
        };
        let arenas = ArenaSetup::smallest_arenas(&[setup], program, method).pop().flatten();
        // Since 1.5, the method pool has to make up for a temporary pool that is too small.
        let is_required = setup.release < Release([1, 5, 0]);
        let temporary = self.temporary.filter(|size| is_required && *size > 0);
        let small = [
            compare(PoolKind::Method, None, self.method, arenas.map(|arenas| arenas.method)),
            compare(PoolKind::Temporary, None, temporary, arenas.map(|arenas| arenas.temporary)),
        ];
        let mut small: Vec<SmallPool> = small.into_iter().flatten().collect();
        if let Some(planned) = &self.planned {
            let needed = planned_ends(method).into_iter().enumerate().skip(1);
            small.extend(needed.filter_map(|(number, end)| {
                let bytes = planned.get(number - 1).copied().unwrap_or(0);
                compare(PoolKind::Planned, Some(number), Some(bytes), Some(end))
            }));
        }
        small
    }
}

/// Returns where the last tensor ends in each planned buffer. The first buffer is reserved.
fn planned_ends(method: Method<'_>) -> Vec<u64> {
    let count = method.plan().non_const_buffer_sizes().ok().flatten().map_or(0, Vector::len);
    let mut ends = vec![0_u64; count.min(MAX_BUFFERS)];
    for (_, tensor) in method.tensors().flatten() {
        let place = || {
            let place = tensor.allocation_info().ok()??;
            let offset = u64::from(place.memory_offset_low().ok()?) | u64::from(place.memory_offset_high().ok()?) << 32;
            let size = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok()?;
            Some((usize::try_from(place.memory_id().ok()?).ok()?, offset.checked_add(size)?))
        };
        let Some((buffer, end)) = place() else { continue };
        if let Some(known) = ends.get_mut(buffer) {
            *known = end.max(*known);
        }
    }
    ends
}
