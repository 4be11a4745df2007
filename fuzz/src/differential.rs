//! **This project's verifier and the `flatbuffers` crate's verifier agree**, except for listed differences.
//!
//! The crate accepts every file that this project accepts, except as `crate_rejects_more` lists. It rejects every file that
//! this project rejects, except as `crate_accepts_more` lists. Data files are verified with the schemas of both layouts.

use torchproof::flatbuffer::schema::{FieldType, Kind, TableType, TableView};
use torchproof::flatbuffer::{Code, Fault, Table, identifier, verify};
use torchproof::ptd::legacy_schema::LegacyFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::{Limits, ptd, pte};
use torchproof_oracle::{OracleError, Schema};

/// Limits below those of the `flatbuffers` crate. Files that exceed them are skipped.
const LIMITS: Limits = Limits::DEFAULT.tables(1 << 16).apparent_size(1 << 24);

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
        Err(OracleError::Panicked(message)) => panic!("the verifier of the `flatbuffers` crate panics: {message}"),
        Err(OracleError::Invalid(why)) => assert!(
            !faults.is_empty() || crate_rejects_more(region, T::TYPE, &why),
            "{schema:?}: this verifier accepts what the crate rejects: {why}"
        ),
        Err(OracleError::Identifier { .. }) => {
            assert!(identifier(region).is_none(), "{schema:?}: the file had an identifier");
        }
        Ok(()) => {
            let unexplained = faults.iter().find(|(fault, path)| !crate_accepts_more(fault, path, region));
            assert_eq!(unexplained, None, "{schema:?}: the crate accepts a file that this project's verifier rejects");
        }
    }
}

/// Returns whether the crate may reject a file that this project's verifier accepts.
fn crate_rejects_more(region: &[u8], ty: &'static TableType, why: &str) -> bool {
    // The crate adds the vtable's size to the apparent size at every visit of a table.
    why.starts_with("Apparent size too large") || Table::root(region).is_ok_and(|root| is_odd(root, ty))
}

/// Returns whether the crate may reject the table or one of its descendants.
fn is_odd(table: Table<'_>, ty: &'static TableType) -> bool {
    let odd_at = |at: usize, ty| Table::follow(table.buffer(), at).is_ok_and(|table| is_odd(table, ty));
    ty.fields.iter().any(|field| match (field.kind, table.field(field.slot)) {
        // The crate requires a union to have both its type and its value, or neither. This project accepts a type
        // without a value if it is `NONE` or has no fields.
        (Kind::Tag(_), Some(_)) => table.field(field.slot + 1).is_none(),
        // C++ readers do not check how strings are encoded, so this project requires UTF-8 only by a should-rule.
        (Kind::String, _) => matches!(<str>::read(table, field.slot), Ok(Some(text)) if text.to_str().is_err()),
        // An empty vector has no elements that could be misaligned, but the crate checks where the first element would be.
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

/// Returns whether the crate may accept a file with this fault.
fn crate_accepts_more(fault: &Fault, path: &str, region: &[u8]) -> bool {
    match fault.code {
        // The crate accepts a root table anywhere, even in the first eight bytes of the FlatBuffer.
        Code::RootOutOfBounds => true,
        // An offset of 0 points to the offset field itself, whose bytes the crate can accept as a table without fields.
        Code::NullOffset => true,
        // In a vtable of 0 or 2 bytes, every field is absent. The crate requires only its first two bytes.
        Code::VtableTooShort => true,
        Code::VtableOutOfBounds => fault.have.checked_add(2).is_some_and(|end| end <= region.len() as u64),
        // The crate skips the value of a union with type 0.
        Code::UnionWithoutType => true,
        // The crate skips the value of a union with an unknown type, and does not check its offset.
        Code::OffsetPastEnd | Code::OffsetTooLarge | Code::Misaligned | Code::FieldPastEnd => {
            path.ends_with(".val") || path.ends_with(".instr_args")
        }
        _ => false,
    }
}
