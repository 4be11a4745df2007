//! A span of bytes, for people.

use torchproof::Span;

/// The span, in a file of `len` bytes, in words.
pub(super) fn bytes_of(span: Span, len: u64) -> String {
    match span.len {
        0 if span.offset == len => format!("at {:#x} (end of file)", span.offset),
        0 => format!("at {:#x}", span.offset),
        1 => format!("1 byte at {:#x}", span.offset),
        count => format!("{count} bytes at {:#x}", span.offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_by_how_many_bytes_and_where() {
        for (offset, len, words) in [
            (0xc, 4, "4 bytes at 0xc"),
            (0x28, 1, "1 byte at 0x28"),
            (0x28, 0, "at 0x28"),
            (0x40, 0, "at 0x40 (end of file)"),
        ] {
            assert_eq!(bytes_of(Span::new(offset, len), 0x40), words);
        }
    }
}
