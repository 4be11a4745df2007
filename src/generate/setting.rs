//! The kinds of settings: how many, how often, and which.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::num::ParseIntError;
use core::ops::RangeInclusive;
use core::str::FromStr;

use crate::ScalarType;
use crate::metadata::Encoding;
use crate::random::Random;

/// How many there are, or how large something is: from the least to the most, each number as likely as any other.
///
/// ```
/// use torchproof::generate::Count;
/// let count: Count = "2..8".parse()?;
/// assert_eq!((count, count.to_string()), (Count::from(2..=8), "2..8".into()));
/// assert_eq!("3".parse::<Count>()?, Count::from(3));
/// assert!("8..2".parse::<Count>().is_err());
/// # Ok::<(), torchproof::generate::SettingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    least: u32,
    most: u32,
}

impl Count {
    /// The least number.
    #[must_use]
    pub const fn least(self) -> u32 {
        self.least
    }

    /// The most.
    #[must_use]
    pub const fn most(self) -> u32 {
        self.most
    }

    pub(super) const fn new(least: u32, most: u32) -> Self {
        Self { least, most }
    }

    /// One of the numbers. Nothing is drawn where there is only one, so that a setting that is new leaves old files as they are.
    pub(super) fn draw(self, random: &mut Random) -> u32 {
        if self.least >= self.most {
            return self.least;
        }
        let drawn = random.within(self.least.into()..=self.most.into());
        u32::try_from(drawn).unwrap_or(self.most)
    }
}

impl From<u32> for Count {
    fn from(number: u32) -> Self {
        Self::new(number, number)
    }
}

impl From<RangeInclusive<u32>> for Count {
    /// The numbers of the range; the start alone if it is empty.
    fn from(range: RangeInclusive<u32>) -> Self {
        let (least, most) = range.into_inner();
        Self::new(least, most.max(least))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.least == self.most {
            true => write!(f, "{}", self.least),
            false => write!(f, "{}..{}", self.least, self.most),
        }
    }
}

impl FromStr for Count {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let wrong = || SettingError::new(text, "a number, or two as `1..8`, the least and the most, below 2^32");
        let number = |text: &str| -> Result<u32, ParseIntError> { text.trim().replace('_', "").parse() };
        let (least, most) = match text.split_once("..") {
            Some((least, most)) => (least, most.strip_prefix('=').unwrap_or(most)),
            None => (text, text),
        };
        match (number(least), number(most)) {
            (Ok(least), Ok(most)) if least <= most => Ok(Self::new(least, most)),
            _ => Err(wrong()),
        }
    }
}

/// How often something is so, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent(u8);

impl Percent {
    /// This often; 100 at most.
    #[must_use]
    pub const fn new(percent: u8) -> Self {
        Self(if percent > 100 { 100 } else { percent })
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Whether it is so this time. Nothing is drawn for never and always.
    pub(super) const fn draw(self, random: &mut Random) -> bool {
        match self.0 {
            0 => false,
            100.. => true,
            percent => random.below(100) < percent as u64,
        }
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Percent {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let number = text.trim().trim_end_matches('%').parse().ok().filter(|percent| *percent <= 100);
        number.map(Self).ok_or_else(|| SettingError::new(text, "a percentage, 0 to 100"))
    }
}

/// A kind of thing of which a [`Choice`] can hold any.
pub trait Member: Copy + PartialEq + fmt::Debug + 'static {
    /// Every one, in the order of the schema or of time.
    const ALL: &'static [Self];
    /// What one is, as in "one of".
    const WHAT: &'static str;

    /// The name in settings.
    fn name(self) -> &'static str;
}

/// Which there can be, each as likely as any other.
///
/// ```
/// use torchproof::ScalarType;
/// use torchproof::generate::Choice;
/// let types: Choice<ScalarType> = "FLOAT,INT".parse()?;
/// assert_eq!(types, Choice::of(&[ScalarType::INT, ScalarType::FLOAT]));
/// assert_eq!("all".parse::<Choice<ScalarType>>()?, Choice::all());
/// # Ok::<(), torchproof::generate::SettingError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Choice<T> {
    /// A bit for each of [`Member::ALL`].
    bits: u64,
    of: core::marker::PhantomData<T>,
}

impl<T: Member> Choice<T> {
    /// Any of all.
    #[must_use]
    pub fn all() -> Self {
        Self::of(T::ALL)
    }

    /// Any of these; of all, if these are none.
    #[must_use]
    pub fn of(members: &[T]) -> Self {
        let members = if members.is_empty() { T::ALL } else { members };
        let bit = |(index, member): (usize, &T)| u64::from(members.contains(member)) << index;
        Self::of_bits(T::ALL.iter().enumerate().map(bit).sum())
    }

    pub(super) fn of_bits(bits: u64) -> Self {
        Self { bits, of: core::marker::PhantomData }
    }

    /// Those that there can be.
    pub fn iter(self) -> impl Iterator<Item = T> {
        T::ALL.iter().enumerate().filter(move |(index, _)| self.bits >> index & 1 == 1).map(|(_, member)| *member)
    }

    /// Whether there can be this one.
    #[must_use]
    pub fn contains(self, member: T) -> bool {
        self.iter().any(|other| other == member)
    }

    /// One of them. Nothing is drawn where there is only one.
    pub(super) fn draw(self, random: &mut Random) -> T {
        let count = self.iter().count();
        let index = if count > 1 { random.index(count) } else { 0 };
        self.iter().nth(index).unwrap_or(T::ALL[0])
    }
}

impl<T: Member> fmt::Debug for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Member> fmt::Display for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::all() {
            return f.write_str("all");
        }
        for (index, member) in self.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { "," }, member.name())?;
        }
        Ok(())
    }
}

impl<T: Member + Eq> FromStr for Choice<T> {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        if text.trim() == "all" {
            return Ok(Self::all());
        }
        let member = |name: &str| T::ALL.iter().copied().find(|member| member.name().eq_ignore_ascii_case(name.trim()));
        let wrong = |name: &str| {
            let names: Vec<&str> = T::ALL.iter().map(|member| member.name()).collect();
            let wanted = alloc::format!("{}; they are {}, joined by commas, or `all`", T::WHAT, names.join(", "));
            SettingError::new(name.trim(), &wanted)
        };
        let members = text.split(',').map(|name| member(name).ok_or_else(|| wrong(name)));
        Ok(Self::of(&members.collect::<Result<Vec<T>, SettingError>>()?))
    }
}

impl Member for ScalarType {
    const ALL: &'static [Self] = &{
        let values = Self::TYPE.values;
        let mut all = [Self(0); Self::TYPE.values.len()];
        let mut index = 0;
        while index < values.len() {
            all[index] = Self(values[index].1);
            index += 1;
        }
        all
    };
    const WHAT: &'static str = "an element type";

    fn name(self) -> &'static str {
        Self::TYPE.name_of(self.0).unwrap_or_default()
    }
}

impl Member for Encoding {
    const ALL: &'static [Self] = &Encoding::ALL;
    const WHAT: &'static str = "an encoding";

    fn name(self) -> &'static str {
        Encoding::name(self)
    }
}

/// How old the schema is that a program keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// One FlatBuffer over the whole file: constants and delegates' blobs inside it, no header.
    Inline,
    /// A header of 24 bytes, and segments of constants and of delegates' blobs.
    Segments,
    /// A header with the size of the data; mutable data, named data, external tensors.
    Current,
}

impl Member for Generation {
    const ALL: &'static [Self] = &[Self::Inline, Self::Segments, Self::Current];
    const WHAT: &'static str = "a generation";

    fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Segments => "segments",
            Self::Current => "current",
        }
    }
}

/// A setting that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    given: String,
    wanted: String,
    setting: Option<String>,
}

impl SettingError {
    fn new(given: &str, wanted: &str) -> Self {
        Self { given: given.to_string(), wanted: wanted.to_string(), setting: None }
    }

    pub(super) fn of(self, setting: &str) -> Self {
        Self { setting: Some(setting.to_string()), ..self }
    }

    pub(super) fn unknown(setting: &str) -> Self {
        Self { given: setting.to_string(), wanted: "a setting of the generator".to_string(), setting: None }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(setting) = &self.setting {
            write!(f, "{setting}: ")?;
        }
        write!(f, "`{}` is not {}", self.given, self.wanted)
    }
}

impl core::error::Error for SettingError {}
