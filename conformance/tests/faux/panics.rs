//! A panic in a file of its own, because snapshots contain its line number.

pub(crate) fn as_ordered() -> ! {
    panic!("as ordered")
}
