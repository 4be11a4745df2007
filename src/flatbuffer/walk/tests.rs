//! Tests the limits, and the assumptions of the vtable cache.

#[cfg(feature = "std")]
mod edges;

use super::vtable::EMPTY;
use super::*;
use crate::flatbuffer::schema::MAX_FIELDS;
use crate::pte::schema::Program;

struct Quiet;

impl Visitor<'_> for Quiet {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        panic!("{path}: {fault}");
    }
}

fn limited(limits: Limits) -> Flow {
    let bytes = include_bytes!("../../../corpus/real/linear.pte");
    let file = crate::pte::Pte::open(bytes).unwrap();
    walk::<Program<'_>>(file.region(), limits, &mut Quiet).1
}

#[test]
fn each_limit_stops_the_pass() {
    assert_eq!(limited(Limits::DEFAULT), Ok(()));
    // The program has at most five levels of tables: program, plan, chain, instruction and call.
    assert_eq!(limited(Limits { depth: 5, ..Limits::DEFAULT }), Ok(()));
    assert_eq!(limited(Limits { depth: 4, ..Limits::DEFAULT }), Err(Stop::Limit(Limit::Depth)));
    assert_eq!(limited(Limits { tables: 10, ..Limits::DEFAULT }), Err(Stop::Limit(Limit::Tables)));
    assert_eq!(limited(Limits { apparent_size: 200, ..Limits::DEFAULT }), Err(Stop::Limit(Limit::ApparentSize)));
}

#[test]
fn table_ids_are_unique_and_slots_are_in_order() {
    use crate::{bundled, ptd, pte};
    let all = [pte::schema::TABLES, ptd::schema::TABLES, ptd::legacy_schema::TABLES, bundled::schema::TABLES].concat();
    for (index, (id, ty)) in all.iter().enumerate() {
        assert!(*id != EMPTY.id, "{}", ty.name);
        assert!(ty.fields.len() <= MAX_FIELDS, "{}", ty.name);
        assert!(ty.fields.iter().map(|field| usize::from(field.slot)).eq(0..ty.fields.len()), "{}", ty.name);
        assert!(all[..index].iter().all(|(other, _)| other != id), "{}", ty.name);
    }
}
