//! How far apart the numbers in two tensors are.

use serde::Serialize;
use torchproof::Span;
use torchproof::check::ReadAt;

/// The distance between two tensors of the same type and shape.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Distance {
    /// The number of elements.
    pub elements: u64,
    /// The number of elements that differ.
    pub differ: u64,
    /// The largest absolute difference, ignoring pairs with a NaN or an infinity.
    pub max: f64,
    /// The mean absolute difference over all elements.
    pub mean: f64,
}

impl Distance {
    /// Returns `None` if the type has no numbers, or the bytes cannot be read.
    pub(super) fn between(dtype: &str, a: (&dyn ReadAt, Span), b: (&dyn ReadAt, Span)) -> Option<Self> {
        let decode = decoder(dtype)?;
        let size = decode.size as u64;
        let (mut differ, mut max, mut sum) = (0, 0.0_f64, 0.0);
        let mut pieces = [[0; 1 << 13]; 2];
        let (mut at, len) = (0, a.1.len - a.1.len % size);
        while at < len {
            let count = usize::try_from(len - at).map_or(1 << 13, |left| left.min(1 << 13));
            let [one, other] = &mut pieces;
            a.0.read_at(a.1.offset + at, &mut one[..count]).ok()?;
            b.0.read_at(b.1.offset + at, &mut other[..count]).ok()?;
            let elements = one[..count].chunks_exact(decode.size).zip(other[..count].chunks_exact(decode.size));
            for (one, other) in elements.filter(|(one, other)| one != other) {
                differ += 1;
                let distance = ((decode.number)(one) - (decode.number)(other)).abs();
                if distance.is_finite() {
                    max = max.max(distance);
                    sum += distance;
                }
            }
            at += count as u64;
        }
        let elements = len / size;
        #[allow(clippy::cast_precision_loss, reason = "a mean")]
        let mean = if elements == 0 { 0.0 } else { sum / elements as f64 };
        Some(Self { elements, differ, max, mean })
    }
}

struct Decoder {
    size: usize,
    number: fn(&[u8]) -> f64,
}

macro_rules! decode {
    ($type:ty) => {
        Decoder {
            size: size_of::<$type>(),
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "a distance needs no more precision")]
            number: |bytes| bytes.try_into().map_or(0.0, |bytes| <$type>::from_le_bytes(bytes) as f64),
        }
    };
}

fn decoder(dtype: &str) -> Option<Decoder> {
    Some(match dtype {
        "FLOAT" => decode!(f32),
        "DOUBLE" => decode!(f64),
        "HALF" => Decoder { size: 2, number: half },
        "BFLOAT16" => Decoder { size: 2, number: |bytes| f64::from(f32::from_bits(u32::from(bits(bytes)) << 16)) },
        "BYTE" | "QUINT8" | "BOOL" => decode!(u8),
        "CHAR" | "QINT8" => decode!(i8),
        "SHORT" => decode!(i16),
        "INT" | "QINT32" => decode!(i32),
        "LONG" => decode!(i64),
        "UINT16" => decode!(u16),
        "UINT32" => decode!(u32),
        "UINT64" => decode!(u64),
        _ => return None,
    })
}

fn bits(bytes: &[u8]) -> u16 {
    bytes.try_into().map_or(0, u16::from_le_bytes)
}

/// Decodes an IEEE 754 binary16 number.
fn half(bytes: &[u8]) -> f64 {
    let bits = bits(bytes);
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff) / 1024.0);
    let size = match exponent {
        0 => fraction * 2.0_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
    };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_each_width_are_decoded() {
        let number = |dtype, bytes: &[u8]| (decoder(dtype).map(|decoder| (decoder.number)(bytes))).unwrap_or(f64::NAN);
        assert_eq!(number("HALF", &[0x00, 0x3c]), 1.0);
        assert_eq!(number("HALF", &[0x01, 0x80]), -(2.0_f64.powi(-24)));
        assert_eq!(number("HALF", &[0x00, 0xfc]), f64::NEG_INFINITY);
        assert_eq!(number("BFLOAT16", &[0x80, 0xbf]), -1.0);
        assert_eq!(number("CHAR", &[0xff]), -1.0);
        assert!(decoder("QUINT4X2").is_none());
    }

    #[test]
    fn the_distance_counts_elements_that_differ() {
        let [one, other] =
            [[1.0_f32, 2.0, 3.0, f32::NAN], [1.0, 2.5, 1.0, 0.0]].map(|all| all.map(f32::to_le_bytes).concat());
        let span = Span::new(0, 16);
        let found = Distance::between("FLOAT", (&one, span), (&other, span))
            .map(|found| (found.elements, found.differ, found.max, found.mean));
        assert_eq!(found, Some((4, 3, 2.0, 0.625)));
    }
}
