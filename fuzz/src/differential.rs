//! **The verification pass and the `flatbuffers` crate's verifier agree**, or it is known why not.
//!
//! What the pass accepts, the verifier accepts, but for what `verifier_asks_more` lists; what the pass rejects, the
//! verifier rejects, but for what `verifier_asks_less` lists. Every data file is held against both of its schemas,
//! whichever of them it is written in.

use torchproof::flatbuffer::schema::{Kind, TableView};
use torchproof::flatbuffer::walk::{Flow, Path, Visited, Visitor, walk};
use torchproof::flatbuffer::{Code, Fault, Str, identifier};
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::{FoundHeader, Limits, ptd, pte};
use torchproof_oracle::{OracleError, Schema, verify};

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
                FoundHeader::Header(header) => usize::try_from(header.program_size).ok(),
                FoundHeader::None => Some(bytes.len()),
                _ => None,
            };
            if let Some(region) = end.and_then(|end| bytes.get(..end)) {
                compare::<Program<'_>>(region, Schema::Program);
            }
        }
        Some(ptd::IDENTIFIER) => {
            let end = match ptd::FlatTensorHeader::find(bytes) {
                FoundHeader::Header(header) => header.flatbuffer_end().and_then(|end| usize::try_from(end).ok()),
                _ => None,
            };
            if let Some(region) = end.and_then(|end| bytes.get(..end)) {
                compare::<FlatTensor<'_>>(region, Schema::FlatTensor);
                compare::<OlderFlatTensor<'_>>(region, Schema::LegacyFlatTensor);
            }
        }
        _ => {}
    }
}

fn compare<'a, T: TableView<'a>>(region: &'a [u8], schema: Schema) {
    let (seen, _, Ok(())) = walk::<T, _>(region, LIMITS, Seen::default()) else { return };
    match verify(region, schema) {
        Err(OracleError::Panicked(message)) => panic!("the verifier panics: {message}"),
        Err(OracleError::Invalid(why)) => assert!(
            !seen.faults.is_empty() || verifier_asks_more(&seen, &why),
            "{schema:?}: the pass accepts what the verifier rejects: {why}"
        ),
        Err(OracleError::Identifier { .. }) => {
            assert!(identifier(region).is_none(), "{schema:?}: the identifier was there before");
        }
        Ok(()) => {
            let unexplained = seen.faults.iter().find(|(fault, path)| !verifier_asks_less(fault, path, region));
            assert_eq!(unexplained, None, "{schema:?}: the verifier accepts what the pass rejects");
        }
    }
}

/// Why the verifier may reject what the pass accepts.
fn verifier_asks_more(seen: &Seen, why: &str) -> bool {
    // C++ readers never look at a string's encoding: for us it is a should-rule, and the verifier cannot but decide.
    let text = seen.not_utf8;
    // A type without fields has nothing to point to, and a stored `NONE` says what an absent one does; the verifier wants
    // type and value to be both there or both absent.
    let bare = seen.tag_alone;
    // Elements that are not there cannot be misaligned; the verifier asks where the first would be.
    let empty = seen.empty_misaligned;
    // The verifier counts the vtable at each visit of a table, the pass does not.
    let size = why.starts_with("Apparent size too large");
    text || bare || empty || size
}

/// Why the verifier may accept what the pass rejects with this fault.
fn verifier_asks_less(fault: &Fault, path: &str, region: &[u8]) -> bool {
    match fault.code {
        // The root may be anywhere, in the prefix too.
        Code::RootOutOfBounds => true,
        // A reference of 0 leads to itself, and what stands there may pass for a table without fields.
        Code::NullReference => true,
        // Every slot of a vtable of 0 or 2 bytes is absent, and two bytes are all that is asked to be there.
        Code::VtableTooShort => true,
        Code::VtableOutOfBounds => fault.have.checked_add(2).is_some_and(|end| end <= region.len() as u64),
        // A value of type 0 is left alone.
        Code::UnionWithoutType => true,
        // So is one of a type that nobody knows, its reference included.
        Code::ReferencePastEnd | Code::ReferenceTooLarge | Code::Misaligned | Code::FieldPastEnd => {
            path.ends_with(".val") || path.ends_with(".instr_args")
        }
        _ => false,
    }
}

/// What the pass met.
#[derive(Debug, Default)]
struct Seen {
    faults: Vec<(Fault, String)>,
    not_utf8: bool,
    tag_alone: bool,
    empty_misaligned: bool,
}

impl<'a> Visitor<'a> for Seen {
    fn fault(&mut self, fault: &Fault, path: Path<'_>) -> Flow {
        if self.faults.len() < 64 {
            self.faults.push((*fault, path.to_string()));
        }
        Ok(())
    }

    fn string(&mut self, string: Str<'a>, _: Path<'_>) -> Flow {
        self.not_utf8 |= string.to_str().is_err();
        Ok(())
    }

    fn table<T: TableView<'a>>(&mut self, table: &Visited<'_, 'a, T>, _: Path<'_>) -> Flow {
        let table = table.table();
        for field in T::TYPE.fields {
            let Some(at) = table.field(field.slot) else { continue };
            match field.kind {
                Kind::Tag(_) => self.tag_alone |= table.field(field.slot + 1).is_none(),
                Kind::Scalars(scalar, _) => {
                    let target = torchproof::flatbuffer::u32_at(table.buffer(), at).map(|offset| at + offset as usize);
                    let empty = target.filter(|at| torchproof::flatbuffer::u32_at(table.buffer(), *at) == Some(0));
                    self.empty_misaligned |= empty.is_some_and(|at| (at + 4) % scalar.width() != 0);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn smoke() {
        crate::smoke::drive(super::run);
    }
}
