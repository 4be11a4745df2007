//! **Delivery details of the runner**: padding around a file at an offset, and the in-memory size limit.

use torchproof_protocol::Delivery;

/// The bytes before and after a file that is delivered by [`Delivery::FileAtOffset`].
///
/// No system has larger pages than this padding. The bytes are not zero, because zeros look like padding.
pub static PADDING: [u8; 64 << 10] = [0xa5; 64 << 10];

/// The largest file that is copied into memory for a reader; a case may be a sparse file of many gigabytes.
pub const MOST_IN_MEMORY: u64 = 64 << 20;

/// The deliveries for a reader whose input is a pointer and a length.
///
/// The mapping comes first, because a mapping loads no bytes that the reader does not read.
pub const BY_POINTER: [Delivery; 4] = [Delivery::Mmap, Delivery::Buffer, Delivery::Unaligned, Delivery::Guard];

/// Returns the reason why a file of this size is not delivered this way, if there is one.
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
