//! A panic whose file and line do not change with the other commands; snapshots contain them.

pub(crate) fn as_ordered() -> ! {
    panic!("as ordered")
}
