//! **What the runner adds to deliveries**: the bytes around a file at an offset, and the largest file that it puts into memory.

use torchproof_protocol::Delivery;

/// The bytes before and after a file that is delivered by [`Delivery::FileAtOffset`]: no page is larger. They are not zero, which
/// would look like padding.
pub static PADDING: [u8; 64 << 10] = [0xa5; 64 << 10];

/// A larger file is not copied into memory for a reader: a case may be a sparse file of many gigabytes.
pub const MOST_IN_MEMORY: u64 = 64 << 20;

/// The deliveries of a reader that takes a pointer and a length; a mapping first, which costs nothing for what is not read.
pub const BY_POINTER: [Delivery; 4] = [Delivery::Mmap, Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];

/// Why a file of this size is not delivered so, if it is not.
pub(crate) fn refusal(delivery: Delivery, size: u64) -> Option<String> {
    let copies = matches!(delivery, Delivery::Buffer | Delivery::Unaligned | Delivery::Guard);
    let refused = copies && size > MOST_IN_MEMORY;
    refused.then(|| format!("a file of {size} bytes is too large to be put into memory for {delivery}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_not_copied_into_memory() {
        let refused = |size| Delivery::ALL.into_iter().filter(move |delivery| refusal(*delivery, size).is_some());
        assert_eq!(refused(MOST_IN_MEMORY).count(), 0);
        let copied = [Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];
        assert_eq!(refused(MOST_IN_MEMORY + 1).collect::<Vec<_>>(), copied);
    }
}
