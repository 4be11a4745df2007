//! Limits on the work done to read one file.

/// Limits on the work done to read one file.
///
/// Several offsets may lead to one table, so a small file can describe a large tree. The limits bound its size: if a
/// file exceeds one, the check stops early without rejecting the file.
///
/// ```
/// use torchproof::Limits;
/// let limits = Limits::DEFAULT.tables(10_000);
/// assert_eq!(limits.depth, 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How deep tables may nest. The schemas need at most eight levels. The default is 64, as in the FlatBuffers
    /// verifiers.
    pub depth: u32,
    /// How many tables may be visited, counting a shared table at each visit. The default is 16 Mi, because the
    /// FlatBuffers verifiers' limit, 1 000 000, is too low for a program with 300 000 tensors.
    pub tables: u32,
    /// How many bytes of tables, vectors and strings may be visited, counting shared parts at each visit. The default
    /// is 2^31, as in the FlatBuffers verifiers.
    pub apparent_size: u64,
    /// The maximum ratio of visited bytes to the FlatBuffer's length, checked only above 64 MiB of visited bytes. Files
    /// by official writers have a ratio between 1 and 2. The default is 16.
    pub amplification: u64,
    /// How many bytes of planned memory a method may have before the checker warns. The default is 2^40.
    pub planned_memory: u64,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits =
        Limits { depth: 64, tables: 1 << 24, apparent_size: 1 << 31, amplification: 16, planned_memory: 1 << 40 };

    pub(crate) fn apparent_size_of(&self, len: usize) -> u64 {
        const ANY: u64 = 64 << 20;
        self.apparent_size.min(self.amplification.saturating_mul(len as u64).max(ANY))
    }
}

macro_rules! setters {
    ($($field:ident: $type:ty),*) => {
        impl Limits {$(
            #[doc = concat!("Sets [`Limits::", stringify!($field), "`], and returns the changed limits.")]
            #[must_use]
            pub const fn $field(self, $field: $type) -> Self {
                Self { $field, ..self }
            }
        )*}
    };
}

setters! { depth: u32, tables: u32, apparent_size: u64, amplification: u64, planned_memory: u64 }

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The limit that a file exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// A FlatBuffer must have fewer than 2^31 bytes, because its offsets have 31 bits.
    BufferSize,
    /// The file exceeds [`Limits::depth`].
    Depth,
    /// The file exceeds [`Limits::tables`].
    Tables,
    /// The file exceeds [`Limits::apparent_size`] or [`Limits::amplification`].
    ApparentSize,
    /// The scratch memory is too small for the file's names and segments.
    Scratch,
    /// In owned form, the tables need more memory than 16 MiB plus 40 bytes for each byte of the FlatBuffer.
    Memory,
}

impl Limit {
    /// Returns how much memory the owned form of a file with `len` bytes may take, in bytes.
    ///
    /// A file by an official writer needs at most about 30 bytes of memory for each of its bytes.
    #[must_use]
    pub const fn memory_for(len: u64) -> u64 {
        len.saturating_mul(40).saturating_add(16 << 20)
    }
}

impl core::fmt::Display for Limit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Limit::BufferSize => "the FlatBuffer is too large; expected less than 2^31 bytes",
            Limit::Depth => "tables nest deeper than the limit",
            Limit::Tables => "the number of tables exceeds the limit",
            Limit::ApparentSize => "the bytes of tables, vectors and strings exceed the limit",
            Limit::Scratch => "the scratch memory is too small for the file's names",
            Limit::Memory => "the tables need more memory than 16 MiB plus 40 bytes for each byte of the FlatBuffer",
        })
    }
}
