//! Creates the file for each index of a campaign.

use torchproof::FileKind;
use torchproof::attack::{Attack, AttackedFile, Base, Selection};
use torchproof::mutate::{Edit, EditedFile, Samples};
use torchproof::random::{Random, part};

use super::HuntError;
use super::bases::Bases;
use super::feedback::Feedback;
use super::watch::Watch;
use crate::labeled::{AttackError, AttackedFiles, Line, Source, attacked};
use crate::reader::session::ReaderSession;

/// The files of a campaign, by index.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    pairs: bool,
    bases: Bases,
    selection: Selection,
    attacks: Vec<&'static Attack>,
    /// Whether the campaign also creates files without attacks and files with random changes; `false` if the user
    /// selected attacks.
    mixed: bool,
}

/// The weights of bases and attacks for the files of a block.
#[derive(Debug)]
pub(super) struct Weights {
    bases: Vec<u64>,
    attacks: Vec<u64>,
}

/// A file or pair, and the names of its base and attacks.
#[derive(Debug)]
pub(super) struct Specimen {
    pub(super) files: AttackedFiles,
    pub(super) used: Vec<String>,
}

/// Among `KINDS` consecutive files, one file has no attack, one file has an attack and an edit, and two files have only
/// an edit; one of these changes bytes without regard to the structure.
const KINDS: u64 = 8;
/// The number of descents that find the fields of a file.
const DESCENTS: u64 = 100;
/// The maximum number of bytes by which an edited file exceeds its donor and the file together.
const MORE: usize = 4096;
/// The number of bases to try at random.
const BASE_TRIES: usize = 64;
/// The number of attacks to try on a base.
const ATTACK_TRIES: u64 = 24;

impl Draw {
    /// Creates a campaign that applies the selected attacks to `sources`. If `sources` is empty, the campaign attacks
    /// accepted cases of the corpus and generated files.
    ///
    /// If `pairs` is set, the list `sources` must contain a data file after each program.
    pub fn new(sources: &[Source], pairs: bool, selection: &Selection, seed: u64) -> Result<Self, HuntError> {
        let attacks = selection.attacks();
        if attacks.is_empty() {
            return Err(AttackError::NoAttack { family: selection.family, rule: selection.rule }.into());
        }
        let bases = if sources.is_empty() { Bases::built_in(pairs) } else { Bases::of(sources, pairs)? };
        let mixed = selection.family.is_none() && selection.rule.is_none();
        Ok(Self { seed, pairs, bases, selection: selection.clone(), attacks, mixed })
    }

    /// Returns whether readers load programs together with their data files.
    pub(super) const fn is_of_pairs(&self) -> bool {
        self.pairs
    }

    /// Removes the bases that none of the readers supports. Each thread has a list of sessions with all readers.
    pub(super) fn for_readers(&self, threads: &mut [Vec<ReaderSession>], watch: &dyn Watch) -> Result<Self, HuntError> {
        let mut draw = self.clone();
        draw.bases.leave_out_rejected(threads, watch);
        draw.bases.keep_supported(threads.first().map_or(&[], Vec::as_slice));
        if draw.bases.len() == 0 { Err(HuntError::NoKind) } else { Ok(draw) }
    }

    /// Returns the weights for the next block.
    pub(super) fn weights(&self, feedback: &Feedback) -> Weights {
        let bases = self.bases.weights().into_iter().enumerate();
        Weights {
            bases: bases.map(|(index, usual)| feedback.weight(&self.name_of_base(index), usual)).collect(),
            attacks: self.attacks.iter().map(|attack| feedback.weight(attack.name, 1)).collect(),
        }
    }

    /// Returns the name of a base in the state of the campaign.
    fn name_of_base(&self, index: usize) -> String {
        match self.bases.fixed.get(index) {
            Some(group) => group.files[0].path.to_string_lossy().into_owned(),
            None => format!("generated/{}", self.bases.generated[index - self.bases.fixed.len()].name()),
        }
    }

    /// Creates the file or pair for an index.
    pub(super) fn specimen(&self, index: u64, weights: &Weights) -> Result<Specimen, HuntError> {
        let seed = part(self.seed, index);
        let mut choice = Random::new(part(seed, 0));
        let valid = (self.mixed && index.is_multiple_of(KINDS)).then(|| self.valid(index, &mut choice));
        if let Some(valid) = valid.flatten() {
            return Ok(valid);
        }
        for at in 0..BASE_TRIES + self.bases.len() {
            // If an attack applies to few bases, the random tries can miss all of them, so try each base at the end.
            let base = match at.checked_sub(BASE_TRIES) {
                Some(base) => base,
                None => weighted(&weights.bases, &mut choice),
            };
            let Some(group) = self.bases.files(base, &mut choice) else { continue };
            // If no attack applies to the chosen file of a pair, attack the other file.
            let first = choice.index(group.len());
            for at in (first..group.len()).chain(0..first) {
                if let Some((files, attacks)) = self.changed(index, &group, at, weights, &mut choice) {
                    let used = [self.name_of_base(base)].into_iter().chain(attacks).collect();
                    return Ok(Specimen { files, used });
                }
            }
        }
        Err(AttackError::NoPlace { family: self.selection.family, rule: self.selection.rule }.into())
    }

    /// Returns a file or pair without an attack: first each fixed base, then generated files.
    fn valid(&self, index: u64, choice: &mut Random) -> Option<Specimen> {
        let accepted: Vec<usize> = (0..self.bases.fixed.len())
            .filter(|at| self.bases.fixed[*at].files.iter().all(|file| file.base().is_accepted()))
            .collect();
        let turn = usize::try_from(index / KINDS).ok()?;
        let base = match accepted.get(turn) {
            Some(base) => *base,
            None if self.bases.generated.is_empty() => return None,
            None => self.bases.fixed.len() + choice.index(self.bases.generated.len()),
        };
        let group = self.bases.files(base, choice)?;
        let line = Line::valid(index, group.first()?, self.seed);
        let files = attacked(&group, 0, group[0].bytes().to_vec(), line);
        Some(Specimen { files, used: vec![self.name_of_base(base)] })
    }

    /// Changes one file of a group: the file with the index `at`. Also returns the names of the attacks.
    fn changed(
        &self,
        index: u64,
        group: &[Source],
        at: usize,
        weights: &Weights,
        choice: &mut Random,
    ) -> Option<(AttackedFiles, Vec<String>)> {
        let source = &group[at];
        let kind = if self.mixed { index % KINDS } else { KINDS };
        if matches!(kind, 3 | 6) {
            let edited = if kind == 3 { None } else { self.edit(source.bytes(), choice) };
            let edited = edited.or_else(|| Edit::Bytes.apply(source.bytes(), &[], usize::MAX, choice))?;
            let line = Line::edited(index, source, &edited, self.seed);
            return Some((attacked(group, at, edited.bytes, line), Vec::new()));
        }
        let (attack, AttackedFile { mut bytes, label, .. }) = self.attack(source.base(), weights, choice)?;
        let mut line = Line::of(index, source, label, self.seed);
        if let Some(edited) = if index % KINDS == 1 { self.edit(&bytes, choice) } else { None } {
            line.add(&edited, &bytes);
            bytes = edited.bytes;
        }
        Some((attacked(group, at, bytes, line), vec![attack.name.to_owned()]))
    }

    /// Edits a file. Half of the edits change a field, because a reader rejects most other files at an early stage; each
    /// field of the schema is equally probable. The other edits have any kind; their donor is a fixed base.
    fn edit(&self, bytes: &[u8], choice: &mut Random) -> Option<EditedFile> {
        let kind = FileKind::of_head(bytes);
        if choice.one_in(2) {
            return Samples::of(vec![bytes.to_vec()], DESCENTS).edit(kind, usize::MAX, choice);
        }
        let files = self.bases.fixed.iter().flat_map(|group| &group.files);
        let donors: Vec<&[u8]> = files.map(Source::bytes).filter(|file| FileKind::of_head(file) == kind).collect();
        let donor = choice.pick(&donors)?;
        choice.pick(&Edit::ALL)?.apply(bytes, donor, bytes.len() + donor.len() + MORE, choice)
    }

    /// Draws attacks by weight, and returns the first drawn attack that applies to the base.
    fn attack(&self, base: &Base, weights: &Weights, choice: &mut Random) -> Option<(&'static Attack, AttackedFile)> {
        (0..ATTACK_TRIES.min(4 * self.attacks.len() as u64)).find_map(|_| {
            let attack = self.attacks[weighted(&weights.attacks, choice)];
            Some((attack, attack.apply(base, choice.below(u64::MAX))?))
        })
    }
}

/// Returns a random index; the probability of an index is proportional to its weight.
fn weighted(weights: &[u64], choice: &mut Random) -> usize {
    let mut left = choice.below(weights.iter().sum());
    let found = weights.iter().position(|weight| match left.checked_sub(*weight) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    found.unwrap_or_default()
}
