//! **Sizes in bytes** as text.

use std::fmt;

/// A number of bytes, displayed as `40.3 KiB (41256)` or `128 B`. The alternate form (`{:#}`) is exact: `16 GiB` for a
/// round number, and `41256 B` for any other number.
#[derive(Clone, Copy, Debug)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let bytes = self.0;
        let power = bytes.checked_ilog2().map_or(0, |bits| bits / 10);
        if power > 0 && !f.alternate() {
            let tenths = (u128::from(bytes) * 10) >> (10 * power);
            return write!(f, "{}.{} {} ({bytes})", tenths / 10, tenths % 10, UNITS[power as usize - 1]);
        }
        // Use the largest unit that divides the number.
        match bytes.checked_ilog2().map_or(0, |_| power.min(bytes.trailing_zeros() / 10)) {
            0 => write!(f, "{bytes} B"),
            power => write!(f, "{} {}", bytes >> (10 * power), UNITS[power as usize - 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(Size(41_256).to_string(), "40.2 KiB (41256)");
        assert_eq!(format!("{:#} {:#} {:#}", Size(16 << 30), Size(41_256), Size(0)), "16 GiB 41256 B 0 B");
    }
}
