//! **Delivery**: the way in which a reader gets the bytes of its files.
//!
//! The same bytes by another way are another test: what reads past the end of a file is only seen where nothing is behind it, and
//! what takes for granted that a file begins at a round address only where it does not.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A way in which a reader gets the bytes of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Whole in memory, at an address that is a multiple of 16 or more.
    Buffer,
    /// Whole in memory, at an odd address.
    Unaligned,
    /// By its path.
    File,
    /// By the path of a larger file, and the place in it, which begins at a multiple of every page size.
    FileAtOffset,
    /// By a mapping of the file.
    Mmap,
    /// Whole in memory, up to the very end of a page behind which nothing may be read: to read one byte too many is fatal. Its
    /// start is then as aligned as its length is.
    Guard,
}

/// The bytes of others before and behind a file that is delivered by [`Delivery::FileAtOffset`]: no page is larger. They are no
/// zeros, which would be taken for padding of its own.
pub static PADDING: [u8; 64 << 10] = [0xa5; 64 << 10];

/// What is larger is not put into memory for a reader: a case may be a sparse file of many gigabytes.
pub const MOST_IN_MEMORY: u64 = 64 << 20;

impl Delivery {
    /// Every way, in the order of documentation.
    pub const ALL: [Delivery; 6] = [
        Delivery::Buffer,
        Delivery::Unaligned,
        Delivery::File,
        Delivery::FileAtOffset,
        Delivery::Mmap,
        Delivery::Guard,
    ];

    /// The ways that a reader gets which takes a pointer and a length; a mapping first, which costs nothing for what is not read.
    pub const BY_POINTER: [Delivery; 4] = [Delivery::Mmap, Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];

    /// Its name in the protocol, in reports and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Delivery::Buffer => "buffer",
            Delivery::Unaligned => "unaligned",
            Delivery::File => "file",
            Delivery::FileAtOffset => "file-at-offset",
            Delivery::Mmap => "mmap",
            Delivery::Guard => "guard",
        }
    }

    /// Why a file of this size is not delivered so, if it is not: it would be copied into memory, and is larger than
    /// [`MOST_IN_MEMORY`].
    #[must_use]
    pub fn refusal(self, size: u64) -> Option<String> {
        let copies = matches!(self, Delivery::Buffer | Delivery::Unaligned | Delivery::Guard);
        let refused = copies && size > MOST_IN_MEMORY;
        refused.then(|| format!("a file of {size} bytes is too large to be put into memory for {self}"))
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Delivery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|delivery| delivery.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no delivery is called `{text}`; there are {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_not_copied_into_memory() {
        let refused = |size| Delivery::ALL.into_iter().filter(move |delivery| delivery.refusal(size).is_some());
        assert_eq!(refused(MOST_IN_MEMORY).count(), 0);
        let copied = [Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];
        assert_eq!(refused(MOST_IN_MEMORY + 1).collect::<Vec<_>>(), copied);
    }

    #[test]
    fn names_are_those_of_the_protocol() {
        for delivery in Delivery::ALL {
            assert_eq!(delivery.name().parse(), Ok(delivery));
            assert_eq!(serde_json::to_value(delivery).ok(), Some(delivery.name().into()));
        }
        let refused = "stdin".parse::<Delivery>();
        let list = "no delivery is called `stdin`; there are buffer, unaligned, file, file-at-offset, mmap, guard";
        assert_eq!(refused, Err(list.to_owned()));
    }
}
