//! What each reader did with a file, and what is wrong with that.

use torchproof::Stage;
use torchproof::check;
use torchproof::flatbuffer::Vector;
use torchproof::pte::Pte;

use super::cluster::{Key, Kind};
use super::draw::Specimen;
use super::{Said, said};
use crate::attack::Line;
use crate::feed::{Feed, role_of};
use crate::outcome::Outcome;
use crate::protocol::CAPABILITY_CONSTANT_BUFFER;
use crate::signature::Signature;

/// Something that a reader did wrong.
#[derive(Clone, Debug)]
pub(super) struct Find {
    pub(super) key: Key,
    pub(super) bytes: Vec<u8>,
    pub(super) extension: &'static str,
    pub(super) label: Line,
}

/// Puts a file to every reader that reads its kind.
pub(super) fn judge(specimen: &Specimen, feeds: &mut [Feed]) -> Vec<Find> {
    let said = said(&specimen.bytes);
    let mut found = Vec::new();
    let mut answers: Vec<(String, Outcome, Stage)> = Vec::new();
    let find = |reader: String, kind, outcome: &Outcome| Find {
        key: Key {
            reader,
            kind,
            family: specimen.line.family.to_string(),
            rule: said.must.map(|rule| rule.id.to_owned()),
            signature: Signature::of(outcome),
        },
        bytes: specimen.bytes.clone(),
        extension: role_of(specimen.kind).extension(),
        label: specimen.line.clone(),
    };
    for feed in feeds.iter_mut().filter(|feed| feed.reads(specimen.kind)) {
        if needs_constant_buffer(specimen) && !feed.hello().has(CAPABILITY_CONSTANT_BUFFER) {
            continue;
        }
        let outcome = feed.put(&specimen.bytes, role_of(specimen.kind));
        let name = feed.hello().name.clone();
        if let Some(kind) = wrong(&outcome, said, feed) {
            found.push(find(name.clone(), kind, &outcome));
        }
        answers.push((name, outcome, feed.hello().deepest()));
    }
    if said.must.is_none() && (said.warned || said.incomplete) {
        let accepts = answers.iter().find(|(_, outcome, _)| matches!(outcome, Outcome::Accept { .. }));
        let rejects = answers.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Reject { .. }));
        if let Some((accepting, _, reach)) = accepts {
            // Who goes further may find what the other one does not look for.
            for (name, outcome, _) in
                rejects.filter(|(_, outcome, _)| outcome.stage().is_none_or(|stage| stage <= *reach))
            {
                found.push(find(format!("{name} and {accepting}"), Kind::Disagrees, outcome));
            }
        }
    }
    found
}

/// What is wrong with an outcome, if anything is.
fn wrong(outcome: &Outcome, said: Said, feed: &Feed) -> Option<Kind> {
    match outcome {
        Outcome::Crash { .. } => Some(Kind::Crash),
        Outcome::Hang { .. } => Some(Kind::Hang),
        Outcome::OutOfMemory { .. } => Some(Kind::Resource),
        Outcome::AdapterError { .. } => Some(Kind::AdapterError),
        Outcome::Unsupported { .. } => None,
        Outcome::Accept { .. } => {
            let due = said.must?.stage;
            let hello = feed.hello();
            // Who reads less far than a defect is due has not met it, nor has who prepares no method one of a method.
            let reaches = hello.stages.is_empty() || hello.deepest() >= due;
            let prepares = due != Stage::Method || hello.stages.is_empty() || hello.stages.contains(&due);
            (reaches && prepares).then_some(Kind::AcceptsInvalid)
        }
        Outcome::Reject { .. } => {
            let right = said.must.is_none() && !said.warned && !said.incomplete;
            right.then_some(Kind::RejectsValid)
        }
    }
}

/// Whether a file is of before constant segments, which releases of the runtime are built without the code for.
fn needs_constant_buffer(specimen: &Specimen) -> bool {
    if specimen.kind != check::Kind::Pte {
        return false;
    }
    let Ok(open) = Pte::open(&specimen.bytes) else { return false };
    let inside = open.program().constant_buffer().ok().flatten().is_some_and(|list| list.len() > 1);
    let home = open.program().constant_segment().ok().flatten();
    inside || home.is_some_and(|home| home.offsets().ok().flatten().is_none_or(Vector::is_empty))
}
