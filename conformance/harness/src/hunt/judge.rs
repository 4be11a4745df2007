//! Runs readers on a file, and compares each outcome with the checker's result.

use std::hash::{Hash, Hasher};

use torchproof::FileKind;
use torchproof::Stage;
use torchproof::flatbuffer::Vector;
use torchproof::pte::Pte;

use super::checked::{CheckerResult, checked_together};
use super::cluster::{self, AND, Evidence, Key};
use super::reader_pauses::ReaderPauses;
use crate::labeled::{AttackedFiles, Line};
use crate::reader::Address;
use crate::reader::outcome::{Cause, Outcome, Rerun, Termination};
use crate::reader::session::{ReaderSession, role_of};
use crate::reader::signature::Signature;
use torchproof_protocol::CAPABILITY_CONSTANT_BUFFER;

#[derive(Clone, Debug)]
pub(super) struct HuntFinding {
    pub(super) key: Key,
    pub(super) evidence: Evidence,
    /// The files, each with its extension.
    pub(super) files: Vec<(Vec<u8>, &'static str)>,
    /// The attacked file before the attack.
    pub(super) base: Vec<u8>,
    pub(super) label: Line,
}

#[derive(Debug, Default)]
pub(super) struct Judgment {
    pub(super) findings: Vec<HuntFinding>,
    /// The hashes of the observations. An observation is an outcome with the reader, the broken rule and the signature,
    /// or the cluster of a finding.
    pub(super) observed: Vec<u64>,
}

/// Runs each reader that supports the kind of the files, and returns the failures of the kinds in `only`, or of all kinds
/// if it is empty. If a reader's adapter is broken, pauses before running it, at most until `is_over` returns `true`.
pub(super) fn judge(
    specimen: &AttackedFiles,
    sessions: &mut [ReaderSession],
    only: &[cluster::Kind],
    (pauses, is_over): (&ReaderPauses, &dyn Fn() -> bool),
) -> Judgment {
    let checked = checked_together(&specimen.files.iter().map(|(bytes, _)| bytes.as_slice()).collect::<Vec<_>>());
    let mut found: Vec<HuntFinding> = Vec::new();
    let mut observed = Vec::new();
    let mut answers: Vec<(String, Outcome, Stage, Address)> = Vec::new();
    let rule = checked.must.map(|rule| rule.id);
    let find = |reader: String, kind, outcome: &Outcome, address: &Address| HuntFinding {
        key: Key::of(reader, kind, rule, outcome),
        evidence: Evidence::of(outcome, address),
        files: specimen.files.iter().map(|(bytes, kind)| (bytes.clone(), role_of(*kind).extension())).collect(),
        base: specimen.base.clone(),
        label: specimen.line.clone(),
    };
    let kinds: Vec<FileKind> = specimen.files.iter().map(|(_, kind)| *kind).collect();
    for session in sessions.iter_mut().filter(|session| session.reads_together(&kinds)) {
        if needs_constant_buffer(specimen) && !session.hello().has(CAPABILITY_CONSTANT_BUFFER) {
            continue;
        }
        let files = specimen.files.iter().map(|(bytes, kind)| (role_of(*kind), bytes.as_slice()));
        let name = session.hello().name.clone();
        pauses.wait(&name, is_over);
        let outcome = session.read_together(files);
        let broken = matches!(outcome, Outcome::AdapterError { .. });
        pauses.record(&name, broken);
        if broken {
            session.restart();
        }
        observed.push(hash(&(&name, rule, Signature::of(&outcome))));
        if let Some(kind) = wrong(&outcome, checked, session) {
            found.push(find(name.clone(), kind, &outcome, session.address()));
        }
        answers.push((name, outcome, session.hello().deepest(), session.address().clone()));
    }
    if checked.must.is_none() && (checked.warned || checked.incomplete) {
        let accepts = answers.iter().find(|(_, outcome, ..)| matches!(outcome, Outcome::Accept { .. }));
        let rejects = answers.iter().filter(|(_, outcome, ..)| matches!(outcome, Outcome::Reject { .. }));
        if let Some((accepting, _, reach, _)) = accepts {
            // The accepting reader checks nothing at a stage that it does not reach, so a rejection there is no
            // disagreement.
            for (name, outcome, _, address) in
                rejects.filter(|(_, outcome, ..)| outcome.stage().is_none_or(|stage| stage <= *reach))
            {
                found.push(find(format!("{name}{AND}{accepting}"), cluster::Kind::Disagrees, outcome, address));
            }
        }
    }
    found.retain(|one| only.is_empty() || only.contains(&one.key.kind));
    observed.extend(found.iter().map(|one| hash(&one.key)));
    Judgment { findings: found, observed }
}

/// Returns a hash that is the same in every session of a campaign.
fn hash(value: &impl Hash) -> u64 {
    #[expect(deprecated, reason = "the hash must be equal in every process, and collisions do no harm")]
    let mut hasher = std::hash::SipHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the kind of failure, if the outcome is one.
pub(super) fn wrong(outcome: &Outcome, checked: CheckerResult, session: &ReaderSession) -> Option<cluster::Kind> {
    match outcome {
        // The second read ended in time, so either the machine was busy or the limit is tight. Do not count it as a failure.
        Outcome::Died(Termination { cause: Cause::WallTime(_), rerun: Rerun::Flaky(_), .. }) => None,
        Outcome::Died(Termination { cause: Cause::WallTime(_) | Cause::CpuTime, .. }) => Some(cluster::Kind::Hang),
        Outcome::Died(Termination { cause: Cause::OutOfMemory, .. }) => Some(cluster::Kind::Resource),
        Outcome::Died(_) => Some(cluster::Kind::Crash),
        Outcome::AdapterError { .. } => Some(cluster::Kind::AdapterError),
        Outcome::Unsupported { .. } => None,
        Outcome::Accept { .. } => {
            let due = checked.must?.stage;
            let hello = session.hello();
            // A reader detects no defect at a stage that it does not reach. It reaches the `method` stage only if it
            // prepares methods.
            let reaches = hello.deepest() >= due;
            let prepares = due != Stage::Method || hello.stages.is_empty() || hello.stages.contains(&due);
            (reaches && prepares).then_some(cluster::Kind::AcceptsInvalid)
        }
        Outcome::Reject { .. } => checked.is_valid().then_some(cluster::Kind::RejectsValid),
    }
}

/// Returns whether a program has constants inside its FlatBuffer, which default builds of the runtime do not support.
fn needs_constant_buffer(specimen: &AttackedFiles) -> bool {
    let Some((program, _)) = specimen.files.iter().find(|(_, kind)| *kind == FileKind::Pte) else { return false };
    let Ok(open) = Pte::open(program) else { return false };
    let inside = open.program().constant_buffer().ok().flatten().is_some_and(|list| list.len() > 1);
    let segment = open.program().constant_segment().ok().flatten();
    inside || segment.is_some_and(|segment| segment.offsets().ok().flatten().is_none_or(Vector::is_empty))
}
