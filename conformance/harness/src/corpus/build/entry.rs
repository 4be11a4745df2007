//! The manifest's entries for cases.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::check::Target;
use torchproof::corpus::{self, BuiltCase, Splice, Verdict};
use torchproof::rules::{Rule, Strength};

use super::releases;
use crate::corpus::{Budget, ByteRange, Case, CaseFile, Edit, Recipe, SpecRef, Status};

/// The resource limits for every case. Even the slowest build of a reader stays within them, so a reader that exceeds a
/// limit probably has an endless loop or trusts a size in the file.
const BUDGET: Budget = Budget { ms: 5000, memory_mib: 1024 };

const SPECIFICATION: &str = "The .pte, .ptd and .bpte file formats";

pub(super) fn of(case: &corpus::Case, built: &BuiltCase) -> Case {
    let corpus::Case { id, title, verdict, rule, base, .. } = *case;
    let companions = case.companions().iter().filter_map(|id| corpus::find(id));
    let companions = companions.map(|companion| file(companion, &companion.build().bytes));
    Case {
        id: id.to_owned(),
        title: title.to_owned(),
        why: case.why(),
        files: std::iter::once(file(case, &built.bytes)).chain(companions).collect(),
        verdict,
        strength: strength(verdict, rule),
        rule: Some(rule.id.to_owned()),
        stage: case.stage(),
        at: built.edits.first().map(|edit| ByteRange { offset: edit.at, len: edit.now.len() as u64 }),
        path: built.path.clone(),
        expect: (verdict == Verdict::Accept).then(|| format!("expect/{id}.json")),
        control: base.map(str::to_owned),
        recipe: base.map(|base| Recipe { base: base.to_owned(), edits: built.edits.iter().map(edit).collect() }),
        budget: BUDGET,
        spec: vec![SpecRef { doc: SPECIFICATION.to_owned(), section: rule.section.to_owned() }],
        refs: refs(case),
        cwe: match verdict {
            Verdict::Accept => Vec::new(),
            Verdict::Reject | Verdict::Either => rule.explanation().cwe.iter().map(|&id| id.to_owned()).collect(),
        },
        needs: case.needs().into_iter().map(str::to_owned).collect(),
        target_bits: case.target.map(Target::bits),
        status: Status::Active,
        since: releases::since(id).to_owned(),
        history: releases::history(id),
    }
}

fn edit(Splice { at, was, now }: &Splice) -> Edit {
    Edit { at: *at, was: HEXLOWER.encode(was), now: HEXLOWER.encode(now) }
}

fn file(case: &corpus::Case, bytes: &[u8]) -> CaseFile {
    let role = case.role();
    CaseFile {
        role,
        path: format!("files/{}.{}", case.id, role.extension()),
        sha256: HEXLOWER.encode(&Sha256::digest(bytes)),
        size: bytes.len() as u64,
    }
}

/// Returns the verdict's strength: the rule's strength, or `must` for an accepted file.
fn strength(verdict: Verdict, rule: &Rule) -> Strength {
    match verdict {
        Verdict::Accept => Strength::Must,
        Verdict::Reject | Verdict::Either => rule.strength,
    }
}

/// Returns the case's references and, unless the case is accepted and so has no defect, its rule's issues and pull
/// requests. The rule's advisories are left out, because each advisory is about one particular defect.
fn refs(case: &corpus::Case) -> Vec<String> {
    let of_rule = case
        .rule
        .explanation()
        .refs
        .iter()
        .filter(|reference| reference.contains('#') && !case.refs.contains(reference));
    let of_rule = of_rule.filter(|_| case.verdict != Verdict::Accept);
    case.refs.iter().chain(of_rule).map(|&reference| reference.to_owned()).collect()
}
