//! Tests the engine on valid files. The tests of `torchproof-mutator` also apply it to broken files.

use std::collections::BTreeSet;

use super::edit::Edit;
use crate::random::Random;
use crate::real_files::{real_file, real_files};

const MOST: usize = 1 << 14;

#[test]
fn every_edit_is_reproducible_and_states_the_span_of_its_changes() {
    let linear = real_file("linear.pte");
    let (mut families, mut places) = (BTreeSet::new(), BTreeSet::new());
    for (name, bytes) in real_files().iter().filter(|(_, bytes)| bytes.len() < MOST / 2) {
        // No other file has the tables of the legacy layout.
        let donor = if name.starts_with("legacy") { bytes } else { &linear };
        for edit in Edit::ALL {
            let edits = (0..60).filter_map(|seed| {
                let made = edit.apply(bytes, donor, MOST, &mut Random::new(seed))?;
                assert_eq!(edit.apply(bytes, donor, MOST, &mut Random::new(seed)).as_ref(), Some(&made));
                assert!(made.bytes != *bytes && made.bytes.len() <= MOST);
                let span = made.span(bytes);
                let mut same = bytes.clone();
                let place = [span.offset, span.end()].map(|at| usize::try_from(at).unwrap());
                let end = bytes.len() + place[1] - made.bytes.len();
                same.splice(place[0]..end, made.bytes[place[0]..place[1]].iter().copied());
                assert_eq!(same, made.bytes, "{name}: {}", made.name);
                let family = made.name.split('/').next().unwrap();
                families.insert(family);
                if matches!(edit, Edit::Field | Edit::Bytes) && made.bytes.len() == bytes.len() {
                    places.insert((family, changed_places(bytes, &made.bytes)));
                }
                Some(())
            });
            let applied = edits.count();
            // Some files have no header.
            assert!(applied > 10 || edit == Edit::Header, "{edit:?} on {name}");
        }
    }
    assert_eq!(families, ["bytes", "edit", "header", "length", "splice"].into());
    // Both kinds of edits make one to four changes. If a change were lost, no result would have four changed places.
    let expected = ["bytes", "edit"].into_iter().flat_map(|family| (1..=4).map(move |count| (family, count)));
    assert_eq!(places, expected.collect());
}

/// Counts the places where two files of equal length differ. A change has at most 16 bytes.
fn changed_places(one: &[u8], other: &[u8]) -> usize {
    let changed = (0..one.len()).filter(|at| one[*at] != other[*at]);
    let mut last = None;
    changed.filter(|at| last.replace(*at).is_none_or(|last| at - last >= 16)).count()
}
