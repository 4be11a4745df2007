//! A whole file, ready to be written: its tables, its plan and the sources of its segments.

use std::format;
use std::io::Write;
use std::vec::Vec;

use super::source::{unwritten, zeros};
use super::{Plan, Source, WriteCause, WriteError};
use crate::FileKind;
use crate::Span;
use crate::check::{Checker, ReadAt, Unread};
use crate::flatbuffer::tree::TableTree;

/// A packed file, which [`check`](crate::check()) accepts. Its sources are read when it is written.
///
/// ```
/// use torchproof::ptd::pack::pack;
/// use torchproof::ptd::write::DataLayout;
/// use torchproof::write::{NamedDataStore, Source};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut store = NamedDataStore::new();
/// store.add("zeros", Source::Bytes(&[0; 1000]), 1, None)?;
/// let package = pack(store, &DataLayout::CURRENT)?;
/// let (len, base) = (package.plan().len(), package.plan().base());
/// assert_eq!(len, base + 1000);
/// let mut file = Vec::new();
/// package.stream(&mut file)?;
/// assert_eq!(file.len() as u64, len);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Package<'s> {
    root: TableTree,
    plan: Plan,
    sources: Vec<Source<'s>>,
}

impl<'s> Package<'s> {
    /// Takes what was planned, unless it breaks a must-rule of files of this kind.
    pub(crate) fn new(
        root: TableTree,
        plan: Plan,
        sources: Vec<Source<'s>>,
        kind: FileKind,
    ) -> Result<Self, WriteError> {
        let package = Self { root, plan, sources };
        expect_accepted(&Planned(&package), kind)?;
        Ok(package)
    }

    #[cfg(test)]
    pub(crate) fn unchecked(root: TableTree, plan: Plan, sources: Vec<Source<'s>>) -> Self {
        Self { root, plan, sources }
    }

    /// The tables with their segment indexes; the list of segments is in the plan.
    #[must_use]
    pub const fn root(&self) -> &TableTree {
        &self.root
    }

    /// Where everything goes.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Writes the file in pieces. Beyond the plan, it takes 64 KiB of memory.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: a source, or `out`; what was written is then of no use.
    pub fn stream(self, out: &mut dyn Write) -> Result<(), WriteError> {
        let Self { plan, sources, .. } = self;
        let mut buffer = Vec::new();
        out.write_all(plan.head()).map_err(unwritten)?;
        zeros(plan.base() - plan.head().len() as u64, out)?;
        let mut end = 0;
        for (segment, (source, place)) in sources.into_iter().zip(plan.places()).enumerate() {
            // An empty segment may have its place after the file's end.
            if place.len > 0 {
                zeros(place.offset - end, out)?;
                end = place.end();
            }
            source.copy(&mut buffer, out).map_err(|error| error.within(&format!("segments[{segment}]")))?;
        }
        zeros(plan.len() - plan.base() - end, out)?;
        out.flush().map_err(unwritten)
    }

    /// The file's bytes.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: a source, or the memory.
    pub fn into_bytes(self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        let len = usize::try_from(self.plan.len()).map_err(|_| WriteError::memory(self.plan.len()))?;
        bytes.try_reserve_exact(len).map_err(|_| WriteError::memory(self.plan.len()))?;
        self.stream(&mut bytes)?;
        Ok(bytes)
    }
}

/// The packed file for the check: zeros between the parts, and the segments that are in memory.
struct Planned<'p, 's>(&'p Package<'s>);

impl ReadAt for Planned<'_, '_> {
    fn len(&self) -> u64 {
        self.0.plan.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Unread> {
        let Package { plan, sources, .. } = self.0;
        let offset = offset.checked_sub(plan.base()).ok_or(Unread)?;
        let index = plan.places().partition_point(|place| place.end() <= offset);
        let (Some(place), Some(Source::Bytes(bytes))) = (plan.places().get(index), sources.get(index)) else {
            return Err(Unread);
        };
        let start = offset.checked_sub(place.offset).and_then(|start| usize::try_from(start).ok());
        let found = start.and_then(|start| bytes.get(start..)).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(found.ok_or(Unread)?);
        Ok(())
    }

    fn head(&self) -> &[u8] {
        self.0.plan.head()
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, Unread> {
        Ok(None)
    }
}

/// Nothing, if the file breaks no must-rule and is of this kind.
fn expect_accepted(file: &dyn ReadAt, kind: FileKind) -> Result<(), WriteError> {
    let mut report = Checker::new().max_findings(0).check_source(file);
    match (report.findings.pop(), report.stopped) {
        (Some(found), _) => {
            let message = format!("{} (breaks {})", found.message, found.rule);
            Err(WriteError::new(WriteCause::Rejected(found.rule.id), found.path, message))
        }
        (None, Some(why)) => Err(WriteError::new(WriteCause::Limit, "", format!("not checked to the end: {why}"))),
        (None, None) if report.kind != kind => {
            let message = format!("readers would take the {kind} file for {}", report.kind);
            Err(WriteError::new(WriteCause::Ambiguous, "", message))
        }
        (None, None) => Ok(()),
    }
}
