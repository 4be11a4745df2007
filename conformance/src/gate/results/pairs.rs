//! Finds the readers that two runs share.

use std::collections::BTreeMap;

use torchproof_harness::run::record::{ReaderReport, RunReport};

pub(super) struct ReaderPairs<'a> {
    /// Maps a reader's name in the new run to its name in the base run.
    pub(super) names: BTreeMap<&'a str, &'a str>,
    pub(super) missing: bool,
    /// Notes on readers that are not compared, or that have different names.
    pub(super) notes: Vec<String>,
}

/// Pairs readers by name. If each run has only one, their names may differ, and its deliveries are paired.
pub(super) fn pairs<'a>(base: &'a RunReport, new: &'a RunReport) -> ReaderPairs<'a> {
    // A run has an entry for each delivery, so one reader can have several.
    let one_reader = |run: &RunReport| run.readers.windows(2).all(|pair| pair[0].name == pair[1].name);
    let names_can_differ = one_reader(base) && one_reader(new);
    let one_delivery = base.readers.len() == 1 && new.readers.len() == 1;
    let is_pair = |before: &ReaderReport, now: &ReaderReport| {
        before.reader == now.reader || names_can_differ && (one_delivery || before.delivery == now.delivery)
    };
    let (mut names, mut notes) = (BTreeMap::new(), Vec::new());
    for now in &new.readers {
        let Some(before) = base.readers.iter().find(|before| is_pair(before, now)) else { continue };
        if before.reader != now.reader {
            notes.push(format!("compared {} of the new run with {} of the base run", now.reader, before.reader));
        }
        names.insert(&*now.reader, &*before.reader);
    }
    let mut missing = false;
    for before in &base.readers {
        let now = new.readers.iter().find(|now| names.get(&*now.reader) == Some(&&*before.reader));
        let reason = match now {
            None => format!("in the base run only: reader {}", before.reader),
            Some(now) if is_tested(before) && !is_tested(now) => {
                let error = now.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
                format!("not tested in the new run: reader {}{error}", now.reader)
            }
            Some(_) => continue,
        };
        missing |= is_tested(before);
        notes.push(reason);
    }
    let added = new.readers.iter().filter(|reader| !names.contains_key(&*reader.reader));
    notes.extend(added.map(|reader| format!("in the new run only: reader {}", reader.reader)));
    ReaderPairs { names, missing, notes }
}

fn is_tested(reader: &ReaderReport) -> bool {
    reader.error.is_none() && !reader.is_untested()
}
