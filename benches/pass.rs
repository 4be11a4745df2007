//! The structure pass, which ends at the first fault as the verifiers beside it do.

use torchproof::Limits;
use torchproof::flatbuffer::walk::{Flow, Path, Stop, Visitor, walk};
use torchproof::flatbuffer::{Fault, schema::TableView};

struct FirstFault;

impl Visitor<'_> for FirstFault {
    fn fault(&mut self, _: &Fault, _: Path<'_>) -> Flow {
        Err(Stop::Asked)
    }
}

/// The tables of a FlatBuffer whose root is a `T`; none where it is not sound.
pub(crate) fn structure<'a, T: TableView<'a>>(region: &'a [u8]) -> Option<usize> {
    let (_, tally, flow) = walk::<T, _>(region, Limits::DEFAULT, FirstFault);
    flow.is_ok().then_some(tally.tables as usize)
}
