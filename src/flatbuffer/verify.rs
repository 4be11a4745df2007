//! The public entry point of the verification pass.

use core::fmt;

use super::fault::Fault;
use super::schema::TableView;
use super::walk::{Flow, Path, Stop, Tally, Visitor, walk};
use crate::{Limit, Limits, Span};

/// The counts that [`verify`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyStats {
    /// The number of visited tables. A shared table counts once per visit.
    pub tables: u32,
    /// The number of bytes of visited tables, vectors and strings. A shared part counts once per visit.
    pub apparent_size: u64,
    /// The span from the first table or vtable to the end of the last table, vtable, vector or string.
    pub used: Span,
}

/// Verifies a FlatBuffer whose root table is a `T`.
///
/// Calls `fault` with each fault and its field path. The target of an invalid offset is not visited.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::Limits;
/// use torchproof::flatbuffer::verify;
/// use torchproof::pte::{Pte, schema::Program};
///
/// let bytes = std::fs::read("corpus/real/linear.pte")?;
/// let mut faults = 0;
/// let stats = verify::<Program>(Pte::open(&bytes)?.region(), Limits::DEFAULT, |_, _| faults += 1);
/// assert_eq!(faults, 0);
/// assert!(stats.unwrap().tables > 1);
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// If the FlatBuffer exceeds a limit, returns that limit.
pub fn verify<'a, T: TableView<'a>>(
    buffer: &'a [u8],
    limits: Limits,
    fault: impl FnMut(&Fault, &dyn fmt::Display),
) -> Result<VerifyStats, Limit> {
    let (Tally { tables, apparent_size, used }, flow) = walk::<T>(buffer, limits, &mut Faults(fault));
    match flow {
        Err(Stop::Limit(limit)) => Err(limit),
        Ok(()) | Err(Stop::Visitor) => Ok(VerifyStats { tables, apparent_size, used }),
    }
}

struct Faults<F>(F);

impl<F: FnMut(&Fault, &dyn fmt::Display)> Visitor<'_> for Faults<F> {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        (self.0)(fault, path);
        Ok(())
    }
}
