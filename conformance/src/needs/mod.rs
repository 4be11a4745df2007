//! **What programs need from a build**: backends, operators, memory and data.

mod backends;
mod budget;
mod build_files;
mod data;
mod methods;
mod operators;
pub(crate) mod similar;
mod state;
mod text;
mod values;

use std::collections::BTreeMap;

use serde::Serialize;
use torchproof::prediction::{BuildProfile, EffectTable, Release};
use torchproof::pte::Pte;
use torchproof_harness::disk::input::Input;
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::plain_name;

use crate::findings::CheckedFile;
use crate::findings::json::FileResult;
use backends::BackendNeeds;
use budget::{ItemBudget, MOST_METHODS};
use data::DataNeeds;
use methods::MethodNeeds;
use operators::OperatorNeeds;
use values::Values;

/// What programs need from the build that loads them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct NeedsOutput {
    /// The needs of each program, in the order of the arguments.
    programs: Vec<ProgramNeeds>,
    /// The backends of all programs, by id.
    backends: BTreeMap<String, BackendNeeds>,
    /// The operators that all programs run outside delegates, by name and overload.
    operators: BTreeMap<String, OperatorNeeds>,
    #[serde(skip)]
    wheel: Option<BuildProfile>,
}

/// The needs of a program. A rejected program has those that can be read.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ProgramNeeds {
    /// The result of the check, with the predictions for all known releases.
    #[serde(flatten)]
    check: FileResult,
    /// The methods of the program.
    methods: Vec<MethodNeeds>,
    /// The data that the program looks up by key.
    data: Vec<DataNeeds>,
    /// The number of methods after the first 1024, and of others that a very large program has no room for.
    #[serde(skip_serializing_if = "budget::is_zero")]
    omitted_methods: u64,
    /// The number of items that the lists of a very large program omit.
    #[serde(skip_serializing_if = "budget::is_zero")]
    omitted_items: u64,
}

impl NeedsOutput {
    pub(crate) fn new() -> Self {
        let wheel = BuildProfile::wheels().last();
        Self { programs: Vec::new(), backends: BTreeMap::new(), operators: BTreeMap::new(), wheel }
    }

    /// Adds a program. Computes the arenas only for the given releases.
    pub(crate) fn add(&mut self, file: CheckedFile, input: &Input, releases: &[Release]) {
        // If the check exceeded a limit, a walk over the methods could take hours.
        let is_readable = file.examined.as_ref().is_ok_and(|examined| examined.report.stopped.is_none());
        let companions = file.examined.as_ref().map_or(&[][..], |examined| &examined.companions).to_vec();
        let check = FileResult::of(file, false);
        let mut budget = ItemBudget::new(input.file_bytes().bytes().len());
        let (mut methods, mut data, mut omitted_methods) = (Vec::new(), Vec::new(), 0);
        if let Some(program) = Pte::open_file_bytes(input.file_bytes()).ok().filter(|_| is_readable) {
            for method in program.methods().flatten().take(MOST_METHODS) {
                let Some(values) = Values::of(method, &mut budget) else { break };
                let has_data = !companions.is_empty();
                methods.extend(MethodNeeds::of(&program, method, &values, releases, has_data, &mut budget));
                backends::add(&mut self.backends, &program, method, input, self.wheel.as_ref(), &mut budget);
                operators::add(&mut self.operators, method, &values, self.wheel.as_ref(), &mut budget);
            }
            omitted_methods = program.methods().flatten().count().saturating_sub(methods.len()) as u64;
            data = data::of(&program, input, &companions, &mut budget);
        }
        self.programs.push(ProgramNeeds { check, methods, data, omitted_methods, omitted_items: budget.omitted() });
    }

    /// Adds a file that cannot be examined.
    pub(crate) fn add_unexamined(&mut self, file: CheckedFile) {
        let (check, methods, data) = (FileResult::of(file, false), Vec::new(), Vec::new());
        self.programs.push(ProgramNeeds { check, methods, data, omitted_methods: 0, omitted_items: 0 });
    }

    /// Says for each program with omissions what is left out.
    fn omissions(&self) -> impl Iterator<Item = String> {
        let of = |program: &ProgramNeeds| {
            let all = [(program.omitted_methods, "method"), (program.omitted_items, "item")];
            let left_out = all.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count, noun));
            let left_out: Vec<String> = left_out.collect();
            format!("{} has too much to list; left out: {}", plain_name(&program.check.path), left_out.join(", "))
        };
        self.programs.iter().filter(|program| program.omitted_methods + program.omitted_items > 0).map(of)
    }

    /// The newest release with predictions.
    pub(crate) fn newest() -> Option<Release> {
        EffectTable::get().releases().pop()
    }
}
