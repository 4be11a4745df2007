//! A panic in a separate file. Snapshots contain the panic's file and line number, so the line number must not change.

pub(crate) fn as_ordered() -> ! {
    panic!("as ordered")
}
