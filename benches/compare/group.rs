//! Measuring the subjects of a group.

use std::collections::BTreeMap;

use crate::figure::Figure;
use crate::report::{names::TORCHPROOF, per_table};
use crate::timing::{median, timed};

/// Rounds of all subjects in turn.
const ROUNDS: usize = 31;
/// What a measurement lasts at least, in nanoseconds, so that reading the clock is nothing beside it.
const LEAST: f64 = 2e6;

/// What a subject does; none of one that is not there.
type Call<'s> = Option<Box<dyn FnMut() + 's>>;

/// Subjects that do the same, or what stands for it, to the same input.
pub(crate) struct Group<'s> {
    name: &'s str,
    input: String,
    tables: Option<u64>,
    subjects: Vec<(&'s str, Call<'s>)>,
}

impl<'s> Group<'s> {
    pub(crate) fn new(name: &'s str, input: impl Into<String>) -> Self {
        Self { name, input: input.into(), tables: None, subjects: Vec::new() }
    }

    /// Says how many tables the input has.
    pub(crate) fn tables(self, tables: u64) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// Adds a subject.
    pub(crate) fn with(mut self, subject: &'s str, call: impl FnMut() + 's) -> Self {
        self.subjects.push((subject, Some(Box::new(call))));
        self
    }

    /// Adds a subject that may not be there.
    pub(crate) fn with_any<T>(mut self, subject: &'s str, loaded: Option<&'s T>, call: impl Fn(&T) + 's) -> Self {
        let call = loaded.map(|loaded| Box::new(move || call(loaded)) as Box<dyn FnMut() + 's>);
        self.subjects.push((subject, call));
        self
    }

    /// Measures all, and prints a line for each.
    pub(crate) fn measure(self) -> Vec<Figure> {
        let Group { name, input, tables, mut subjects } = self;
        let calls: Vec<usize> = subjects.iter_mut().map(|(_, call)| call.as_mut().map_or(0, calls_for)).collect();
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); subjects.len()];
        for _ in 0..ROUNDS {
            for (index, (_, call)) in subjects.iter_mut().enumerate() {
                if let Some(call) = call {
                    times[index].push(timed(calls[index], &mut *call));
                }
            }
        }
        let ratio =
            |own: &[f64], other: &[f64]| median(own.iter().zip(other).map(|(own, other)| own / other).collect());
        let mut figures = Vec::new();
        for (index, (subject, _)) in subjects.iter().enumerate() {
            let measured = |index: &usize| !times[*index].is_empty();
            let others = (0..times.len()).filter(|other| *other != index).filter(measured).filter(|_| measured(&index));
            let ratio_to: BTreeMap<String, f64> =
                others.map(|other| (subjects[other].0.to_owned(), ratio(&times[index], &times[other]))).collect();
            let median_ns = measured(&index).then(|| median(times[index].clone()));
            figures.push(Figure {
                name: name.to_owned(),
                input: input.clone(),
                tables,
                subject: (*subject).to_owned(),
                median_ns,
                ratio_to,
                peak_bytes: None,
                allocations: None,
                beyond_tables: None,
            });
        }
        figures.iter().for_each(print);
        figures
    }
}

/// How many calls a measurement takes.
fn calls_for(call: &mut Box<dyn FnMut() + '_>) -> usize {
    let mut calls = 1;
    while timed(calls, &mut *call) * (calls as f64) < LEAST {
        calls *= 2;
    }
    calls
}

/// Prints one figure.
fn print(figure: &Figure) {
    let Figure { name, input, subject, median_ns, ratio_to, .. } = figure;
    let time = median_ns.map_or("not measured".to_owned(), |time| format!("{time:.0} ns"));
    let a_table = per_table(figure).map_or(String::new(), |time| format!("{time:.2}"));
    let ratio = ratio_to.get(TORCHPROOF).map_or(String::new(), |ratio| format!("{ratio:.2}"));
    println!("{name:<22}{input:<28}{subject:<36}{time:>16}{a_table:>10}{ratio:>10}");
}
