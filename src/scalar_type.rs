//! The element types of tensors in programs and data files.

use crate::flatbuffer::schema::enums;

enums! {
    /// The type of a tensor's elements.
    ///
    /// The numbers 8 to 10 (complex types) and 18 to 21 (bit types) are types of the runtime but not of the schema. The
    /// runtime accepts them, so [`ScalarType::element_size`] supports them.
    #[since = "0.1.0"]
    ScalarType {
        /// 8-bit unsigned.
        BYTE = 0,
        /// 8-bit signed.
        CHAR = 1,
        /// 16-bit signed.
        SHORT = 2,
        /// 32-bit signed.
        INT = 3,
        /// 64-bit signed.
        LONG = 4,
        /// IEEE 754 binary16.
        #[since = "0.2.0"]
        HALF = 5,
        /// IEEE 754 binary32.
        FLOAT = 6,
        /// IEEE 754 binary64.
        DOUBLE = 7,
        /// One byte, 0 or 1.
        BOOL = 11,
        /// 8-bit signed, quantized.
        QINT8 = 12,
        /// 8-bit unsigned, quantized.
        QUINT8 = 13,
        /// 32-bit signed, quantized.
        QINT32 = 14,
        /// bfloat16.
        #[since = "1.2.0"]
        BFLOAT16 = 15,
        /// Two 4-bit quantized values in a byte.
        QUINT4X2 = 16,
        /// Four 2-bit quantized values in a byte.
        QUINT2X4 = 17,
        /// 16 uninterpreted bits.
        #[since = "0.5.0"]
        BITS16 = 22,
        /// 8-bit float with 5 exponent bits.
        #[since = "0.5.0"]
        FLOAT8E5M2 = 23,
        /// 8-bit float with 4 exponent bits, without infinities.
        #[since = "0.5.0"]
        FLOAT8E4M3FN = 24,
        /// 8-bit float with 5 exponent bits, without infinities or negative zero.
        #[since = "0.5.0"]
        FLOAT8E5M2FNUZ = 25,
        /// 8-bit float with 4 exponent bits, without infinities or negative zero.
        #[since = "0.5.0"]
        FLOAT8E4M3FNUZ = 26,
        /// 16-bit unsigned.
        #[since = "0.5.0"]
        UINT16 = 27,
        /// 32-bit unsigned.
        #[since = "0.5.0"]
        UINT32 = 28,
        /// 64-bit unsigned.
        #[since = "0.5.0"]
        UINT64 = 29,
    }
}

impl ScalarType {
    /// Returns the size of one element in bytes, or `None` for a number below 0 or above 29.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// assert_eq!(ScalarType::FLOAT.element_size(), Some(4));
    /// assert_eq!(ScalarType(9).element_size(), Some(8)); // complex float: not in the schema, known to the runtime
    /// assert_eq!(ScalarType(30).element_size(), None);
    /// ```
    #[must_use]
    pub const fn element_size(self) -> Option<u64> {
        Some(match self.0 {
            0 | 1 | 11..=13 | 16..=21 | 23..=26 => 1,
            2 | 5 | 15 | 22 | 27 => 2,
            3 | 6 | 8 | 14 | 28 => 4,
            4 | 7 | 9 | 29 => 8,
            10 => 16,
            _ => return None,
        })
    }
}
