//! **Functions of the operating system** that differ between Unix and other systems.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::{
    copy_owner, data_after, is_executable, is_same_file, is_unread_pipe, kind_of_special, link_unnamed,
    make_executable, open_unfollowed, open_unnamed, read_at, wait_again, with_mode, without_waiting, writable_by_all,
};
#[cfg(unix)]
pub(crate) use unix::{
    copy_owner, data_after, is_executable, is_same_file, is_unread_pipe, kind_of_special, link_unnamed,
    make_executable, open_unfollowed, open_unnamed, read_at, wait_again, with_mode, without_waiting, writable_by_all,
};
