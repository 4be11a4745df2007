//! The visitor that turns the verification pass's faults into findings.

use crate::Span;
use crate::flatbuffer::schema::TableType;
use crate::flatbuffer::walk::{Flow, Path, Tally, VisitedTable, Visitor};
use crate::flatbuffer::{Fault, Str};
use crate::names::last_word;
use crate::rules::{RuleKey, flatbuffer as rules, values};

use super::finding::Reporter;

/// The checks of one file format that need only one table at a time.
pub(super) trait Tables<'a> {
    /// The rule for a vector of bytes that the schema aligns to `_align` bytes.
    fn alignment_rule(_align: usize) -> RuleKey {
        rules::FB_FORCE_ALIGN.key()
    }

    /// Called for a table whose type has the given id, before its children are visited.
    fn enter(&mut self, _id: u8, _table: &VisitedTable<'_, 'a>, _path: &Path<'_>) {}

    fn table(&mut self, id: u8, table: &VisitedTable<'_, 'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow;
}

pub(super) struct StructureVisitor<'r, R, F> {
    pub(super) format: F,
    pub(super) reporter: &'r mut R,
    /// How many structural must-rules the FlatBuffer violates, counting each violation.
    pub(super) faults: u32,
    /// `true` if a finding already reports a field outside its object. One finding per file is enough, because a writer
    /// with this defect repeats it in many tables.
    outside_object: bool,
}

impl<'r, R: Reporter, F> StructureVisitor<'r, R, F> {
    #[inline(always)]
    pub(super) fn new(format: F, reporter: &'r mut R) -> Self {
        Self { format, reporter, faults: 0, outside_object: false }
    }
}

impl<'a, R: Reporter, F: Tables<'a>> Visitor<'a> for StructureVisitor<'_, R, F> {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        self.faults += 1;
        self.reporter.report(crate::rules::of_fault(fault.code), path, fault.span, format_args!("{}", fault.sentence()))
    }

    fn outside_object(&mut self, field: &Fault, object_len: u16, path: &Path<'_>) -> Flow {
        if self.reporter.must_only() || core::mem::replace(&mut self.outside_object, true) {
            return Ok(());
        }
        let end = field.have;
        let message =
            format_args!("field ends at byte {end} of its table, outside bytes 4 to {object_len} of the object");
        self.reporter.report(&rules::FB_OBJECT_SIZE, path, field.span, message)
    }

    fn enter(&mut self, ty: &'static TableType, table: &VisitedTable<'_, 'a>, path: &Path<'_>) -> Flow {
        self.format.enter(ty.id, table, path);
        Ok(())
    }

    fn table(&mut self, ty: &'static TableType, table: &VisitedTable<'_, 'a>, path: &Path<'_>) -> Flow {
        self.format.table(ty.id, table, path, self.reporter)
    }

    fn string(&mut self, string: Str<'a>, path: &Path<'_>) -> Flow {
        if self.reporter.must_only() || is_plain(string.as_bytes()) {
            return Ok(());
        }
        self.unusual_string(string, path)
    }

    fn bools(&mut self, bytes: &'a [u8], at: usize, listed: bool, path: &Path<'_>) -> Flow {
        if self.reporter.must_only() {
            return Ok(());
        }
        match bytes.iter().position(|byte| *byte > 1) {
            None => Ok(()),
            Some(index) => {
                let message = format_args!("bool is {}, expected 0 or 1", bytes[index]);
                // Another rule covers the only field that is a list of bools.
                let rule = if listed { values::VAL_BOOLLIST.key() } else { rules::FB_BOOL_CANONICAL.key() };
                self.reporter.report(rule, path, Span::of(at + index, 1), message)
            }
        }
    }

    fn aligned(&mut self, elements: Span, align: usize, path: &Path<'_>) -> Flow {
        if self.reporter.must_only() || elements.offset.is_multiple_of(align as u64) || elements.len == 0 {
            return Ok(());
        }
        let message = format_args!("bytes begin at {:#x}, expected a multiple of {align}", elements.offset);
        self.reporter.report(F::alignment_rule(align), path, elements, message)
    }
}

impl<'a, R: Reporter, F: Tables<'a>> StructureVisitor<'_, R, F> {
    #[cold]
    fn unusual_string(&mut self, string: Str<'_>, path: &Path<'_>) -> Flow {
        let bytes = string.as_bytes();
        if let Err(error) = string.to_str() {
            let at = Span::new(string.span().offset + error.valid_up_to() as u64, 1);
            let message = format_args!("the string is not UTF-8 at byte {}", error.valid_up_to());
            self.reporter.report(&rules::FB_STRING_UTF8, path, at, message)?;
        }
        // A string that is not a name may contain NULs.
        if NO_NAMES.iter().any(|field| path.has_field(field)) {
            return Ok(());
        }
        if let Some(index) = bytes.iter().position(|byte| *byte == 0) {
            let at = Span::new(string.span().offset + index as u64, 1);
            let message = format_args!("the string of {} bytes contains a NUL at byte {index}", bytes.len());
            self.reporter.report(&rules::FB_STRING_NO_EMBEDDED_NUL, path, at, message)?;
        }
        Ok(())
    }
}

/// Fields whose strings are free text or values instead of names, in the field itself or in child tables.
const NO_NAMES: [&str; 3] = ["string_val", "stacktrace", "container_meta_type"];

/// Returns whether every byte is nonzero ASCII, in which case the string needs no further check.
#[inline]
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const LOW: u64 = 0x0101_0101_0101_0101;
    // Subtracting 1 sets a zero byte's high bit, and the bitwise OR adds the high bits of the original bytes.
    let plain = |word: u64| (word.wrapping_sub(LOW) | word) & HIGH == 0;
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().all(|word| plain(u64::from_le_bytes(*word))) && plain(last_word(bytes))
}

/// How many tables the FlatBuffers verifiers accept before they stop.
pub(super) const MOST_TABLES: u32 = 1_000_000;

/// Reports totals that exceed common readers' limits, such as the number of tables.
pub(super) fn tally(tally: Tally, region: &[u8], reporter: &mut impl Reporter) -> Flow {
    let whole = Span::of(0, region.len());
    if tally.tables > MOST_TABLES {
        let message = format_args!(
            "found {} tables, expected at most 1000000, where the FlatBuffers verifiers stop",
            tally.tables
        );
        reporter.report(&rules::FB_MAX_TABLES, &Path::ROOT, whole, message)?;
    }
    if tally.apparent_size > region.len() as u64 {
        let message = format_args!(
            "tables, vectors and strings have {} bytes in a FlatBuffer of {}, because some are shared",
            tally.apparent_size,
            region.len()
        );
        reporter.report(&rules::FB_DAG_NO_AMPLIFICATION, &Path::ROOT, whole, message)?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
