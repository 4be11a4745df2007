//! **Deliveries**: the padding around a file at an offset, and the size limit of a file in memory.

use torchproof_protocol::Delivery;

/// The padding before and after a file for [`Delivery::FileAtOffset`]. It is as long as the largest page, so that the
/// offset is page-aligned everywhere. Its bytes are not zero, so that no reader mistakes them for the format's own padding.
pub static PADDING: [u8; 64 << 10] = [0xa5; 64 << 10];

/// The maximum size of a file that is copied into memory. The sparse files of some cases are larger.
pub const MOST_IN_MEMORY: u64 = 64 << 20;

/// The deliveries of a reader whose input is a pointer and a length. `Mmap` is first and therefore the default, because
/// it loads only the pages that the reader accesses.
pub const BY_POINTER: [Delivery; 4] = [Delivery::Mmap, Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];

/// Returns an error if a file of this size is too large for this delivery.
pub(crate) fn unsupported_size(delivery: Delivery, size: u64) -> Option<String> {
    let copies = matches!(delivery, Delivery::Buffer | Delivery::Unaligned | Delivery::Guard);
    let too_large = copies && size > MOST_IN_MEMORY;
    too_large
        .then(|| format!("found a file of {size} bytes, expected at most {MOST_IN_MEMORY} for delivery {delivery}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_copy_large_files_into_memory() {
        let too_large =
            |size| Delivery::ALL.into_iter().filter(move |delivery| unsupported_size(*delivery, size).is_some());
        assert_eq!(too_large(MOST_IN_MEMORY).count(), 0);
        let copied = [Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];
        assert_eq!(too_large(MOST_IN_MEMORY + 1).collect::<Vec<_>>(), copied);
    }
}
