//! Programs with their data files, of which one is attacked.

use std::path::Path;

use torchproof::FileKind;
use torchproof::attack::{Attacked, Selection, draw};
use torchproof::generate::{self, Config, generate};
use torchproof::random::Random;

use super::{AttackError, GENERATED_TRIES, Line, Source};

/// Which pairs are made of which.
///
/// A pair depends on the seed, its number and the pairs that are attacked, and on nothing else.
#[derive(Debug)]
pub struct Pairs {
    /// The pairs that are attacked; where none is given, each attack is on a pair that is made for it.
    sources: Vec<[Source; 2]>,
    selection: Selection,
    seed: u64,
}

/// A program and its data file, one of which was attacked, or neither.
#[derive(Clone, Debug)]
pub struct MadePair {
    /// The program's bytes and the data file's, and what the files are that these were made of.
    pub files: [(Vec<u8>, FileKind); 2],
    /// What is said of the one that was attacked.
    pub line: Line,
}

impl Pairs {
    /// The pairs that these programs, each with the data file behind it, this selection and this seed make.
    ///
    /// # Errors
    ///
    /// The selection leaves no attack, or the files are not in pairs.
    pub fn new(sources: &[Source], selection: Selection, seed: u64) -> Result<Self, AttackError> {
        if selection.attacks().is_empty() {
            return Err(AttackError::NoAttack { family: selection.family, rule: selection.rule });
        }
        let pair = |pair: &[Source]| match pair {
            [program, data]
                if program.kind() == FileKind::Pte && matches!(data.kind(), FileKind::Ptd | FileKind::PtdLegacy) =>
            {
                Ok([program.clone(), data.clone()])
            }
            others => {
                let path = others.first().map(|source| source.path.clone()).unwrap_or_default();
                Err(AttackError::NoPair { path })
            }
        };
        let sources = sources.chunks(2).map(pair).collect::<Result<_, _>>()?;
        Ok(Self { sources, selection, seed })
    }

    /// The pair of this number, with one of its files attacked.
    ///
    /// # Errors
    ///
    /// None of the files has a place for any of the attacks.
    pub fn make(&self, index: u64) -> Result<MadePair, AttackError> {
        let random = Random::new(self.seed).part(index);
        let (mut choice, attack) = (random.part(0), random.part(1));
        let first = choice.index(2);
        // The one that the choice falls on, or the other where that has no place for an attack.
        let attacked = |pair: &[Source; 2]| {
            [first, 1 - first].into_iter().find_map(|at| {
                let Attacked { bytes, label, .. } = draw(&pair[at].base, &self.selection, &attack)?;
                let mut made = unharmed(pair, Line::of(index, &pair[at], label, self.seed));
                made.line.with = Some(pair[1 - at].path.to_string_lossy().into_owned());
                made.files[at].0 = bytes;
                Some(made)
            })
        };
        let found = if self.sources.is_empty() {
            (0..GENERATED_TRIES).filter_map(|_| generated_pair(&mut choice)).find_map(|pair| attacked(&pair))
        } else {
            let start = choice.index(self.sources.len());
            self.sources[start..].iter().chain(&self.sources[..start]).find_map(attacked)
        };
        found.ok_or(AttackError::NoPlace { family: self.selection.family, rule: self.selection.rule })
    }
}

/// A generated pair that nobody attacks.
pub(crate) fn valid_pair(choice: &mut Random, index: u64, seed: u64) -> Option<MadePair> {
    let pair = generated_pair(choice)?;
    let line = Line { with: Some(pair[1].path.to_string_lossy().into_owned()), ..Line::valid(index, &pair[0], seed) };
    Some(unharmed(&pair, line))
}

fn unharmed(pair: &[Source; 2], line: Line) -> MadePair {
    MadePair { files: [0, 1].map(|at| (pair[at].bytes().to_vec(), pair[at].kind())), line }
}

/// A pair as `torchproof generate --swarm --kind pair` makes it, under names that say which.
fn generated_pair(choice: &mut Random) -> Option<[Source; 2]> {
    let kind = generate::Kind::Pair;
    let seed = choice.below(1 << 32);
    let files = generate(kind, &Config::swarm(seed), seed).ok()?;
    let source = |file: generate::Generated| {
        Source::of(Path::new(&format!("generated/{}-{seed}.{}", kind.name(), file.extension)), file.bytes).ok()
    };
    let sources: Vec<Source> = files.into_iter().filter_map(source).collect();
    sources.try_into().ok()
}
