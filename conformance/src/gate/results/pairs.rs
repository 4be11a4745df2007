//! Finds the readers that two runs have in common.

use std::collections::BTreeMap;

use crate::run::record::RunReport;

/// Returns the name of each reader of the new run with its name in the base run, and notes on the other readers.
pub(super) fn pairs<'a>(base: &'a RunReport, new: &'a RunReport) -> (BTreeMap<&'a str, &'a str>, Vec<String>) {
    if let ([before], [now]) = (&base.readers[..], &new.readers[..]) {
        let renamed = before.reader != now.reader;
        let notes =
            renamed.then(|| format!("compared {} of the new run with {} of the base run", now.reader, before.reader));
        return (BTreeMap::from([(&*now.reader, &*before.reader)]), notes.into_iter().collect());
    }
    let names = |run: &'a RunReport| run.readers.iter().map(|reader| &*reader.reader);
    let pairs: BTreeMap<_, _> =
        names(new).filter(|name| names(base).any(|before| before == *name)).map(|name| (name, name)).collect();
    let only = |run: &'a RunReport, which: &'static str| {
        let lonely = names(run).filter(|name| !pairs.contains_key(name));
        lonely.map(move |name| format!("in the {which} run only: reader {name}")).collect::<Vec<_>>()
    };
    let notes = only(base, "base").into_iter().chain(only(new, "new")).collect();
    (pairs, notes)
}
