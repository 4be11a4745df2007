//! What the figures come to: lines, JSON, and `RESULTS.md`. Nothing here measures, so that a test can write it again.

use std::fmt::Write;

use crate::figure::Figure;

/// The names that figures go by.
pub(crate) mod names {
    pub(crate) const CHECK: &str = "check";
    pub(crate) const OPEN: &str = "open and look up one";
    pub(crate) const LOOK_UP: &str = "look up one";
    pub(crate) const TORCHPROOF: &str = "torchproof";
    pub(crate) const STRUCTURE: &str = "torchproof, structure";
    pub(crate) const CPP: &str = "flatbuffers C++";
    pub(crate) const RUST: &str = "flatbuffers Rust";
    pub(crate) const MINIMAL: &str = "Program::load, Minimal";
    pub(crate) const INTERNAL: &str = "Program::load, InternalConsistency";
    pub(crate) const CPP_DATA: &str = "FlatTensorDataMap::load";
    pub(crate) const SAFETENSORS: &str = "safetensors";
    pub(crate) const INDEXED: &str = "torchproof, indexed";
    pub(crate) const LINEAR: &str = "torchproof, search";
    pub(crate) const MEMCPY: &str = "memcpy";
    pub(crate) const PAGES: &str = "a byte a page";
}

use names::{
    CHECK, CPP, CPP_DATA, INDEXED, INTERNAL, LINEAR, LOOK_UP, MEMCPY, MINIMAL, OPEN, PAGES, RUST, SAFETENSORS,
    STRUCTURE, TORCHPROOF,
};

/// What is to be reached.
#[derive(Debug)]
pub(crate) struct Goal {
    /// What is held against what.
    what: &'static str,
    /// At most this.
    most: f64,
    /// What was measured, the worst of all inputs, and on which; `None` when something was not there to be measured.
    got: Option<(f64, String)>,
}

impl Goal {
    fn verdict(&self) -> &'static str {
        match &self.got {
            None => "not measured",
            Some((got, _)) if *got <= self.most => "met",
            Some(_) => "not met",
        }
    }
}

/// The goals, each with its worst figure.
pub(crate) fn goals(figures: &[Figure]) -> Vec<Goal> {
    let ratios = |subject: &'static str, to: &'static str, of: &dyn Fn(&Figure) -> bool| {
        let measured = figures.iter().filter(|figure| figure.subject == subject && of(figure));
        worst(measured.filter_map(|figure| Some((*figure.ratio_to.get(to)?, figure.input.clone()))))
    };
    let made = |figure: &Figure| figure.name == CHECK && figure.input.ends_with(" tables");
    let sized = |figure: &Figure| made(figure) && (900..200_000).contains(&figure.tables.unwrap_or(0));
    let real = |figure: &Figure| figure.name == CHECK && figure.input.ends_with(".pte");
    let named = |name: &'static str| move |figure: &Figure| figure.name == name;
    let one = |value: &dyn Fn(&Figure) -> Option<f64>| {
        worst(figures.iter().filter_map(|figure| Some((value(figure)?, figure.input.clone()))))
    };
    let goal = |what, most, got| Goal { what, most, got };
    vec![
        goal(
            "full check ÷ C++ verifier, structure alone, 1 000 to 100 000 tables",
            1.0,
            ratios(TORCHPROOF, CPP, &sized),
        ),
        goal(
            "full check ÷ `Program::load`, InternalConsistency, every real program",
            1.0,
            ratios(TORCHPROOF, INTERNAL, &real),
        ),
        goal("full check ÷ Rust verifier, 1 000 to 100 000 tables", 0.15, ratios(TORCHPROOF, RUST, &sized)),
        goal(
            "open and look up one of 1 000 tensors ÷ `safetensors` deserialize",
            0.01,
            ratios(TORCHPROOF, SAFETENSORS, &named(OPEN)),
        ),
        goal(
            "open and look up one, 64 GiB of segments ÷ 64 KiB",
            1.05,
            ratios("64 GiB of segments", "64 KiB of segments", &named(OPEN)),
        ),
        goal(
            "bytes held of that file beyond header and FlatBuffer",
            0.0,
            one(&|figure| figure.beyond_tables.map(float)),
        ),
        goal("look-up of one name among 100 000, indexed ÷ search", 0.001, ratios(INDEXED, LINEAR, &named(LOOK_UP))),
        goal("time a table, 10 to 999 900 tables, largest ÷ smallest", 1.5, spread(figures, made)),
        goal(
            "peak memory of `check` on 64 GiB, MiB",
            16.0,
            one(&|figure| figure.peak_bytes.map(|bytes| float(bytes) / float(1 << 20))),
        ),
        goal(
            "allocations of a check, up to 10 000 tables, memory lent",
            0.0,
            one(&|figure| figure.allocations.map(float)),
        ),
    ]
}

fn float(number: u64) -> f64 {
    number as f64
}

fn worst(figures: impl Iterator<Item = (f64, String)>) -> Option<(f64, String)> {
    figures.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// The largest time a table against the smallest, of one kind of file.
fn spread(figures: &[Figure], made: impl Fn(&Figure) -> bool) -> Option<(f64, String)> {
    let of_kind = |kind: &str| {
        let own = |figure: &&Figure| made(figure) && figure.subject == TORCHPROOF && figure.input.starts_with(kind);
        let times: Vec<f64> = figures.iter().filter(own).filter_map(per_table).collect();
        let least = times.iter().copied().reduce(f64::min)?;
        times.iter().copied().reduce(f64::max).map(|most| (most / least, kind.to_owned()))
    };
    worst(["pte", "ptd"].into_iter().filter_map(of_kind))
}

/// Nanoseconds a table.
pub(crate) fn per_table(figure: &Figure) -> Option<f64> {
    Some(figure.median_ns? / float(figure.tables.filter(|tables| *tables > 0)?))
}

/// The goals as lines.
pub(crate) fn goals_as_text(figures: &[Figure]) -> String {
    let mut text = String::new();
    for goal in goals(figures) {
        let (got, on) = said(&goal);
        let _ = writeln!(text, "{:<13}{got:>10} of {:<7}{}{on}", goal.verdict(), goal.most, goal.what);
    }
    text
}

/// A goal's figure, and on what it was measured.
fn said(goal: &Goal) -> (String, String) {
    match &goal.got {
        None => ("–".to_owned(), String::new()),
        Some((got, input)) if got.fract() == 0.0 => (format!("{got}"), format!(" ({input})")),
        Some((got, input)) if *got < 0.1 => (format!("{got:.5}"), format!(" ({input})")),
        Some((got, input)) => (format!("{got:.2}"), format!(" ({input})")),
    }
}

/// The figures as the JSON that `bench.schema.json` describes.
pub(crate) fn as_json(figures: &[Figure]) -> String {
    let items: Vec<String> = figures.iter().map(|figure| serde_json::to_string(figure).unwrap_or_default()).collect();
    format!("[\n{}\n]\n", items.join(",\n"))
}

/// `RESULTS.md`.
pub(crate) fn as_markdown(figures: &[Figure]) -> String {
    let mut text = String::from(
        "# What was measured\n\n\
         Written by `cargo bench --bench compare -- --record` out of [`results.json`](results.json), which a test holds it against.\n\
         [`README.md`](README.md) says what is measured and how, and what was tried where a goal is not met.\n\n\
         | goal | at most | measured | on | |\n|---|---|---|---|---|\n",
    );
    for goal in goals(figures) {
        let (got, on) = said(&goal);
        let on = on.trim_matches([' ', '(', ')']);
        let _ = writeln!(text, "| {} | {} | {got} | {on} | {} |", goal.what, goal.most, goal.verdict());
    }
    text += "\n## Checking\n\nNanoseconds a table; the whole check and the structure pass of this project, the verifiers, the runtime's\n\
             `Program::load` or `FlatTensorDataMap::load`, and what it takes to copy the tables or to touch their pages.\n\n\
             ![Nanoseconds a table by number of tables](results.svg)\n\n\
             | input | tables | check | structure | C++ | Rust | Minimal | InternalConsistency | data map | memcpy | pages |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n";
    const COLUMNS: [&str; 9] = [TORCHPROOF, STRUCTURE, CPP, RUST, MINIMAL, INTERNAL, CPP_DATA, MEMCPY, PAGES];
    let mut inputs: Vec<(&str, u64)> = Vec::new();
    for figure in figures.iter().filter(|figure| figure.name == CHECK) {
        let Some(tables) = figure.tables else { continue };
        if !inputs.contains(&(&figure.input, tables)) {
            inputs.push((&figure.input, tables));
        }
    }
    for (input, tables) in inputs {
        let _ = write!(text, "| {input} | {tables} |");
        for subject in COLUMNS {
            let own = figures
                .iter()
                .find(|figure| figure.name == CHECK && figure.input == input && figure.subject == subject);
            let cell = own.map_or("–".to_owned(), |figure| {
                per_table(figure).map_or("not measured".to_owned(), |time| format!("{time:.2}"))
            });
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text += "\n## Looking up\n\n| what | input | by | ns |\n|---|---|---|---|\n";
    for figure in figures.iter().filter(|figure| figure.tables.is_none() || figure.name != CHECK) {
        let time = figure.median_ns.map_or("not measured".to_owned(), |time| format!("{time:.0}"));
        let _ = writeln!(text, "| {} | {} | {} | {time} |", figure.name, figure.input, figure.subject);
    }
    text
}
