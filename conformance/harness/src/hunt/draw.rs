//! Creates the file for each index of a campaign.

use std::sync::Arc;

use torchproof::FileKind;
use torchproof::attack::{Attack, AttackedFile, Base, Selection};
use torchproof::mutate::{Edit, EditedFile};
use torchproof::random::{Random, part};

use super::HuntError;
use super::bases::Bases;
use super::feedback::{Feedback, UNIT};
use super::watch::Watch;
use crate::labeled::{AttackError, AttackedFiles, Line, Source, attacked};
use crate::reader::session::ReaderSession;

#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    pairs: bool,
    bases: Bases,
    selection: Selection,
    attacks: Vec<&'static Attack>,
    /// `true` if the campaign also creates unchanged and randomly changed files; `false` if the user selected attacks.
    mixed: bool,
}

/// The weights for the files of a block.
#[derive(Debug)]
pub(super) struct Weights {
    bases: Vec<u64>,
    changes: Vec<u64>,
    attacks: Vec<u64>,
    feedback: Arc<Feedback>,
}

/// A file or pair, with the names of its base, its change and its attacks, and the changed place.
#[derive(Debug)]
pub(super) struct Specimen {
    pub(super) files: AttackedFiles,
    pub(super) used: Vec<String>,
    pub(super) place: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Attack,
    AttackAndEdit,
    Edit(Edit),
}

/// The changes with their initial weights. Random bytes reach places that no attack names, and are the fastest change.
const CHANGES: [(Change, u64); 8] = [
    (Change::Attack, 8),
    (Change::AttackAndEdit, 2),
    (Change::Edit(Edit::Bytes), 8),
    (Change::Edit(Edit::Field), 6),
    (Change::Edit(Edit::Splice), 2),
    (Change::Edit(Edit::Header), 1),
    (Change::Edit(Edit::Length), 1),
    (Change::Edit(Edit::Cross), 1),
];

impl Change {
    /// Returns the name in the feedback.
    fn name(self) -> String {
        format!("change/{self:?}")
    }
}

/// One in this many consecutive files is left unchanged.
const KINDS: u64 = 16;
/// The number of bytes by which an edited file may exceed the file and its donor together.
const MORE: usize = 4096;
/// The number of bases to try at random.
const BASE_TRIES: usize = 64;
/// The number of attacks to try per base.
const ATTACK_TRIES: u64 = 24;
/// The number of attempts, counted from the first, that may drop a change because it repeats known clusters.
const AVOIDED: usize = 8;
/// The maximum size in bytes of a change with a known place.
const NEAR: u64 = 8;

impl Draw {
    /// Creates a campaign that applies the selected attacks to `sources` or, if there are none, to accepted corpus
    /// cases and generated files. If `pairs` is set, a data file follows each program.
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

    /// Removes the bases that no reader supports. Each thread has sessions with all readers.
    pub(super) fn for_readers(&self, threads: &mut [Vec<ReaderSession>], watch: &dyn Watch) -> Result<Self, HuntError> {
        let mut draw = self.clone();
        draw.bases.leave_out_rejected(threads, watch);
        draw.bases.keep_supported(threads.first().map_or(&[], Vec::as_slice));
        if draw.bases.len() == 0 { Err(HuntError::NoKind) } else { Ok(draw) }
    }

    pub(super) fn weights(&self, feedback: &Arc<Feedback>) -> Weights {
        let bases = self.bases.weights().into_iter().enumerate();
        Weights {
            bases: bases.map(|(index, usual)| feedback.weight(&self.name_of_base(index), usual)).collect(),
            changes: CHANGES.map(|(change, usual)| feedback.weight(&change.name(), usual)).to_vec(),
            attacks: self.attacks.iter().map(|attack| feedback.weight(attack.name, 1)).collect(),
            feedback: Arc::clone(feedback),
        }
    }

    /// Returns the name of a base in the feedback.
    fn name_of_base(&self, index: usize) -> String {
        match self.bases.fixed.get(index) {
            Some(group) => group.files[0].path.to_string_lossy().into_owned(),
            None => format!("generated/{}", self.bases.generated[index - self.bases.fixed.len()].name()),
        }
    }

    pub(super) fn specimen(&self, index: u64, weights: &Weights) -> Result<Specimen, HuntError> {
        let seed = part(self.seed, index);
        let mut choice = Random::new(part(seed, 0));
        let valid = (self.mixed && index.is_multiple_of(KINDS)).then(|| self.valid(index, &mut choice));
        if let Some(valid) = valid.flatten() {
            return Ok(valid);
        }
        for attempt in 0..BASE_TRIES + self.bases.len() {
            let change = if self.mixed { CHANGES[weighted(&weights.changes, &mut choice)].0 } else { Change::Attack };
            let mut drawn = || weighted(&weights.bases, &mut choice);
            let base = match attempt.checked_sub(BASE_TRIES) {
                // The random tries can miss a base that the attack applies to, so finally try every base.
                Some(base) => base,
                // Prefer the first files, which are the smallest, because most bytes of a large file do not matter.
                None if change == Change::Edit(Edit::Bytes) => drawn().min(drawn()),
                None => drawn(),
            };
            let Some(group) = self.bases.files(base, &mut choice) else { continue };
            // If the change does not apply to the chosen file of a pair, try the other.
            let first = choice.index(group.len());
            for at in (first..group.len()).chain(0..first) {
                let changed = self.changed((index, change), &group, at, weights, &mut choice);
                let Some((files, attack)) = changed else { continue };
                let place = self.place(base, &files.line);
                let share = place.as_ref().map_or(UNIT, |place| weights.feedback.share_of(place));
                if attempt < AVOIDED && choice.below(UNIT) >= share {
                    break;
                }
                let used = [self.name_of_base(base), change.name()].into_iter().chain(attack).collect();
                return Ok(Specimen { files, used, place });
            }
        }
        Err(AttackError::NoPlace { family: self.selection.family, rule: self.selection.rule }.into())
    }

    /// Returns a change's place: the attacked field, or the word of a fixed base. All elements of a vector share one
    /// place.
    fn place(&self, base: usize, line: &Line) -> Option<String> {
        let path: String = line.path.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        match (path.is_empty(), base < self.bases.fixed.len() && line.span.len <= NEAR) {
            (false, _) => Some(format!("{} {path}", line.attack)),
            (true, true) => Some(format!("{} {:#x}", line.base, line.span.offset & !3)),
            (true, false) => None,
        }
    }

    /// Returns a file or pair without an attack: first each fixed base, then generated files.
    fn valid(&self, index: u64, choice: &mut Random) -> Option<Specimen> {
        let accepted: Vec<usize> = (0..self.bases.fixed.len())
            .filter(|at| self.bases.fixed[*at].files.iter().all(Source::is_accepted))
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
        Some(Specimen { files, used: vec![self.name_of_base(base)], place: None })
    }

    /// Changes file `at` of a group, and also returns the name of the attack, if any. Half of the edited fields are
    /// drawn from the schema, with equal probability. The others are found by a random descent.
    fn changed(
        &self,
        (index, change): (u64, Change),
        group: &[Source],
        at: usize,
        weights: &Weights,
        choice: &mut Random,
    ) -> Option<(AttackedFiles, Option<String>)> {
        let source = &group[at];
        if let Change::Edit(edit) = change {
            let sampled = edit == Edit::Field && choice.one_in(2);
            let edited = match sampled {
                true => source.samples().edit(FileKind::of_head(source.bytes()), usize::MAX, choice)?,
                false => self.edit(edit, source.bytes(), choice)?,
            };
            let line = Line::edited(index, source, &edited, self.seed);
            return Some((attacked(group, at, edited.bytes, line), None));
        }
        let (attack, AttackedFile { mut bytes, label, .. }) = self.attack(source.base(), weights, choice)?;
        let mut line = Line::of(index, source, label, self.seed);
        let also = change == Change::AttackAndEdit;
        if let Some(edited) = also.then(|| self.edit(Edit::Field, &bytes, choice)).flatten() {
            line.add(&edited, &bytes);
            bytes = edited.bytes;
        }
        Some((attacked(group, at, bytes, line), Some(attack.name.to_owned())))
    }

    /// Edits a file; the donor is a fixed base.
    fn edit(&self, edit: Edit, bytes: &[u8], choice: &mut Random) -> Option<EditedFile> {
        let kind = FileKind::of_head(bytes);
        let files = self.bases.fixed.iter().flat_map(|group| &group.files);
        let donors: Vec<&[u8]> = files.map(Source::bytes).filter(|file| FileKind::of_head(file) == kind).collect();
        let donor = choice.pick(&donors).copied().unwrap_or_default();
        edit.apply(bytes, donor, bytes.len() + donor.len() + MORE, choice)
    }

    /// Draws attacks by weight, and returns the first one that applies to the base.
    fn attack(&self, base: &Base, weights: &Weights, choice: &mut Random) -> Option<(&'static Attack, AttackedFile)> {
        (0..ATTACK_TRIES.min(4 * self.attacks.len() as u64)).find_map(|_| {
            let attack = self.attacks[weighted(&weights.attacks, choice)];
            Some((attack, attack.apply(base, choice.below(u64::MAX))?))
        })
    }
}

/// Returns a random index, with a probability proportional to its weight.
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
