//! The parts of a file that are neither in its canonical JSON nor in its segments.

use std::fmt;

use torchproof::FileKind;
use torchproof::bundled::Bundled;
use torchproof::bundled::schema::BundledProgram;
use torchproof::check::ReadAt;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::{Vector, verify};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::pte::schema::Program;
use torchproof::{Limits, Span, view};
use torchproof_harness::disk::input::Input;

/// A part of a file that is neither in its canonical JSON nor in its segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutPart {
    Newer {
        table: &'static str,
        slot: u16,
        others: bool,
    },
    /// Padding or an appended file after the last segment.
    After(Span),
    /// A gap between two parts, from its first nonzero byte on.
    Between(Span),
}

impl LeftOutPart {
    /// Lists the omitted parts of a file that [`view::File::open`] accepts; fields from a newer schema come first.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use torchproof_cli::document::LeftOutPart;
    /// use torchproof_harness::disk::input::Input;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("padded.ptd");
    /// let mut bytes = torchproof::corpus::find("ptd/valid/tensors").expect("a case").build().bytes;
    /// bytes.extend(b"padding");
    /// std::fs::write(&path, bytes)?;
    /// let left_out = LeftOutPart::of(&Input::open(&path)?)?;
    /// assert!(matches!(left_out[..], [LeftOutPart::After(span)] if span.len == 7));
    /// # Ok(()) }
    /// ```
    pub fn of(input: &Input) -> Result<Vec<Self>, view::ViewError> {
        let file_bytes = input.file_bytes();
        let file = view::File::open(file_bytes)?;
        let whole = Span::new(0, file_bytes.len());
        let (extent, around) = match file.kind() {
            FileKind::Pte => (Extent::of_program(&Pte::open_file_bytes(file_bytes)?, whole), None),
            FileKind::Bpte => {
                let bundle = Bundled::open_file_bytes(file_bytes)?;
                let program = bundle.root().program().map_err(torchproof::Error::from)?;
                let program = Extent::of_program(&bundle.program()?, program.map_or(whole, Vector::span));
                (program, Some(Extent::of_tables::<BundledProgram<'_>>(file_bytes.bytes(), whole)))
            }
            _ => {
                let file = Ptd::open_file_bytes(file_bytes)?;
                let base = file.header().segment_base_offset;
                (Extent { whole, flatbuffer: file.region().len() as u64, base }, None)
            }
        };
        let newer = file.newer_fields();
        let others = newer.len() > 1;
        let newer = newer.first().map(|(table, slot)| LeftOutPart::Newer { table, slot: *slot, others });
        let inside = left_out(input, &file.segments()?, extent);
        let around = around.map_or_else(Vec::new, |around| left_out(input, &[], around));
        Ok(newer.into_iter().chain(inside).chain(around).collect())
    }
}

impl fmt::Display for LeftOutPart {
    /// Text such as `12 bytes at 4711, after the last segment`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (span, place) = match self {
            LeftOutPart::Newer { table, slot, others: false } => {
                return write!(f, "slot {slot} of {table}, a field from a newer schema");
            }
            LeftOutPart::Newer { table, slot, others: true } => {
                return write!(f, "slot {slot} of {table} and other fields from a newer schema");
            }
            LeftOutPart::After(span) => (span, "after the last segment"),
            LeftOutPart::Between(span) => (span, "outside the segments and not all zero"),
        };
        write!(f, "{} byte{} at {}, {place}", span.len, if span.len == 1 { "" } else { "s" }, span.offset)
    }
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    whole: Span,
    /// The FlatBuffer's length. It begins at the same byte as the program or data file.
    flatbuffer: u64,
    /// The segment base relative to the start of `whole`, or the length of `whole` for a file without segments.
    base: u64,
}

impl Extent {
    fn of_program(file: &Pte<'_>, whole: Span) -> Self {
        match file.header() {
            Some(header) => Self { whole, flatbuffer: file.region().len() as u64, base: header.segment_base_offset },
            None => Self::of_tables::<Program<'_>>(file.region(), whole),
        }
    }

    /// Without a header, nothing gives the FlatBuffer's size, so it is assumed to end with its last part.
    fn of_tables<'a, T: TableView<'a>>(region: &'a [u8], whole: Span) -> Self {
        // If the FlatBuffer exceeds a limit of the verifier, the end of its last part is unknown.
        let flatbuffer = verify::<T>(region, Limits::DEFAULT, |_, _| ()).map_or(whole.len, |found| found.used.end());
        Self { whole, flatbuffer, base: whole.len }
    }
}

fn left_out(input: &Input, segments: &[Span], extent: Extent) -> Vec<LeftOutPart> {
    let Extent { whole, flatbuffer, base } = extent;
    let (start, file) = (whole.offset, whole.end());
    // An empty part at the segment base separates the gaps before and after it.
    let base = Span::new(start.saturating_add(base).min(file), 0);
    let mut parts = [segments, &[Span::new(start, flatbuffer), base]].concat();
    parts.sort_by_key(|part| part.offset);
    let (mut end, mut found) = (start, Vec::new());
    for part in parts {
        let gap = Span::new(end, part.offset.min(file).saturating_sub(end));
        if gap.len > 0
            && let Ok(Some(at)) = input.first_nonzero(gap)
        {
            found.push(LeftOutPart::Between(Span::new(at, gap.end() - at)));
        }
        end = end.max(part.offset.saturating_add(part.len));
    }
    if file > end {
        found.push(LeftOutPart::After(Span::new(end, file - end)));
    }
    found
}
