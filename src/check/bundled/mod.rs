//! Checks of bundled programs: the outer FlatBuffer, the inner program, and the match between test cases and methods.

pub(super) mod tables;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;

use crate::bundled::schema::{BundledMethodTestCase, BundledProgram};
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, walk};
use crate::key_index::KeyIndex;
use crate::pte::Pte;
use crate::pte::schema::ExecutionPlan;
use crate::rules::bundled as rules;
use crate::{Image, Span};

use super::finding::Reporter;
use super::source::Bytes;
use super::structure::{StructureVisitor, tally};
use super::{File, StopReason, elements};
use crate::FileKind;
use tables::{BundledTables, PROGRAM};

impl File<'_, '_> {
    pub(super) fn check_bundled(&mut self, reporter: &mut Reporter<'_>) -> Result<(), StopReason> {
        let Some(region) = self.region(self.image.len(), reporter)? else { return Ok(()) };
        let pass = StructureVisitor::new(BundledTables, reporter);
        let (pass, counted, flow) = walk::<BundledProgram<'_>, _>(region, self.options.limits, pass);
        self.tally = counted;
        self.sound = pass.faults == 0;
        flow?;
        tally(counted, region, reporter)?;
        let root = crate::flatbuffer::Table::root(region).ok().map(BundledProgram::from_table);
        let Some((root, program)) = root.and_then(|root| Some((root, root.program().ok()??))) else { return Ok(()) };
        if self.check_program(program, reporter)?
            && self.sound
            && let Ok(program) = Pte::open(program.as_bytes())
            && let Ok(Some(plans)) = program.program().execution_plan()
        {
            self.check_runs(root, plans, reporter)?;
        }
        Ok(())
    }

    /// Checks the inner program as a standalone file.
    ///
    /// The program is entirely in memory. Returns whether the program's tables are readable.
    fn check_program(&mut self, program: Vector<'_, u8>, reporter: &mut Reporter<'_>) -> Result<bool, StopReason> {
        let (bytes, place) = (program.as_bytes(), program.span());
        let path = &Path::ROOT.field(PROGRAM);
        if bytes.len() < 12 {
            let message = format_args!("program has {} bytes, expected at least 12", bytes.len());
            reporter.report(&rules::BP_PROGRAM, path, program.count_span(), message)?;
            return Ok(false);
        }
        // The checker skips inner files of other kinds, because a bundled program must not contain another bundled
        // program.
        if FileKind::of_head(bytes) != FileKind::Pte {
            let found = crate::flatbuffer::identifier(bytes).unwrap_or_default();
            let message = format_args!("identifier is \"{}\", expected \"ET12\"", found.escape_ascii());
            let at = Span::new(place.offset + 4, 4);
            reporter.report(&rules::BP_PROGRAM, path, at, message)?;
            return Ok(false);
        }
        let image = Image::whole(bytes);
        let bytes = Bytes { head: bytes, source: &image };
        let mut file = File::new(image, bytes, self.options, &mut *self.scratch);
        let checked = reporter.inside(PROGRAM, place.offset, |reporter| file.check(reporter));
        let (counted, sound) = (file.tally, file.sound);
        self.unresolved = file.unresolved;
        self.tally.tables = self.tally.tables.saturating_add(counted.tables);
        self.tally.apparent_size = self.tally.apparent_size.saturating_add(counted.apparent_size);
        checked.map(|()| sound)
    }

    /// Checks the test cases against their methods.
    fn check_runs<'a>(
        &mut self,
        root: BundledProgram<'a>,
        plans: Vector<'a, ExecutionPlan<'a>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), StopReason> {
        // All tables are readable, because the checker calls this function only after a verification pass without
        // faults.
        let Ok((methods, _)) = KeyIndex::new(Some(plans), self.scratch.words(plans.len())?) else { return Ok(()) };
        // A suite without a matching method is an error only if every method has a name.
        let named = plans.iter().all(|plan| plan.is_ok_and(|plan| matches!(plan.name(), Ok(Some(_)))));
        let path = &Path::ROOT.field("method_test_suites");
        for (index, suite) in elements(root.method_test_suites()) {
            let path = &path.index(index);
            let Ok(Some(name)) = suite.method_name() else { continue };
            match methods.find(name.as_bytes()) {
                Ok(Some(plan)) => {
                    let path = &path.field("test_cases");
                    for (index, case) in elements(suite.test_cases()) {
                        check_arity(case, plan, &path.index(index), reporter)?;
                    }
                }
                Ok(None) if named => {
                    let message = format_args!("the program has no method with this name");
                    reporter.report(&rules::BP_SUITE_METHOD, &path.field("method_name"), name.span(), message)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Checks that a test case has one value per input, and either no expected outputs or one value per output.
fn check_arity(
    case: BundledMethodTestCase<'_>,
    plan: ExecutionPlan<'_>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    if let (Ok(Some(given)), Ok(Some(wanted))) = (case.inputs(), plan.inputs())
        && given.len() != wanted.len()
    {
        let message =
            format_args!("found {} values, expected one for each of the method's {} inputs", given.len(), wanted.len());
        reporter.report(&rules::BP_INPUT_ARITY, &path.field("inputs"), given.count_span(), message)?;
    }
    if let (Ok(Some(given)), Ok(Some(wanted))) = (case.expected_outputs(), plan.outputs())
        && given.len() != wanted.len()
        && !given.is_empty()
    {
        let message = format_args!(
            "found {} values, expected one for each of the method's {} outputs",
            given.len(),
            wanted.len()
        );
        reporter.report(&rules::BP_INPUT_ARITY, &path.field("expected_outputs"), given.count_span(), message)?;
    }
    Ok(())
}
