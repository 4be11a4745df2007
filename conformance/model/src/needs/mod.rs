//! **What programs need from a build**: backends, operators, memory and data.

mod backends;
mod budget;
mod build_files;
mod data;
mod methods;
mod operators;
pub mod similar;
mod state;
mod text;
mod values;

use std::collections::BTreeMap;

use serde::Serialize;
use torchproof::bundled::Bundled;
use torchproof::prediction::{BuildProfile, EffectTable, Release};
use torchproof::pte::Pte;
use torchproof_text::counted;
use torchproof_text::escape::plain_name;

use crate::ModelFile;
use crate::check::{CheckOptions, CheckedFile, FileResult};
pub use backends::{BackendNeeds, XNNPACK};
pub(crate) use backends::{blob, header as blob_header};
pub(crate) use budget::ItemBudget;
use budget::MOST_METHODS;
pub use data::DataNeeds;
pub(crate) use data::external_key;
pub(crate) use methods::buffers;
pub use methods::{ArenaNeeds, BufferNeeds, MethodNeeds, PortNeeds, TensorPort};
pub use operators::OperatorNeeds;
pub(crate) use state::kept;
pub(crate) use values::Values;

/// What programs need from the build that loads them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedsOutput {
    /// The needs of each program, in the order of the arguments.
    pub programs: Vec<ProgramNeeds>,
    /// The backends of all programs, by id.
    pub backends: BTreeMap<String, BackendNeeds>,
    /// The operators that all programs run outside delegates, by name and overload.
    pub operators: BTreeMap<String, OperatorNeeds>,
    #[serde(skip)]
    wheel: Option<BuildProfile>,
}

/// A program's needs. For a rejected program, only those that can be read.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramNeeds {
    /// The result of the check, with the predictions for all known releases.
    #[serde(flatten)]
    pub check: FileResult,
    /// The program's methods.
    pub methods: Vec<MethodNeeds>,
    /// The data that the program looks up by key.
    pub data: Vec<DataNeeds>,
    /// The number of methods left out: those beyond the first 1024, and others in a very large program.
    #[serde(skip_serializing_if = "budget::is_zero")]
    pub omitted_methods: u64,
    /// The number of items left out of the lists of a very large program.
    #[serde(skip_serializing_if = "budget::is_zero")]
    pub omitted_items: u64,
}

/// Returns what a program with its data files needs, with the predictions for all known releases.
#[must_use]
pub fn needs(file: &ModelFile<'_>, data: &[ModelFile<'_>]) -> NeedsOutput {
    let releases = EffectTable::get().releases();
    let checked = CheckOptions { releases, ..CheckOptions::default() }.examine(file, data);
    let mut needs = NeedsOutput::new();
    needs.add(checked, file, data, &EffectTable::get().releases());
    needs
}

impl Default for NeedsOutput {
    fn default() -> Self {
        Self::new()
    }
}

impl NeedsOutput {
    /// Returns empty needs, to which programs can be added.
    #[must_use]
    pub fn new() -> Self {
        let wheel = BuildProfile::wheels().last();
        Self { programs: Vec::new(), backends: BTreeMap::new(), operators: BTreeMap::new(), wheel }
    }

    /// Adds a program with its data files. Computes the arenas only for the given releases.
    pub fn add(&mut self, checked: CheckedFile, file: &ModelFile<'_>, data: &[ModelFile<'_>], releases: &[Release]) {
        // If the check exceeded a limit, a walk over the methods could take hours.
        let is_readable = checked.examined.as_ref().is_ok_and(|examined| examined.report.stopped.is_none());
        let check = FileResult::of(checked, false);
        // The program inside a bundled program is in memory.
        let bundled = Bundled::open_file_bytes(file.file_bytes()).and_then(|bundled| bundled.program_bytes());
        let inner = bundled.as_ref().ok().and_then(|bytes| ModelFile::open(file.path(), bytes).ok());
        let file = inner.as_ref().unwrap_or(file);
        let mut budget = ItemBudget::new(file.file_bytes().bytes().len());
        let (mut methods, mut keys, mut omitted_methods) = (Vec::new(), Vec::new(), 0);
        if let Some(program) = Pte::open_file_bytes(file.file_bytes()).ok().filter(|_| is_readable) {
            for method in program.methods().flatten().take(MOST_METHODS) {
                let Some(values) = Values::of(method, &mut budget) else { break };
                methods.extend(MethodNeeds::of(&program, method, &values, releases, !data.is_empty(), &mut budget));
                backends::add(&mut self.backends, &program, method, file, self.wheel.as_ref(), &mut budget);
                operators::add(&mut self.operators, method, &values, self.wheel.as_ref(), &mut budget);
            }
            omitted_methods = program.methods().flatten().count().saturating_sub(methods.len()) as u64;
            keys = data::of(&program, file, data, &mut budget);
        }
        let omitted_items = budget.omitted();
        self.programs.push(ProgramNeeds { check, methods, data: keys, omitted_methods, omitted_items });
    }

    /// Adds a file that cannot be examined.
    pub fn add_unexamined(&mut self, file: CheckedFile) {
        let (check, methods, data) = (FileResult::of(file, false), Vec::new(), Vec::new());
        self.programs.push(ProgramNeeds { check, methods, data, omitted_methods: 0, omitted_items: 0 });
    }

    /// Returns a line for each program with omissions, which says what was left out.
    pub fn omissions(&self) -> impl Iterator<Item = String> {
        let of = |program: &ProgramNeeds| {
            let all = [(program.omitted_methods, "method"), (program.omitted_items, "item")];
            let left_out = all.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count, noun));
            let left_out: Vec<String> = left_out.collect();
            format!("{} has too much to list; left out: {}", plain_name(&program.check.path), left_out.join(", "))
        };
        self.programs.iter().filter(|program| program.omitted_methods + program.omitted_items > 0).map(of)
    }

    /// Returns the newest release with predictions.
    #[must_use]
    pub fn newest() -> Option<Release> {
        EffectTable::get().releases().pop()
    }
}
