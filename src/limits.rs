//! What reading one file may cost.

/// Bounds on the work that one file can ask for, passed in as a value.
///
/// A FlatBuffer may share its tables, so a small file can describe a large tree; the limits bound the tree, not the file.
/// A file that exceeds them is not rejected: the check of it stops early.
///
/// ```
/// use torchproof::Limits;
/// let limits = Limits::DEFAULT.tables(10_000);
/// assert_eq!(limits.depth, 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Tables inside tables. The schemas here nest eight deep; the FlatBuffers verifiers stop at 64, as does the default.
    pub depth: u32,
    /// Tables visited, a shared one counted at each visit. Default 16 Mi: the FlatBuffers verifiers stop at 1 000 000,
    /// which a program of 300 000 tensors is beyond.
    pub tables: u32,
    /// Bytes of tables, vectors and strings visited, shared ones counted at each visit. Default 2^31, as the verifiers.
    pub apparent_size: u64,
    /// The same in proportion to the FlatBuffer, beside the 64 MiB that any may come to: official writers share next to
    /// nothing, so that theirs come to once or twice their size. Default 16.
    pub amplification: u64,
    /// Bytes of planned memory that one method may ask for; more is a warning. Default 2^40: no host has as much.
    pub planned_memory: u64,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits =
        Limits { depth: 64, tables: 1 << 24, apparent_size: 1 << 31, amplification: 16, planned_memory: 1 << 40 };

    /// The same with this [`Limits::depth`].
    #[must_use]
    pub const fn depth(self, depth: u32) -> Self {
        Self { depth, ..self }
    }

    /// The same with this many [`Limits::tables`].
    #[must_use]
    pub const fn tables(self, tables: u32) -> Self {
        Self { tables, ..self }
    }

    /// The same with this [`Limits::apparent_size`].
    #[must_use]
    pub const fn apparent_size(self, apparent_size: u64) -> Self {
        Self { apparent_size, ..self }
    }

    /// The same with this [`Limits::amplification`].
    #[must_use]
    pub const fn amplification(self, amplification: u64) -> Self {
        Self { amplification, ..self }
    }

    /// The same with this much [`Limits::planned_memory`].
    #[must_use]
    pub const fn planned_memory(self, planned_memory: u64) -> Self {
        Self { planned_memory, ..self }
    }
}

impl Limits {
    /// Bytes that may be visited of a buffer of `len` bytes.
    pub(crate) fn apparent_size_of(&self, len: usize) -> u64 {
        const ANY: u64 = 64 << 20;
        self.apparent_size.min(self.amplification.saturating_mul(len as u64).max(ANY))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Which limit a file exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// A FlatBuffer has fewer than 2^31 bytes: an offset has no more bits.
    BufferSize,
    /// [`Limits::depth`].
    Depth,
    /// [`Limits::tables`].
    Tables,
    /// [`Limits::apparent_size`].
    ApparentSize,
    /// The scratch memory is too small for the file's names and segments.
    Scratch,
}

impl core::fmt::Display for Limit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Limit::BufferSize => "the FlatBuffer has 2^31 bytes or more",
            Limit::Depth => "tables nest deeper than the limit",
            Limit::Tables => "more tables are visited than the limit allows",
            Limit::ApparentSize => "more bytes are visited than the limit allows",
            Limit::Scratch => "the scratch memory is too small for the file's names",
        })
    }
}
