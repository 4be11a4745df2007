//! Whose fault it is that a file is not written.

/// Whose fault it is that a file is not written: who has to do something about it.
///
/// Every error of writing tells it by its `fault()`, whichever step failed and however deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// Of what is asked for: the model, specification, layout or change cannot be, or the file would break a must-rule.
    Specification,
    /// Of a file that is to be changed: it breaks a must-rule itself.
    Broken,
    /// Of what the bytes come from: it is not there, cannot be read, or has other bytes than it must have.
    Input,
    /// Of where the file is to go: it cannot be written there.
    Output,
    /// Nobody's: it is more than the format, the memory, the caller's limits or this library take.
    Limit,
}
