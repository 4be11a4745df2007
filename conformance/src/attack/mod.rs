//! **Attacked files and their labels**: a folder of adversarial files, and one line about each.
//!
//! A file of the folder depends on the seed, its own number and the files that are attacked, and on nothing else: asking for
//! more files changes none of those that there were.

mod error;
mod label;
mod list;
mod random;
mod write;

use std::path::{Path, PathBuf};

use torchproof::FileKind;
use torchproof::Span;
use torchproof::attack::{Attacked, Base, Effect, Label, Selection, draw};
use torchproof::check::Target;
use torchproof::generate::{self, Config, generate};

pub(crate) use error::AttackError;
pub(crate) use label::{LABELS, Line, Step};
pub(crate) use list::Listing;
pub(crate) use random::{Choice, part};
pub(crate) use write::write;

/// A file to attack, and its name in labels.
#[derive(Clone, Debug)]
pub struct Source {
    /// As it was given.
    pub path: PathBuf,
    base: Base,
}

impl Source {
    /// Reads and maps a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is larger than 1 GiB, or is of no kind that can be attacked.
    pub fn read(path: &Path) -> Result<Self, AttackError> {
        let failed = |error| AttackError::Read { path: path.to_owned(), error };
        // It is held in memory, with a map of it.
        let size = std::fs::metadata(path).map_err(failed)?.len();
        if size > MOST_SIZE {
            return Err(AttackError::TooLarge { path: path.to_owned(), size });
        }
        let bytes = std::fs::read(path).map_err(failed)?;
        Self::of(path, bytes)
    }

    /// Maps the bytes of a file, which need not be where the path leads.
    ///
    /// # Errors
    ///
    /// It is of no kind that can be attacked.
    pub fn of(path: &Path, bytes: Vec<u8>) -> Result<Self, AttackError> {
        let base = Base::of(bytes);
        match base.kind() {
            FileKind::Pte | FileKind::Ptd | FileKind::PtdLegacy | FileKind::Bpte => {
                Ok(Self { path: path.to_owned(), base })
            }
            kind => Err(AttackError::Kind { path: path.to_owned(), kind }),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.base.kind()
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.base.bytes()
    }

    /// What the name of a file like it ends in.
    fn extension(&self) -> &'static str {
        match self.base.kind() {
            FileKind::Ptd | FileKind::PtdLegacy => "ptd",
            FileKind::Bpte => "bpte",
            _ => "pte",
        }
    }
}

/// A file of more bytes is not attacked.
const MOST_SIZE: u64 = 1 << 30;

/// How many files are made for one attack, at most, until one has a place for it.
const GENERATED_TRIES: u32 = 64;

/// A file as `torchproof generate --swarm` makes it, or a program and its data file, under names that state kind and seed.
fn generated(pairs: bool, choice: &mut Choice) -> Option<Vec<Source>> {
    let kind = if pairs {
        generate::GeneratedKind::Pair
    } else {
        match choice.index(4) {
            0 | 1 => generate::GeneratedKind::Pte,
            2 => generate::GeneratedKind::Ptd,
            _ => generate::GeneratedKind::PtdLegacy,
        }
    };
    // A number that can be read and typed.
    let seed = choice.below(1 << 32);
    let source = |file: generate::Generated| {
        Source::of(Path::new(&format!("generated/{}-{seed}.{}", kind.name(), file.extension)), file.bytes).ok()
    };
    generate(kind, &Config::swarm(seed), seed).ok()?.into_iter().map(source).collect()
}

/// Which files are made of which.
#[derive(Debug)]
pub(crate) struct Campaign {
    /// The files, or the pairs, that are attacked; if none, each attack is on one that is generated for it.
    sources: Vec<Vec<Source>>,
    pairs: bool,
    selection: Selection,
    seed: u64,
}

/// A file, or a program and its data file, of which one was attacked, or none.
#[derive(Clone, Debug)]
pub(crate) struct AttackedFiles {
    /// The bytes of each file, and the kind of the file that they were made from.
    pub files: Vec<(Vec<u8>, FileKind)>,
    /// The label of the attacked one.
    pub line: Line,
}

impl Line {
    /// The line of a file that nobody attacked.
    fn valid(index: u64, source: &Source, seed: u64) -> Self {
        Self {
            file: format!("{index:06}-valid.{}", source.extension()),
            base: source.path.to_string_lossy().into_owned(),
            with: None,
            family: "valid".into(),
            attack: "valid/none".into(),
            rule: None,
            path: String::new(),
            span: Span::new(0, 0),
            effect: Effect::Preserves.name().into(),
            target_bits: None,
            steps: Vec::new(),
            seed,
        }
    }
}

impl Campaign {
    /// The files that these sources, this selection and this seed make. Without a source, generated files are attacked: each of
    /// its own kind and settings, which its name states.
    ///
    /// # Errors
    ///
    /// The selection leaves no attack.
    pub(crate) fn new(sources: Vec<Source>, selection: Selection, seed: u64) -> Result<Self, AttackError> {
        Self::of(sources.into_iter().map(|source| vec![source]).collect(), false, selection, seed)
    }

    /// The same of programs with their data files: each source is a program, with its data file after it.
    ///
    /// # Errors
    ///
    /// The selection leaves no attack, or the files are not in pairs.
    pub(crate) fn of_pairs(sources: &[Source], selection: Selection, seed: u64) -> Result<Self, AttackError> {
        let pair = |pair: &[Source]| match pair {
            [program, data]
                if program.kind() == FileKind::Pte && matches!(data.kind(), FileKind::Ptd | FileKind::PtdLegacy) =>
            {
                Ok(pair.to_vec())
            }
            others => {
                let path = others.first().map(|source| source.path.clone()).unwrap_or_default();
                Err(AttackError::NoPair { path })
            }
        };
        Self::of(sources.chunks(2).map(pair).collect::<Result<_, _>>()?, true, selection, seed)
    }

    fn of(sources: Vec<Vec<Source>>, pairs: bool, selection: Selection, seed: u64) -> Result<Self, AttackError> {
        if selection.attacks().is_empty() {
            return Err(AttackError::NoAttack { family: selection.family, rule: selection.rule });
        }
        Ok(Self { sources, pairs, selection, seed })
    }

    /// The file of this number, or the pair with one of its files attacked.
    ///
    /// # Errors
    ///
    /// None of the files has a place for any of the attacks.
    pub(crate) fn make(&self, index: u64) -> Result<AttackedFiles, AttackError> {
        let seed = part(self.seed, index);
        let (mut choice, attack) = (Choice::of(part(seed, 0)), part(seed, 1));
        let first = if self.pairs { choice.index(2) } else { 0 };
        // The file that the choice falls on, or the other one if that has no place for an attack.
        let attacked = |group: &[Source]| {
            (0..group.len()).map(|turn| (first + turn) % group.len()).find_map(|at| {
                let Attacked { bytes, label, .. } = draw(&group[at].base, &self.selection, attack)?;
                let mut made = unharmed(group, at, Line::of(index, &group[at], label, self.seed));
                made.files[at].0 = bytes;
                Some(made)
            })
        };
        let found = if self.sources.is_empty() {
            let mut tries = (0..GENERATED_TRIES).filter_map(|_| generated(self.pairs, &mut choice));
            tries.find_map(|group| attacked(&group))
        } else {
            let start = choice.index(self.sources.len());
            self.sources[start..].iter().chain(&self.sources[..start]).find_map(|group| attacked(group))
        };
        found.ok_or(AttackError::NoPlace { family: self.selection.family, rule: self.selection.rule })
    }

    /// A generated file, or a pair, that nobody attacked.
    pub(crate) fn make_valid(&self, index: u64, choice: &mut Choice) -> Option<AttackedFiles> {
        let group = generated(self.pairs, choice)?;
        Some(unharmed(&group, 0, Line::valid(index, group.first()?, self.seed)))
    }
}

/// The files as they are; the line is that of the one at `at`.
fn unharmed(group: &[Source], at: usize, line: Line) -> AttackedFiles {
    let other = group.iter().enumerate().find(|(index, _)| *index != at);
    let with = other.map(|(_, source)| source.path.to_string_lossy().into_owned());
    let files = group.iter().map(|source| (source.bytes().to_vec(), source.kind())).collect();
    AttackedFiles { files, line: Line { with, ..line } }
}

impl Line {
    /// The line of a file that was made of `source`.
    fn of(index: u64, source: &Source, label: Label, seed: u64) -> Self {
        let name = label.attack.replace('/', "-");
        let steps = label.steps.iter();
        let steps = steps.map(|step| Step { attack: step.attack.into(), path: step.path.clone(), span: step.span });
        Line {
            file: format!("{index:06}-{name}.{}", source.extension()),
            base: source.path.to_string_lossy().into_owned(),
            with: None,
            family: label.family().into(),
            attack: label.attack.into(),
            rule: label.rule.map(|rule| rule.id.into()),
            path: label.path,
            span: label.span,
            effect: label.effect.name().into(),
            target_bits: (label.target == Target::Bits32).then_some(32),
            steps: if label.steps.len() > 1 { steps.collect() } else { Vec::new() },
            seed,
        }
    }
}
