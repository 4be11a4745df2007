//! The result of looking for a header, the same for both formats.

/// What a file has at byte 8, where a header is or would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundHeader<H> {
    /// No header: in a program, the FlatBuffer goes on at byte 8 and is the whole file.
    None,
    /// A header's magic with two other digits: a version that is not known here.
    UnknownVersion([u8; 4]),
    /// The magic, and fewer bytes than the header needs: how many bytes of file it needs.
    Truncated(u64),
    /// A header.
    Header(H),
}
