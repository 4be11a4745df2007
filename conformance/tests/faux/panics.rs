//! A panic in a separate file. Snapshots contain its file and line, so changes to other commands must not move it.

pub(crate) fn as_ordered() -> ! {
    panic!("as ordered")
}
