//! **Labeled files**: attacked, edited and valid files with one label each, and a folder of them.
//!
//! An attacked file depends only on the seed, the index, the base files and the selected attacks, so a higher count
//! adds files without changing earlier ones.

mod error;
mod label;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use torchproof::FileKind;
use torchproof::Span;
use torchproof::attack::{AttackedFile, Base, Effect, Label, Selection, draw};
use torchproof::check::{Checker, Target};
use torchproof::generate::{self, Config, GeneratedKind, generate};
use torchproof::mutate::{EditedFile, Samples};
use torchproof::random::{Random, part};

pub(crate) use error::AttackError;
pub(crate) use label::LABELS;
pub use label::{Line, Step};
pub use write::write;

use crate::disk::io_error::PathError;
use crate::disk::open::read_argument;

#[derive(Clone, Debug)]
pub struct Source {
    /// The path in labels.
    pub path: PathBuf,
    bytes: Arc<[u8]>,
    kind: FileKind,
    accepted: bool,
    made: Arc<Made>,
}

/// What attacks and edits need. It is created on first use, because creating it takes longer than hundreds of edits.
#[derive(Debug, Default)]
struct Made {
    base: OnceLock<Base>,
    samples: OnceLock<Samples>,
}

/// The number of random descents that look for a file's fields.
const DESCENTS: u64 = 100;

impl Source {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, AttackError> {
        let bytes = read_argument(path).map_err(PathError::read(path))?;
        Self::of(path, bytes)
    }

    /// Checks a file in memory, which labels call `path`.
    pub fn of(path: &Path, bytes: Vec<u8>) -> Result<Self, AttackError> {
        let report = Checker::new().max_findings(0).check(&bytes);
        let (kind, accepted, path) = (report.kind, report.accepts(), path.to_owned());
        match kind {
            FileKind::Pte | FileKind::Ptd | FileKind::PtdLegacy | FileKind::Bpte => {
                Ok(Self { path, bytes: bytes.into(), kind, accepted, made: Arc::default() })
            }
            kind => Err(AttackError::Kind { path, kind }),
        }
    }

    pub const fn kind(&self) -> FileKind {
        self.kind
    }

    pub(crate) const fn is_accepted(&self) -> bool {
        self.accepted
    }

    pub(crate) fn base(&self) -> &Base {
        self.made.base.get_or_init(|| Base::of(self.bytes.to_vec()))
    }

    pub(crate) fn samples(&self) -> &Samples {
        self.made.samples.get_or_init(|| Samples::of(vec![self.bytes.to_vec()], DESCENTS))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn extension(&self) -> &'static str {
        match self.kind {
            FileKind::Ptd | FileKind::PtdLegacy => "ptd",
            FileKind::Bpte => "bpte",
            _ => "pte",
        }
    }
}

/// The maximum number of base files that [`Campaign::make`] generates for one attacked file.
const GENERATED_TRIES: u32 = 64;

fn generated(choice: &mut Random) -> Option<Vec<Source>> {
    let kind = match choice.index(4) {
        0 | 1 => GeneratedKind::Pte,
        2 => GeneratedKind::Ptd,
        _ => GeneratedKind::PtdLegacy,
    };
    // A 32-bit seed is short enough to type.
    let seed = choice.below(1 << 32);
    generated_of(kind, "", &Config::swarm(seed), seed)
}

/// Generates a file or a pair. The names contain the kind, `size` and the seed.
pub(crate) fn generated_of(kind: GeneratedKind, size: &str, config: &Config, seed: u64) -> Option<Vec<Source>> {
    let source = |file: generate::GeneratedFile| {
        let name = format!("generated/{}{size}-{seed}.{}", kind.name(), file.extension);
        Source::of(Path::new(&name), file.bytes).ok()
    };
    generate(kind, config, seed).ok()?.into_iter().map(source).collect()
}

/// What determines a folder of attacked files.
#[derive(Debug)]
pub struct Campaign {
    /// The base files. If there are none, the campaign generates a base for each attacked file.
    sources: Vec<Source>,
    selection: Selection,
    seed: u64,
}

/// A file, or a pair with at most one attacked file.
#[derive(Clone, Debug)]
pub struct AttackedFiles {
    /// The bytes of each file, and the kind that it had before the attack.
    pub files: Vec<(Vec<u8>, FileKind)>,
    /// The attacked file before the attack.
    pub base: Vec<u8>,
    pub line: Line,
}

impl Line {
    /// Creates the label of an unchanged base file.
    pub(crate) fn valid(index: u64, source: &Source, seed: u64) -> Self {
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
    /// Creates a campaign. If there are no sources, it generates a base file of random kind for each attacked file.
    pub fn new(sources: Vec<Source>, selection: Selection, seed: u64) -> Result<Self, AttackError> {
        if selection.attacks().is_empty() {
            return Err(AttackError::NoAttack { family: selection.family, rule: selection.rule });
        }
        Ok(Self { sources, selection, seed })
    }

    pub(crate) fn make(&self, index: u64) -> Result<AttackedFiles, AttackError> {
        let seed = part(self.seed, index);
        let (mut choice, attack) = (Random::new(part(seed, 0)), part(seed, 1));
        let attacked = |group: &[Source]| {
            let AttackedFile { bytes, label, .. } = draw(group.first()?.base(), &self.selection, attack)?;
            Some(attacked(group, 0, bytes, Line::of(index, &group[0], label, self.seed)))
        };
        let found = if self.sources.is_empty() {
            let mut tries = (0..GENERATED_TRIES).filter_map(|_| generated(&mut choice));
            tries.find_map(|group| attacked(&group))
        } else {
            let start = choice.index(self.sources.len());
            self.sources[start..]
                .iter()
                .chain(&self.sources[..start])
                .find_map(|one| attacked(std::slice::from_ref(one)))
        };
        found.ok_or(AttackError::NoPlace { family: self.selection.family, rule: self.selection.rule })
    }
}

/// Copies a group's files, but replaces the file at index `at`, which gets the label `line`.
pub(crate) fn attacked(group: &[Source], at: usize, bytes: Vec<u8>, line: Line) -> AttackedFiles {
    let other = group.iter().enumerate().find(|(index, _)| *index != at);
    let with = other.map(|(_, source)| source.path.to_string_lossy().into_owned());
    let mut files: Vec<_> = group.iter().map(|source| (source.bytes().to_vec(), source.kind())).collect();
    let base = std::mem::replace(&mut files[at].0, bytes);
    AttackedFiles { files, base, line: Line { with, ..line } }
}

impl Line {
    pub(crate) fn of(index: u64, source: &Source, label: Label, seed: u64) -> Self {
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

    pub(crate) fn edited(index: u64, source: &Source, edited: &EditedFile, seed: u64) -> Self {
        let line = Self::valid(index, source, seed);
        Self {
            file: line.file.replace("-valid.", &format!("-{}.", edited.name.replace('/', "-"))),
            family: edited.name.split('/').next().unwrap_or_default().into(),
            attack: edited.name.into(),
            span: edited.span(source.bytes()),
            effect: Effect::Unknown.name().into(),
            ..line
        }
    }

    /// Adds an edit of `before` to an attacked file's label. The joint effect of the attack and the edit is unknown.
    pub(crate) fn add(&mut self, edited: &EditedFile, before: &[u8]) {
        if self.steps.is_empty() {
            self.steps.push(Step { attack: self.attack.clone(), path: self.path.clone(), span: self.span });
        }
        self.steps.push(Step { attack: edited.name.into(), path: String::new(), span: edited.span(before) });
        (self.rule, self.effect) = (None, Effect::Unknown.name().into());
    }
}
