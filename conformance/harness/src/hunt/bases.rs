//! The files that a campaign mutates: the user's files, or corpus cases and generated files.

use std::path::Path;

use torchproof::FileKind;
use torchproof::Role;
use torchproof::corpus::{self, Case, Verdict};
use torchproof::generate::{Config, GeneratedKind};
use torchproof::random::Random;

use super::HuntError;
use super::watch::Watch;
use crate::labeled::{AttackError, Source, generated_of};
use crate::reader::outcome::Outcome;
use crate::reader::session::{ReaderSession, role_of};

/// A file, or a program and its data file.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) files: Vec<Source>,
    /// The capabilities that a reader needs, besides those for the kinds of these files.
    needs: Vec<&'static str>,
}

/// A campaign's bases: fixed files and kinds of generated files, with a common index.
#[derive(Clone, Debug)]
pub(super) struct Bases {
    /// The fixed bases, smallest first.
    pub(super) fixed: Vec<Group>,
    pub(super) generated: Vec<GeneratedKind>,
}

/// The size in bytes at which a base's weight is half the maximum.
const HALF: u64 = 1024;
/// A fixed base's maximum weight.
const MOST: u64 = 64;
/// The weight for a kind of generated files.
const GENERATED: u64 = 4 * MOST;

/// How many valid files of a kind a reader must reject before the campaign leaves out that kind. A single rejection
/// is not enough, because a reader can wrongly reject some valid files.
const PROBES: usize = 8;

/// The size classes of generated files: the share in sixteenths, the suffix of file names, and the limits for tables
/// and data bytes.
const SIZES: [(usize, &str, u32, u32); 3] =
    [(12, "-small", 48, 512), (3, "-medium", 300, 4096), (1, "", u32::MAX, u32::MAX)];

impl Bases {
    /// Returns the bases for the user's files, in pairs if `pairs` is set.
    pub(super) fn of(sources: &[Source], pairs: bool) -> Result<Self, HuntError> {
        let data = |kind| matches!(kind, FileKind::Ptd | FileKind::PtdLegacy);
        for pair in sources.chunks(2).filter(|_| pairs) {
            if !matches!(pair, [program, file] if program.kind() == FileKind::Pte && data(file.kind())) {
                return Err(AttackError::NoPair { path: pair[0].path.clone() }.into());
            }
        }
        let group = |files: &[Source]| Group { files: files.to_vec(), needs: Vec::new() };
        let mut fixed: Vec<Group> = sources.chunks(if pairs { 2 } else { 1 }).map(group).collect();
        fixed.sort_by_key(Group::size);
        Ok(Self { fixed, generated: Vec::new() })
    }

    /// Returns the default bases: the accepted cases of the corpus, and all kinds of generated files.
    pub(super) fn built_in(pairs: bool) -> Self {
        let cases = corpus::all().filter(|case| case.verdict == Verdict::Accept);
        let mut fixed: Vec<Group> = cases.filter_map(|case| Group::of_case(case, pairs)).collect();
        fixed.sort_by_key(Group::size);
        let generated = match pairs {
            true => vec![GeneratedKind::Pair],
            false => vec![GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::PtdLegacy],
        };
        Self { fixed, generated }
    }

    /// Makes each reader without a handshake skip the kinds it cannot read. The user's bases stay.
    pub(super) fn leave_out_rejected(&self, threads: &mut [Vec<ReaderSession>], watch: &dyn Watch) {
        let Some(first) = threads.first_mut().filter(|_| !self.generated.is_empty()) else { return };
        let rejected: Vec<Vec<FileKind>> = first.iter_mut().map(|reader| self.rejected_kinds(reader)).collect();
        for (reader, kinds) in first.iter().zip(&rejected).filter(|(_, kinds)| !kinds.is_empty()) {
            watch.leaves_out(&reader.hello().name, kinds);
        }
        for (reader, kinds) in threads.iter_mut().flat_map(|sessions| sessions.iter_mut().zip(&rejected)) {
            reader.leave_out(kinds);
        }
    }

    /// Returns the kinds that a reader without a handshake cannot read, because it accepts no valid file of these
    /// kinds. If it accepts no file at all, returns no kind: then the rejections are findings.
    fn rejected_kinds(&self, reader: &mut ReaderSession) -> Vec<FileKind> {
        if !reader.address().lacks_handshake() {
            return Vec::new();
        }
        let is_rejected = |kind: &FileKind| {
            let is_probe = |group: &&Group| matches!(&group.files[..], [file] if file.kind() == *kind);
            let mut probes = self.fixed.iter().filter(is_probe).filter(|group| group.needs.is_empty()).take(PROBES);
            probes.all(|group| {
                let outcome = reader.read(group.files[0].bytes(), role_of(*kind));
                matches!(outcome, Outcome::Reject { .. } | Outcome::Unsupported { .. })
            })
        };
        let kinds = [FileKind::Pte, FileKind::Ptd, FileKind::PtdLegacy, FileKind::Bpte];
        let rejected: Vec<FileKind> = kinds.into_iter().filter(is_rejected).collect();
        if rejected.len() == kinds.len() { Vec::new() } else { rejected }
    }

    /// Removes the bases that no reader supports.
    pub(super) fn keep_supported(&mut self, readers: &[ReaderSession]) {
        let supported = |kinds: &[FileKind], needs: &[&str]| {
            readers.iter().any(|one| one.reads_together(kinds) && needs.iter().all(|name| one.hello().has(name)))
        };
        self.fixed.retain(|group| {
            let kinds: Vec<FileKind> = group.files.iter().map(Source::kind).collect();
            supported(&kinds, &group.needs)
        });
        self.generated.retain(|kind| {
            let kinds: &[FileKind] = match kind {
                GeneratedKind::Pte => &[FileKind::Pte],
                GeneratedKind::Ptd => &[FileKind::Ptd],
                GeneratedKind::PtdLegacy => &[FileKind::PtdLegacy],
                GeneratedKind::Pair => &[FileKind::Pte, FileKind::Ptd],
            };
            supported(kinds, &[])
        });
    }

    pub(super) fn len(&self) -> usize {
        self.fixed.len() + self.generated.len()
    }

    /// Returns the weight of each base, which is higher for smaller files.
    pub(super) fn weights(&self) -> Vec<u64> {
        let fixed = self.fixed.iter().map(|group| (MOST * HALF / (HALF + group.size())).max(1));
        fixed.chain(self.generated.iter().map(|_| GENERATED)).collect()
    }

    /// Returns the files of the base `index`, or generates them.
    pub(super) fn files(&self, index: usize, choice: &mut Random) -> Option<Vec<Source>> {
        match self.fixed.get(index) {
            Some(group) => Some(group.files.clone()),
            None => generated(*self.generated.get(index - self.fixed.len())?, choice),
        }
    }
}

impl Group {
    /// Returns the files of an accepted case. It must have one data file if `pairs` is set, and none otherwise.
    fn of_case(case: &'static Case, pairs: bool) -> Option<Self> {
        let files = match (case.companions(), pairs) {
            ([], false) => vec![source(case)?],
            ([data], true) => vec![source(case)?, source(corpus::find(data)?)?],
            _ => return None,
        };
        let needs = case.needs().into_iter().filter(|need| !TESTED_BY_KIND.contains(need)).collect();
        Some(Self { files, needs })
    }

    fn size(&self) -> u64 {
        self.files.iter().map(|file| file.bytes().len() as u64).sum()
    }
}

/// The capabilities that [`ReaderSession::reads_together`] checks.
const TESTED_BY_KIND: [&str; 2] = [torchproof_protocol::CAPABILITY_BUNDLED, torchproof_protocol::CAPABILITY_PAIRS];

/// Returns the file of a case, named after its path in an exported corpus.
fn source(case: &Case) -> Option<Source> {
    let extension = match case.role() {
        Role::Data => "ptd",
        Role::Bundled => "bpte",
        Role::Program => "pte",
    };
    Source::of(Path::new(&format!("corpus/files/{}.{extension}", case.id)), case.build().bytes).ok()
}

fn generated(kind: GeneratedKind, choice: &mut Random) -> Option<Vec<Source>> {
    let mut draw = choice.index(SIZES.iter().map(|(share, ..)| share).sum());
    let (_, name, tables, data) = SIZES.into_iter().find(|(share, ..)| {
        let found = draw < *share;
        draw = draw.saturating_sub(*share);
        found
    })?;
    // A 32-bit seed is short enough to type.
    let seed = choice.below(1 << 32);
    let mut config = Config::swarm(seed);
    let at_most =
        |limit: u32, range: &std::ops::RangeInclusive<u32>| limit.min(*range.start())..=limit.min(*range.end());
    config.tables = at_most(tables, &config.tables);
    config.data_bytes = at_most(data, &config.data_bytes);
    generated_of(kind, name, &config, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_files_come_small_first_and_most_generated_files_are_small() {
        let bases = Bases::built_in(false);
        let sizes: Vec<u64> = bases.fixed.iter().map(Group::size).collect();
        assert!(sizes.is_sorted() && sizes.len() > 100, "{sizes:?}");
        assert!(bases.weights()[..sizes.len()].is_sorted_by(|one, next| one >= next));
        let mut choice = Random::new(1);
        let size = |index| bases.files(index, &mut choice).unwrap()[0].bytes().len();
        let mut sizes: Vec<usize> = (0..60).map(|at| sizes.len() + at % 3).map(size).collect();
        sizes.sort_unstable();
        assert!(sizes[30] < 8192, "{sizes:?}");
    }

    #[test]
    fn built_in_pairs_are_programs_with_their_data_files() {
        for group in Bases::built_in(true).fixed {
            let kinds: Vec<FileKind> = group.files.iter().map(Source::kind).collect();
            assert!(matches!(kinds[..], [FileKind::Pte, FileKind::Ptd | FileKind::PtdLegacy]), "{kinds:?}");
        }
    }
}
