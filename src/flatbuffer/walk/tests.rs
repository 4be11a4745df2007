//! The limits, and what the memory of vtables relies on.

#[cfg(feature = "std")]
mod edges;

use super::vtable::{EMPTY, MAX_FIELDS};
use super::*;
use crate::flatbuffer::schema::TableView;
use crate::pte::schema::Program;

struct Quiet;

impl Visitor<'_> for Quiet {
    fn fault(&mut self, fault: &Fault, path: Path<'_>) -> Flow {
        panic!("{path}: {fault}");
    }
}

fn limited(limits: Limits) -> Flow {
    let bytes = include_bytes!("../../../corpus/real/linear.pte");
    let file = crate::pte::Pte::open(bytes).unwrap();
    walk::<Program<'_>, _>(file.region(), limits, Quiet).2
}

#[test]
fn each_limit_stops_the_pass() {
    assert_eq!(limited(Limits::DEFAULT), Ok(()));
    // Program, plan, chain, instruction, call: and a value's tensor with its allocation is no deeper.
    assert_eq!(limited(Limits { depth: 5, ..Limits::DEFAULT }), Ok(()));
    assert_eq!(limited(Limits { depth: 4, ..Limits::DEFAULT }), Err(Stop::Limit(Limit::Depth)));
    assert_eq!(limited(Limits { tables: 10, ..Limits::DEFAULT }), Err(Stop::Limit(Limit::Tables)));
    assert_eq!(limited(Limits { apparent_size: 200, ..Limits::DEFAULT }), Err(Stop::Limit(Limit::ApparentSize)));
}

#[test]
fn ids_tell_tables_apart_and_fields_are_slots_in_order() {
    use crate::ptd::{older_schema as older, schema as ptd};
    use crate::pte::schema as pte;
    fn of<'a, T: TableView<'a>>() -> (u8, &'static TableType) {
        (T::ID, T::TYPE)
    }
    let all = [
        of::<pte::Program<'_>>(),
        of::<pte::ContainerMetadata<'_>>(),
        of::<pte::Null<'_>>(),
        of::<pte::AllocationDetails<'_>>(),
        of::<pte::ExtraTensorInfo<'_>>(),
        of::<pte::Tensor<'_>>(),
        of::<pte::Int<'_>>(),
        of::<pte::Bool<'_>>(),
        of::<pte::Double<'_>>(),
        of::<pte::String<'_>>(),
        of::<pte::IntList<'_>>(),
        of::<pte::DoubleList<'_>>(),
        of::<pte::BoolList<'_>>(),
        of::<pte::TensorList<'_>>(),
        of::<pte::OptionalTensorList<'_>>(),
        of::<pte::EValue<'_>>(),
        of::<pte::Operator<'_>>(),
        of::<pte::KernelCall<'_>>(),
        of::<pte::DelegateCall<'_>>(),
        of::<pte::MoveCall<'_>>(),
        of::<pte::JumpFalseCall<'_>>(),
        of::<pte::FreeCall<'_>>(),
        of::<pte::Instruction<'_>>(),
        of::<pte::Frame<'_>>(),
        of::<pte::FrameList<'_>>(),
        of::<pte::BackendDelegateDataReference<'_>>(),
        of::<pte::CompileSpec<'_>>(),
        of::<pte::BackendDelegate<'_>>(),
        of::<pte::Chain<'_>>(),
        of::<pte::ExecutionPlan<'_>>(),
        of::<pte::NonConstBufferDevice<'_>>(),
        of::<pte::Buffer<'_>>(),
        of::<pte::BackendDelegateInlineData<'_>>(),
        of::<pte::DataSegment<'_>>(),
        of::<pte::SubsegmentOffsets<'_>>(),
        of::<pte::NamedData<'_>>(),
        of::<ptd::TensorLayout<'_>>(),
        of::<ptd::DataSegment<'_>>(),
        of::<ptd::NamedData<'_>>(),
        of::<ptd::FlatTensor<'_>>(),
        of::<older::TensorMetadata<'_>>(),
        of::<older::OlderNamedData<'_>>(),
        of::<older::OlderFlatTensor<'_>>(),
    ];
    for (index, (id, ty)) in all.iter().enumerate() {
        assert!(*id != EMPTY.id, "{}", ty.name);
        assert!(ty.fields.len() <= MAX_FIELDS, "{}", ty.name);
        assert!(ty.fields.iter().map(|field| usize::from(field.slot)).eq(0..ty.fields.len()), "{}", ty.name);
        assert!(all[..index].iter().all(|(other, _)| other != id), "{}", ty.name);
    }
}
