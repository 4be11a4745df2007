//! Which file has which number.

use torchproof::FileKind;
use torchproof::attack::Selection;
use torchproof::random::Random;

use super::HuntError;
use crate::attack::{Campaign, Line, Pairs, Source, generated, valid_pair};

/// The files of a campaign, by number.
#[derive(Debug)]
pub struct Draw {
    seed: u64,
    campaigns: Campaigns,
    /// Whether valid files are among them: not where only some attacks are wanted.
    with_valid: bool,
}

/// With one attack on a file, and with several.
#[derive(Debug)]
enum Campaigns {
    Files { one: Campaign, several: Campaign },
    Pairs { one: Pairs, several: Pairs },
}

/// What is put to readers at once.
#[derive(Debug)]
pub(super) struct Specimen {
    /// A file; or a program, and its data file.
    pub(super) files: Vec<(Vec<u8>, FileKind)>,
    pub(super) line: Line,
}

impl Specimen {
    /// The bytes of each file.
    pub(super) fn bytes(&self) -> Vec<&[u8]> {
        self.files.iter().map(|(bytes, _)| bytes.as_slice()).collect()
    }
}

/// One file in so many is valid, and of the others one in as many has several attacks on it.
const RARE: u64 = 8;
/// How many attacks are several.
const SEVERAL: u32 = 3;
/// How many valid files are made until there is one.
const VALID_TRIES: u32 = 16;

impl Draw {
    /// Files made of these sources by attacks of this family and this rule; without a source, of generated files.
    ///
    /// # Errors
    ///
    /// There is no such attack.
    pub fn new(sources: &[Source], selection: &Selection, seed: u64) -> Result<Self, HuntError> {
        let campaign = |depth| Campaign::new(sources.to_vec(), Selection { depth, ..selection.clone() }, seed);
        let campaigns = Campaigns::Files { one: campaign(1)?, several: campaign(SEVERAL)? };
        Ok(Self { seed, campaigns, with_valid: takes_valid(selection) })
    }

    /// Pairs made of these programs, each with the data file behind it; without one, of generated pairs.
    ///
    /// # Errors
    ///
    /// There is no such attack, or the files are not in pairs.
    pub fn of_pairs(sources: &[Source], selection: &Selection, seed: u64) -> Result<Self, HuntError> {
        let pairs = |depth| Pairs::new(sources, Selection { depth, ..selection.clone() }, seed);
        let campaigns = Campaigns::Pairs { one: pairs(1)?, several: pairs(SEVERAL)? };
        Ok(Self { seed, campaigns, with_valid: takes_valid(selection) })
    }

    /// Whether programs are put to readers with their data files.
    pub(super) const fn is_of_pairs(&self) -> bool {
        matches!(self.campaigns, Campaigns::Pairs { .. })
    }

    /// The seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn specimen(&self, index: u64) -> Result<Specimen, HuntError> {
        let rare = index.is_multiple_of(RARE) && self.with_valid;
        if let Some(valid) = rare.then(|| self.valid(index)).flatten() {
            return Ok(valid);
        }
        let deep = index % RARE == 1;
        Ok(match &self.campaigns {
            Campaigns::Files { one, several } => {
                let made = if deep { several } else { one }.make(index)?;
                Specimen { files: vec![(made.bytes, made.kind)], line: made.line }
            }
            Campaigns::Pairs { one, several } => {
                let made = if deep { several } else { one }.make(index)?;
                Specimen { files: made.files.into(), line: made.line }
            }
        })
    }

    /// What nobody attacked.
    fn valid(&self, index: u64) -> Option<Specimen> {
        let mut choice = Random::new(self.seed).part(index).part(2);
        (0..VALID_TRIES).find_map(|_| match self.campaigns {
            Campaigns::Files { .. } => {
                let source = generated(&mut choice)?;
                let line = Line::valid(index, &source, self.seed);
                Some(Specimen { files: vec![(source.bytes().to_vec(), source.kind())], line })
            }
            Campaigns::Pairs { .. } => {
                let made = valid_pair(&mut choice, index, self.seed)?;
                Some(Specimen { files: made.files.into(), line: made.line })
            }
        })
    }
}

/// Where only some attacks are wanted, no valid files are.
fn takes_valid(selection: &Selection) -> bool {
    selection.family.is_none() && selection.rule.is_none()
}
