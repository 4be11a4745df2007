//! Sorting for devices: in place, without allocation or panics, in a few hundred bytes of code.
//!
//! `core`'s sort is faster, but takes 5 KB for each type of item, and can panic if the order is inconsistent.

/// `less` must be a strict order. The sort makes at most `2 n log n` comparisons and may reorder equal items.
pub(crate) fn sort_by<T: Copy>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    for start in (0..items.len() / 2).rev() {
        sift(items, start, &less);
    }
    let mut rest = items;
    while let [first, .., last] = rest {
        core::mem::swap(first, last);
        let Some((_, shorter)) = rest.split_last_mut() else { return };
        rest = shorter;
        sift(rest, 0, &less);
    }
}

/// Moves the item at `start` down until none of its children is larger.
fn sift<T: Copy>(heap: &mut [T], start: usize, less: &impl Fn(&T, &T) -> bool) {
    let Some(&item) = heap.get(start) else { return };
    let (mut at, mut child) = (start, 2 * start + 1);
    while let Some(&first) = heap.get(child) {
        let largest = match heap.get(child + 1) {
            Some(&second) if less(&first, &second) => {
                child += 1;
                second
            }
            _ => first,
        };
        if !less(&item, &largest) {
            break;
        }
        if let Some(place) = heap.get_mut(at) {
            *place = largest;
        }
        (at, child) = (child, 2 * child + 1);
    }
    if let Some(place) = heap.get_mut(at) {
        *place = item;
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::vec::Vec;

    use super::sort_by;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts(mut items: Vec<u8>) {
            let mut sorted = items.clone();
            sorted.sort_unstable();
            sort_by(&mut items, |one, other| one < other);
            prop_assert_eq!(items, sorted);
        }
    }
}
