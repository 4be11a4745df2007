//! **Attacked files and their labels**: a folder of adversarial files with one label per file.
//!
//! An attacked file depends only on the seed, the index, the base files and the selected attacks. A higher count adds
//! files without changing earlier files.

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
pub(crate) use list::AttackListing;
pub(crate) use random::{Choice, part};
pub(crate) use write::write;

/// A file to attack.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path by which the labels refer to this file.
    pub path: PathBuf,
    base: Base,
}

impl Source {
    /// Reads a file and creates its byte map.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is larger than 1 GiB, or is of an unsupported kind.
    pub fn read(path: &Path) -> Result<Self, AttackError> {
        let failed = |error| AttackError::Read { path: path.to_owned(), error };
        // Limit the size, because the bytes and the byte map stay in memory.
        let size = std::fs::metadata(path).map_err(failed)?.len();
        if size > MAX_SIZE {
            return Err(AttackError::TooLarge { path: path.to_owned(), size });
        }
        let bytes = std::fs::read(path).map_err(failed)?;
        Self::of(path, bytes)
    }

    /// Creates the byte map of a file whose bytes are in memory. Labels refer to the file by `path`.
    ///
    /// # Errors
    ///
    /// Fails if the file is of an unsupported kind.
    pub fn of(path: &Path, bytes: Vec<u8>) -> Result<Self, AttackError> {
        let base = Base::of(bytes);
        match base.kind() {
            FileKind::Pte | FileKind::Ptd | FileKind::PtdLegacy | FileKind::Bpte => {
                Ok(Self { path: path.to_owned(), base })
            }
            kind => Err(AttackError::Kind { path: path.to_owned(), kind }),
        }
    }

    /// Returns the kind of the file.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.base.kind()
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.base.bytes()
    }

    /// Returns the file name extension for the kind of the file.
    fn extension(&self) -> &'static str {
        match self.base.kind() {
            FileKind::Ptd | FileKind::PtdLegacy => "ptd",
            FileKind::Bpte => "bpte",
            _ => "pte",
        }
    }
}

/// The size limit of a file to attack.
const MAX_SIZE: u64 = 1 << 30;

/// The maximum number of base files to generate until an attack applies to one of them.
const GENERATED_TRIES: u32 = 64;

/// Generates either a program and its data file, or a single file with the settings of `torchproof generate --swarm`.
/// The names of generated files contain the kind and the seed.
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
    // Limit the seed to 32 bits, so that a user can type the seed.
    let seed = choice.below(1 << 32);
    let source = |file: generate::Generated| {
        Source::of(Path::new(&format!("generated/{}-{seed}.{}", kind.name(), file.extension)), file.bytes).ok()
    };
    generate(kind, &Config::swarm(seed), seed).ok()?.into_iter().map(source).collect()
}

/// The base files, the selected attacks and the seed of a campaign.
#[derive(Debug)]
pub(crate) struct Campaign {
    /// The files or pairs to attack. If the list is empty, each attack generates its own base file.
    sources: Vec<Vec<Source>>,
    pairs: bool,
    selection: Selection,
    seed: u64,
}

/// A single file, or a pair with at most one attacked file.
#[derive(Clone, Debug)]
pub(crate) struct AttackedFiles {
    /// Each file's bytes, and the kind of the base file from which the file was made.
    pub files: Vec<(Vec<u8>, FileKind)>,
    /// The label of the attacked file.
    pub line: Line,
}

impl Line {
    /// Creates the label of a valid file, which is an unchanged base file.
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
    /// Creates a campaign on single files. If `sources` is empty, each attack generates its own base file of random
    /// kind and with random settings.
    ///
    /// # Errors
    ///
    /// Fails if no attack matches the selection.
    pub(crate) fn new(sources: Vec<Source>, selection: Selection, seed: u64) -> Result<Self, AttackError> {
        Self::of(sources.into_iter().map(|source| vec![source]).collect(), false, selection, seed)
    }

    /// Creates a campaign on pairs. In `sources`, each program is followed by its data file.
    ///
    /// # Errors
    ///
    /// Fails if no attack matches the selection, or if a file is not part of a pair.
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

    /// Creates the attacked file for the index `index`, or the pair with one attacked file.
    ///
    /// # Errors
    ///
    /// Fails if no selected attack applies to any of the files.
    pub(crate) fn make(&self, index: u64) -> Result<AttackedFiles, AttackError> {
        let seed = part(self.seed, index);
        let (mut choice, attack) = (Choice::of(part(seed, 0)), part(seed, 1));
        let first = if self.pairs { choice.index(2) } else { 0 };
        // Attack the chosen file. If no attack applies to this file, attack the other file of the pair.
        let attacked = |group: &[Source]| {
            (0..group.len()).map(|turn| (first + turn) % group.len()).find_map(|at| {
                let Attacked { bytes, label, .. } = draw(&group[at].base, &self.selection, attack)?;
                let mut made = unchanged(group, at, Line::of(index, &group[at], label, self.seed));
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

    /// Generates a file or a pair, and attacks no file.
    pub(crate) fn make_valid(&self, index: u64, choice: &mut Choice) -> Option<AttackedFiles> {
        let group = generated(self.pairs, choice)?;
        Some(unchanged(&group, 0, Line::valid(index, group.first()?, self.seed)))
    }
}

/// Copies the files of a group unchanged. `line` is the label of the file at index `at`.
fn unchanged(group: &[Source], at: usize, line: Line) -> AttackedFiles {
    let other = group.iter().enumerate().find(|(index, _)| *index != at);
    let with = other.map(|(_, source)| source.path.to_string_lossy().into_owned());
    let files = group.iter().map(|source| (source.bytes().to_vec(), source.kind())).collect();
    AttackedFiles { files, line: Line { with, ..line } }
}

impl Line {
    /// Creates the label of an attacked file from the base file `source`.
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
