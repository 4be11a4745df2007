//! **What programs need from a build**: backends, operators, memory and data.

mod backends;
mod budget;
mod build_files;
mod data;
mod methods;
mod operators;
pub(crate) mod similar;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;
use torchproof::prediction::{BuildProfile, EffectTable, Release};
use torchproof::pte::Pte;
use torchproof_harness::disk::input::Input;

use crate::findings::CheckedFile;
use crate::findings::json::FileResult;
use backends::BackendNeeds;
use budget::ItemBudget;
use data::DataNeeds;
use methods::MethodNeeds;
use operators::OperatorNeeds;

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
    /// The number of items that the lists of a very large program omit.
    #[serde(skip_serializing_if = "is_zero")]
    omitted_items: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
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
        let mut budget = ItemBudget::new();
        let (mut methods, mut data) = (Vec::new(), Vec::new());
        if let Some(program) = Pte::open_file_bytes(input.file_bytes()).ok().filter(|_| is_readable) {
            for method in program.methods().flatten() {
                backends::add(&mut self.backends, &program, method, input, self.wheel.as_ref(), &mut budget);
                operators::add(&mut self.operators, method, self.wheel.as_ref(), &mut budget);
                let has_data = !companions.is_empty();
                methods.push(MethodNeeds::of(&program, method, releases, has_data, &mut budget));
            }
            data = data::of(&program, input, &companions, &mut budget);
        }
        self.programs.push(ProgramNeeds { check, methods, data, omitted_items: budget.omitted() });
    }

    /// The newest release with predictions.
    pub(crate) fn newest() -> Option<Release> {
        EffectTable::get().releases().pop()
    }
}
