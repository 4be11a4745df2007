//! A panic. It has its own file because snapshots contain its line number.

pub(crate) fn as_ordered() -> ! {
    panic!("as ordered")
}
