//! Bundled programs: the FlatBuffer around the program, the program, and whether the two fit.

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

use super::envelope::{Envelope, tally};
use super::finding::Reporter;
use super::source::Bytes;
use super::{File, StopReason, elements};
use crate::FileKind;
use tables::{BundledTables, PROGRAM};

impl File<'_, '_> {
    pub(super) fn check_bundled(&mut self, reporter: &mut Reporter<'_>) -> Result<(), StopReason> {
        let Some(region) = self.region(self.image.len(), reporter)? else { return Ok(()) };
        let pass = Envelope::new(BundledTables, reporter);
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

    /// The program, as a file of its own: all of it is held, since the FlatBuffer around it is. Answers whether its tables can be
    /// read again.
    fn check_program(&mut self, program: Vector<'_, u8>, reporter: &mut Reporter<'_>) -> Result<bool, StopReason> {
        let (bytes, place) = (program.as_bytes(), program.span());
        let path = &Path::ROOT.field(PROGRAM);
        if bytes.len() < 12 {
            let message = format_args!("program has {} bytes, which are no program", bytes.len());
            reporter.report(&rules::BP_PROGRAM, path, program.count_span(), message)?;
            return Ok(false);
        }
        // Other kinds are not looked into: a bundled program may not hold another.
        if FileKind::of_head(bytes) != FileKind::Pte {
            let found = crate::flatbuffer::identifier(bytes).unwrap_or_default();
            let message = format_args!("identifier is \"{}\", not \"ET12\": no program", found.escape_ascii());
            let at = Span::new(place.offset + 4, 4);
            reporter.report(&rules::BP_PROGRAM, path, at, message)?;
            return Ok(false);
        }
        let image = Image::whole(bytes);
        let held = Bytes { head: bytes, source: &image };
        let mut file = File::new(image, held, self.options, &mut *self.scratch);
        let checked = reporter.inside(PROGRAM, place.offset, |reporter| file.check(reporter));
        let (counted, sound) = (file.tally, file.sound);
        self.tally.tables = self.tally.tables.saturating_add(counted.tables);
        self.tally.apparent_size = self.tally.apparent_size.saturating_add(counted.apparent_size);
        checked.map(|()| sound)
    }

    /// The runs, against the methods that they are of.
    fn check_runs<'a>(
        &mut self,
        root: BundledProgram<'a>,
        plans: Vector<'a, ExecutionPlan<'a>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), StopReason> {
        // All tables can be read, or there would be a finding and no check of the runs.
        let Ok((methods, _)) = KeyIndex::new(Some(plans), self.scratch.words(plans.len())?) else { return Ok(()) };
        // A method without a name may be any.
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
                    let message = format_args!("no method of the program has this name");
                    reporter.report(&rules::BP_SUITES, &path.field("method_name"), name.span(), message)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// As many values as the method has inputs, and none or as many as it has outputs.
fn check_arity(
    case: BundledMethodTestCase<'_>,
    plan: ExecutionPlan<'_>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    if let (Ok(Some(given)), Ok(Some(wanted))) = (case.inputs(), plan.inputs())
        && given.len() != wanted.len()
    {
        let message = format_args!("{} values for the method's {} inputs", given.len(), wanted.len());
        reporter.report(&rules::BP_INPUT_ARITY, &path.field("inputs"), given.count_span(), message)?;
    }
    if let (Ok(Some(given)), Ok(Some(wanted))) = (case.expected_outputs(), plan.outputs())
        && given.len() != wanted.len()
        && !given.is_empty()
    {
        let message = format_args!("{} values for the method's {} outputs", given.len(), wanted.len());
        reporter.report(&rules::BP_INPUT_ARITY, &path.field("expected_outputs"), given.count_span(), message)?;
    }
    Ok(())
}
