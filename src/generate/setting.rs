//! The kinds of settings: counts, probabilities and choices.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

#[cfg(feature = "arbitrary")]
use arbitrary::Unstructured;

use crate::ScalarType;
use crate::metadata::Encoding;
use crate::named::named;

pub(super) trait SettingKind: Sized {
    /// The name of the kind in [`Setting::kind`](super::Setting::kind).
    const NAME: &'static str;

    fn parse(text: &str) -> Result<Self, String>;

    fn print(&self) -> String;

    /// Most of the drawn values are low.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self>;
}

/// A count or a size, sampled uniformly from an inclusive range.
impl SettingKind for RangeInclusive<u32> {
    const NAME: &'static str = "Count";

    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().replace('_', "").parse::<u32>().ok();
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        match (number(least), number(most.strip_prefix('=').unwrap_or(most))) {
            (Some(least), Some(most)) if least <= most => Ok(least..=most),
            (Some(least), Some(most)) => {
                Err(format!("found the reversed range `{text}`, expected the smaller number first: `{most}..{least}`"))
            }
            _ => Err(format!("found `{text}`, expected a number or a range such as `1..8`, below 2^32")),
        }
    }

    fn print(&self) -> String {
        match (self.start(), self.end()) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}..{most}"),
        }
    }

    /// Draws a range whose maximum is at most a random power of two.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        let power = bytes.int_in_range(0_u32..=7)?;
        let most = bytes.int_in_range(0..=1_u32 << power)?;
        let least = if bytes.arbitrary()? { most } else { bytes.int_in_range(0..=most)? };
        Ok(least..=most)
    }
}

impl SettingKind for u8 {
    const NAME: &'static str = "Percent";

    fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim().trim_end_matches('%').parse().ok().filter(|percent| *percent <= 100);
        number.ok_or_else(|| format!("found `{text}`, expected a percentage from 0 to 100"))
    }

    fn print(&self) -> String {
        self.to_string()
    }

    /// Draws 0, 100 or a random percentage.
    #[cfg(feature = "arbitrary")]
    fn draw(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        Ok(match bytes.int_in_range(0..=3)? {
            0 => 0,
            1 => 100,
            _ => bytes.int_in_range(0..=100)?,
        })
    }
}

/// A type with a fixed list of members from which a setting selects.
pub(super) trait Member: Copy + PartialEq + 'static {
    /// In the order of the schema, or from the oldest to the newest.
    const ALL: &'static [Self];
    /// The noun with its article, for error messages.
    const WHAT: &'static str;

    fn name(self) -> &'static str;
}

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
            return Err(format!(
                "found `{unknown}`, expected {}: {all}; join several with commas, or use `all`",
                T::WHAT
            ));
        }
        // Ignore the order of the names, so that the same selection always produces the same files.
        Ok(T::ALL.iter().copied().filter(|member| names.iter().any(|name| is(member, name))).collect())
    }

    fn print(&self) -> String {
        if self == T::ALL {
            return "all".to_string();
        }
        let names: Vec<&str> = self.iter().map(|member| member.name()).collect();
        names.join(",")
    }

    /// Draws one member or a random subset.
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
    const WHAT: &'static str = "a scalar type";

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

named! { all
    /// A generation of the program schema.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Generation {
        /// A file without a header. All constants and delegate blobs are in the FlatBuffer.
        Inline = "inline",
        /// A file with a 24-byte header, and segments for constants and delegate blobs.
        Segments = "segments",
        /// A file with `segment_data_size` in the header, which may have mutable data, named data and external tensors.
        Current = "current",
    }
}

impl Member for Generation {
    const ALL: &'static [Self] = &Generation::ALL;
    const WHAT: &'static str = "a generation";

    fn name(self) -> &'static str {
        Generation::name(self)
    }
}

/// Why a setting is invalid, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError(pub(super) String);

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for SettingError {}
