//! The limits, and what the memory of vtables relies on.

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
fn ids_tell_tables_apart_and_no_table_has_more_fields_than_are_remembered() {
    use crate::ptd::{older_schema as older, schema as ptd};
    use crate::pte::schema as pte;
    fn of<'a, T: TableView<'a>>() -> (u8, &'static TableType) {
        (T::ID, T::TYPE)
    }
    let all = [
        of::<pte::Program<'_>>(),
        of::<pte::ExecutionPlan<'_>>(),
        of::<pte::Tensor<'_>>(),
        of::<pte::EValue<'_>>(),
        of::<pte::Instruction<'_>>(),
        of::<pte::DataSegment<'_>>(),
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
        assert!(ty.fields.iter().all(|field| usize::from(field.slot) < MAX_FIELDS), "{}", ty.name);
        assert!(all[..index].iter().all(|(other, _)| other != id), "{}", ty.name);
    }
}
