//! The kinds of settings: how many, how often, and which.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

#[cfg(feature = "arbitrary")]
use arbitrary::Unstructured;

use crate::ScalarType;
use crate::metadata::Encoding;

/// A kind of setting.
pub(super) trait SettingKind: Sized {
    /// Its name in [`Setting`](super::Setting).
    const NAME: &'static str;

    /// The setting that the text stands for, or what is wrong with the text.
    fn parse(text: &str) -> Result<Self, String>;

    /// The setting as text.
    fn print(&self) -> String;

    /// The setting that a fuzzer's bytes stand for: of most things few, of some many.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self>;
}

/// How many there are, or how large something is: from the least to the most, each number as likely as any other.
impl SettingKind for RangeInclusive<u32> {
    const NAME: &'static str = "Count";

    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().replace('_', "").parse::<u32>().ok();
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        match (number(least), number(most.strip_prefix('=').unwrap_or(most))) {
            (Some(least), Some(most)) if least <= most => Ok(least..=most),
            _ => Err(format!("`{text}` is not a number, or two as `1..8`, the least and the most, below 2^32")),
        }
    }

    fn print(&self) -> String {
        match (self.start(), self.end()) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}..{most}"),
        }
    }

    /// Up to some power of two, each power as likely as any other.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        let power = bytes.int_in_range(0_u32..=7)?;
        let most = bytes.int_in_range(0..=1_u32 << power)?;
        let least = if bytes.arbitrary()? { most } else { bytes.int_in_range(0..=most)? };
        Ok(least..=most)
    }
}

/// How often something is so, in percent.
impl SettingKind for u8 {
    const NAME: &'static str = "Percent";

    fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim().trim_end_matches('%').parse().ok().filter(|percent| *percent <= 100);
        number.ok_or_else(|| format!("`{text}` is not a percentage, 0 to 100"))
    }

    fn print(&self) -> String {
        self.to_string()
    }

    /// Never, always or at times.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        Ok(match bytes.int_in_range(0..=3)? {
            0 => 0,
            1 => 100,
            _ => bytes.int_in_range(0..=100)?,
        })
    }
}

/// A kind of thing of which a setting chooses some.
pub(super) trait Member: Copy + PartialEq + 'static {
    /// Every one, in the order of the schema or of time.
    const ALL: &'static [Self];
    /// What one is, as in "one of".
    const WHAT: &'static str;

    /// The name in settings.
    fn name(self) -> &'static str;
}

/// Which there can be, each as likely as any other.
impl<T: Member> SettingKind for Vec<T> {
    const NAME: &'static str = "Choice";

    fn parse(text: &str) -> Result<Self, String> {
        if text.trim() == "all" {
            return Ok(T::ALL.to_vec());
        }
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        let is = |member: &T, name: &&str| member.name().eq_ignore_ascii_case(name);
        if let Some(unknown) = names.iter().find(|name| !T::ALL.iter().any(|member| is(member, name))) {
            let all: Vec<&str> = T::ALL.iter().map(|member| member.name()).collect();
            let all = all.join(", ");
            return Err(format!("`{unknown}` is not {}; they are {all}, joined by commas, or `all`", T::WHAT));
        }
        // The order of the text does not matter: the same choice gives the same files.
        Ok(T::ALL.iter().copied().filter(|member| names.iter().any(|name| is(member, name))).collect())
    }

    fn print(&self) -> String {
        if self == T::ALL {
            return "all".to_string();
        }
        let names: Vec<&str> = self.iter().map(|member| member.name()).collect();
        names.join(",")
    }

    /// One, or any.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        if bytes.arbitrary()? {
            return Ok(alloc::vec![*bytes.choose(T::ALL)?]);
        }
        let bits: u64 = bytes.arbitrary()?;
        let some: Vec<T> =
            (0..).zip(T::ALL).filter(|(index, _)| bits >> index & 1 == 1).map(|(_, member)| *member).collect();
        Ok(if some.is_empty() { T::ALL.to_vec() } else { some })
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

impl Generation {
    /// Every generation, the oldest first.
    pub const ALL: [Generation; 3] = [Generation::Inline, Generation::Segments, Generation::Current];
}

impl Member for Generation {
    const ALL: &'static [Self] = &Generation::ALL;
    const WHAT: &'static str = "a generation";

    fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Segments => "segments",
            Self::Current => "current",
        }
    }
}

/// Why a setting is not set: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError(pub(super) String);

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for SettingError {}
