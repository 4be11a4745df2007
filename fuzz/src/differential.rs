//! **The verification pass and the `flatbuffers` crate's verifier agree**, or it is known why not.
//!
//! What the pass accepts, the verifier accepts, but for what `verifier_asks_more` lists; what the pass rejects, the
//! verifier rejects, but for what `verifier_asks_less` lists. Every data file is held against both of its schemas,
//! whichever of them it is written in.

use torchproof::flatbuffer::schema::{FieldType, Kind, TableType, TableView};
use torchproof::flatbuffer::{Code, Fault, Table, identifier, verify};
use torchproof::ptd::legacy_schema::LegacyFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::{Limits, ptd, pte};
use torchproof_oracle::{OracleError, Schema};

/// Below the verifier's own, so that it is ours that end a pass: a file beyond them is no question for either.
const LIMITS: Limits = Limits::DEFAULT.tables(1 << 16).apparent_size(1 << 24);

/// Holds `bytes` to the contract.
///
/// # Panics
///
/// When they break it.
pub fn run(bytes: &[u8]) {
    match identifier(bytes) {
        Some(pte::IDENTIFIER) => {
            let end = match pte::ExtendedHeader::find(bytes) {
                Ok(Some(header)) => usize::try_from(header.program_size).ok(),
                Ok(None) => Some(bytes.len()),
                _ => None,
            };
            if let Some(region) = end.and_then(|end| bytes.get(..end)) {
                compare::<Program<'_>>(region, Schema::Program);
            }
        }
        Some(ptd::IDENTIFIER) => {
            let end = match ptd::FlatTensorHeader::find(bytes) {
                Ok(header) => header.flatbuffer_end().and_then(|end| usize::try_from(end).ok()),
                _ => None,
            };
            if let Some(region) = end.and_then(|end| bytes.get(..end)) {
                compare::<FlatTensor<'_>>(region, Schema::FlatTensor);
                compare::<LegacyFlatTensor<'_>>(region, Schema::LegacyFlatTensor);
            }
        }
        _ => {}
    }
}

fn compare<'a, T: TableView<'a>>(region: &'a [u8], schema: Schema) {
    let mut faults = Vec::new();
    let passed = verify::<T>(region, LIMITS, |fault, path| {
        if faults.len() < 64 {
            faults.push((*fault, path.to_string()));
        }
    });
    if passed.is_err() {
        return;
    }
    match torchproof_oracle::verify(region, schema) {
        Err(OracleError::Panicked(message)) => panic!("the verifier panics: {message}"),
        Err(OracleError::Invalid(why)) => assert!(
            !faults.is_empty() || verifier_asks_more(region, T::TYPE, &why),
            "{schema:?}: the pass accepts what the verifier rejects: {why}"
        ),
        Err(OracleError::Identifier { .. }) => {
            assert!(identifier(region).is_none(), "{schema:?}: the identifier was there before");
        }
        Ok(()) => {
            let unexplained = faults.iter().find(|(fault, path)| !verifier_asks_less(fault, path, region));
            assert_eq!(unexplained, None, "{schema:?}: the verifier accepts what the pass rejects");
        }
    }
}

/// Why the verifier may reject what the pass accepts.
fn verifier_asks_more(region: &[u8], ty: &'static TableType, why: &str) -> bool {
    // The verifier counts the vtable at each visit of a table, the pass does not.
    why.starts_with("Apparent size too large") || Table::root(region).is_ok_and(|root| is_odd(root, ty))
}

/// Whether the verifier may reject a field of this table, or of one that it leads to.
fn is_odd(table: Table<'_>, ty: &'static TableType) -> bool {
    let odd_at = |at: usize, ty| Table::follow(table.buffer(), at).is_ok_and(|table| is_odd(table, ty));
    ty.fields.iter().any(|field| match (field.kind, table.field(field.slot)) {
        // A type without fields has nothing to point to, and a stored `NONE` says what an absent one does; the verifier wants
        // type and value to be both there or both absent.
        (Kind::Tag(_), Some(_)) => table.field(field.slot + 1).is_none(),
        // C++ readers never look at a string's encoding: for us it is a should-rule, and the verifier cannot but decide.
        (Kind::String, _) => matches!(<str>::read(table, field.slot), Ok(Some(text)) if text.to_str().is_err()),
        // Elements that are not there cannot be misaligned; the verifier asks where the first would be.
        (Kind::Scalars(scalar, _), _) => match <[u8]>::read(table, field.slot) {
            Ok(Some(bytes)) => bytes.is_empty() && bytes.span().offset % scalar.width() as u64 != 0,
            _ => false,
        },
        (Kind::Table(ty), Some(at)) => odd_at(at, ty),
        (Kind::Tables(ty), _) => match <[u32]>::read(table, field.slot) {
            Ok(Some(list)) => (0..list.len())
                .any(|index| usize::try_from(list.element_span(index).offset).is_ok_and(|at| odd_at(at, ty))),
            _ => false,
        },
        (Kind::Union(union), Some(at)) => {
            let tag = u8::read(table, field.slot - 1).unwrap_or(0);
            union.member(tag).is_some_and(|ty| odd_at(at, ty))
        }
        _ => false,
    })
}

/// Why the verifier may accept what the pass rejects with this fault.
fn verifier_asks_less(fault: &Fault, path: &str, region: &[u8]) -> bool {
    match fault.code {
        // The root may be anywhere, in the prefix too.
        Code::RootOutOfBounds => true,
        // A reference of 0 leads to itself, and what stands there may pass for a table without fields.
        Code::NullOffset => true,
        // Every slot of a vtable of 0 or 2 bytes is absent, and two bytes are all that is asked to be there.
        Code::VtableTooShort => true,
        Code::VtableOutOfBounds => fault.have.checked_add(2).is_some_and(|end| end <= region.len() as u64),
        // A value of type 0 is left alone.
        Code::UnionWithoutType => true,
        // So is one of a type that nobody knows, its reference included.
        Code::OffsetPastEnd | Code::OffsetTooLarge | Code::Misaligned | Code::FieldPastEnd => {
            path.ends_with(".val") || path.ends_with(".instr_args")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn smoke() {
        crate::smoke::drive(super::run);
    }
}
