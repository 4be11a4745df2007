//! Which file has which number.

use torchproof::attack::Selection;
use torchproof::check::Kind;
use torchproof::random::Random;

use super::HuntError;
use crate::attack::{Campaign, Line, Source, generated};

/// The files of a campaign, by number.
#[derive(Debug)]
pub struct Draw {
    seed: u64,
    one: Campaign,
    several: Campaign,
    /// Whether valid files are among them: not where only some attacks are wanted.
    with_valid: bool,
}

/// One file.
#[derive(Debug)]
pub(super) struct Specimen {
    pub(super) bytes: Vec<u8>,
    pub(super) kind: Kind,
    pub(super) line: Line,
}

/// One file in so many is valid, and of the others one in as many has several attacks on it.
const RARE: u64 = 8;
/// How many attacks are several.
const SEVERAL: u32 = 3;

impl Draw {
    /// Files made of these sources by attacks of this family and this rule; without a source, of generated files.
    ///
    /// # Errors
    ///
    /// There is no such attack.
    pub fn new(sources: &[Source], selection: &Selection, seed: u64) -> Result<Self, HuntError> {
        let campaign = |depth| Campaign::new(sources.to_vec(), Selection { depth, ..selection.clone() }, seed);
        let with_valid = selection.family.is_none() && selection.rule.is_none();
        Ok(Self { seed, one: campaign(1)?, several: campaign(SEVERAL)?, with_valid })
    }

    /// The seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn specimen(&self, index: u64) -> Result<Specimen, HuntError> {
        if index.is_multiple_of(RARE) && self.with_valid {
            let mut choice = Random::new(self.seed).part(index).part(2);
            if let Some(source) = std::iter::repeat_with(|| generated(&mut choice)).take(16).flatten().next() {
                let line = Line::valid(index, &source, self.seed);
                return Ok(Specimen { bytes: source.bytes().to_vec(), kind: source.kind(), line });
            }
        }
        let campaign = if index % RARE == 1 { &self.several } else { &self.one };
        let made = campaign.make(index)?;
        Ok(Specimen { bytes: made.bytes, kind: made.kind, line: made.line })
    }
}
