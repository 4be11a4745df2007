//! Checks bundled programs: the outer FlatBuffer, the inner program, and whether test cases match methods.

pub(super) mod tables;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
mod values;

use crate::bundled::schema::brief::{BundledMethodTestCase, BundledProgram, Value};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, walk};
use crate::flatbuffer::{Broken, Str, Table, Vector};
use crate::names::{self, SeenNames};
use crate::pte::Pte;
use crate::pte::schema::brief::{EValue, ExecutionPlan, Program};
use crate::rules::bundled as rules;
use crate::{FileBytes, Span};

use super::finding::Reporter;
use super::source::Bytes;
use super::structure::{StructureVisitor, tally};
use super::{File, StopReason, elements};
use crate::FileKind;
use tables::{BundledTables, PROGRAM};

impl File<'_, '_> {
    pub(super) fn check_bundled(&mut self, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        let Some(region) = self.region(self.file_bytes.len(), reporter)? else { return Ok(()) };
        let mut pass = StructureVisitor::new(BundledTables, reporter);
        let (counted, flow) = walk::<BundledProgram<'_>>(region, self.options.limits, &mut pass);
        self.tally = counted;
        self.sound = pass.faults == 0;
        flow?;
        tally(counted, region, reporter)?;
        let root = Table::open_root::<Broken>(region).ok().map(BundledProgram::from_table);
        let Some((root, program)) = root.and_then(|root| Some((root, root.program().ok()??))) else { return Ok(()) };
        if self.check_program(program, reporter)?
            && self.sound
            && let Ok(program) = Pte::open(program.as_bytes())
            && let Ok(Some(plans)) = Program::from_table(program.program().table()).execution_plan()
        {
            self.check_runs(root, plans, reporter)?;
        }
        Ok(())
    }

    /// Checks the inner program as a standalone file; its bytes are in memory. Returns whether its tables are readable.
    fn check_program(&mut self, program: Vector<'_, u8>, reporter: &mut impl Reporter) -> Result<bool, StopReason> {
        let (bytes, place) = (program.as_bytes(), program.span());
        let path = &Path::ROOT.field(PROGRAM);
        if bytes.len() < 12 {
            let message = format_args!("program has {} bytes, expected at least 12", bytes.len());
            reporter.report(&rules::BP_PROGRAM, path, program.count_span(), message)?;
            return Ok(false);
        }
        // If the inner file is not a program but, say, another bundle, report only that and do not check its content.
        if FileKind::of_head(bytes) != FileKind::Pte {
            let found = crate::flatbuffer::identifier(bytes).unwrap_or_default();
            let message = format_args!("identifier is \"{}\", expected \"ET12\"", found.escape_ascii());
            let at = Span::new(place.offset + 4, 4);
            reporter.report(&rules::BP_PROGRAM, path, at, message)?;
            return Ok(false);
        }
        let file_bytes = FileBytes::whole(bytes);
        let bytes = Bytes { head: bytes, source: &file_bytes };
        let mut file = File::new(file_bytes, bytes, self.options, &mut *self.scratch);
        let checked = reporter.inside(PROGRAM, place.offset, |reporter| file.check(reporter));
        let (counted, sound) = (file.tally, file.sound);
        (self.unresolved, self.unresolved_keys) = (file.unresolved, file.unresolved_keys);
        self.tally.tables = self.tally.tables.saturating_add(counted.tables);
        self.tally.apparent_size = self.tally.apparent_size.saturating_add(counted.apparent_size);
        checked.map(|()| sound)
    }

    fn check_suite_names(&mut self, root: BundledProgram<'_>, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        let Ok(Some(suites)) = root.method_test_suites() else { return Ok(()) };
        let name = |index| suites.get(index).and_then(|suite| suite.ok()?.method_name().ok()?);
        let path = &Path::ROOT.field("method_test_suites");
        let words = self.scratch.words(suites.len())?;
        Ok(SeenNames::of_list(words, &name).equal_names(&name, &mut |later, earlier| {
            let place = name(later).map_or(Span::new(0, 0), Str::span);
            let message = format_args!("method_name equals that of suite {earlier}; readers use only suite {earlier}");
            reporter.report(&rules::BP_SUITE_UNIQUE, &path.index(later).field("method_name"), place, message)
        })?)
    }

    fn check_runs<'a>(
        &mut self,
        root: BundledProgram<'a>,
        plans: Vector<'a, ExecutionPlan<'a>>,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        self.check_suite_names(root, reporter)?;
        // Values are compared only if the bundle and its program break no must-rule.
        let matches = !reporter.has_must();
        let method = |index| plans.get(index).and_then(|plan| plan.ok()?.name().ok()?);
        let methods = SeenNames::of_list(self.scratch.words(plans.len())?, &method).sorted(&method);
        // A suite without a match may be for a method without a name. If all methods have names, the suite is wrong.
        let named = plans.iter().all(|plan| plan.is_ok_and(|plan| matches!(plan.name(), Ok(Some(_)))));
        let path = &Path::ROOT.field("method_test_suites");
        for (index, suite) in elements(root.method_test_suites()) {
            let path = &path.index(index);
            let Ok(Some(name)) = suite.method_name() else { continue };
            match names::find(methods, &method, name.as_bytes()).and_then(|index| plans.get(index)) {
                Some(Ok(plan)) => {
                    let path = &path.field("test_cases");
                    for (index, case) in elements(suite.test_cases()) {
                        check_case(case, plan, matches, &path.index(index), reporter)?;
                    }
                }
                None if named => {
                    let message = format_args!("the program has no method with this name");
                    reporter.report(&rules::BP_SUITE_METHOD, &path.field("method_name"), name.span(), message)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Checks that a test case has one value per input of the method and, unless the list of expected outputs is empty, one
/// per output. If `matches` is true, also compares each value with the method's input or output.
fn check_case<R: Reporter>(
    case: BundledMethodTestCase<'_>,
    plan: ExecutionPlan<'_>,
    matches: bool,
    path: &Path<'_>,
    reporter: &mut R,
) -> Flow {
    let lists = [
        ("inputs", "inputs", case.inputs(), plan.inputs(), values::input as CheckValue<R>),
        ("expected_outputs", "outputs", case.expected_outputs(), plan.outputs(), values::output),
    ];
    for (field, noun, given, wanted, check) in lists {
        let (Ok(Some(given)), Ok(Some(wanted))) = (given, wanted) else { continue };
        let path = &path.field(field);
        if given.is_empty() && noun == "outputs" {
            continue;
        }
        if given.len() != wanted.len() {
            let message = format_args!(
                "found {} values, expected one for each of the method's {} {noun}",
                given.len(),
                wanted.len()
            );
            reporter.report(&rules::BP_INPUT_ARITY, path, given.count_span(), message)?;
            continue;
        }
        let Some(own) = plan.values().ok().flatten().filter(|_| matches) else { continue };
        for (index, value) in elements(Ok(Some(given))) {
            let place = wanted.get(index).and_then(|place| usize::try_from(place).ok());
            if let Some(Ok(own)) = place.and_then(|place| own.get(place)) {
                check(value, own, &path.index(index), reporter)?;
            }
        }
    }
    Ok(())
}

type CheckValue<R> = fn(Value<'_>, EValue<'_>, &Path<'_>, &mut R) -> Flow;
