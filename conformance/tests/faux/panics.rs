//! A panic in a separate file. Snapshots contain the file and the line of the panic, so changes to other commands
//! must not move the panic.

pub(crate) fn as_ordered() -> ! {
    panic!("as ordered")
}
