//! **Files in memory**, where a delivery says; nobody can write to them there.
#![allow(unsafe_code, reason = "memory is mapped")]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::ptr;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect};
use torchproof_protocol::Delivery;

/// The bytes of a file where `delivery` says, as long as the process lives; null where the file is given by its path.
///
/// # Errors
/// The file cannot be read, or there is no memory for it.
pub(super) fn bytes(file: &File, offset: u64, size: u64, delivery: Delivery) -> io::Result<*const u8> {
    match delivery {
        Delivery::File | Delivery::FileAtOffset => Ok(ptr::null()),
        // Nobody can map an empty file.
        Delivery::Mmap if size > 0 => mapped(file, offset, size),
        _ => copied(file, offset, size, delivery),
    }
}

/// A mapping of a part of the file itself.
fn mapped(file: &File, offset: u64, size: u64) -> io::Result<*const u8> {
    let len = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: the system chooses an address where nothing is, and nothing here reads what the mapping holds.
    Ok(unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, offset) }?.cast())
}

/// A copy in pages between two that nobody may touch. That of no bytes has an address that is not null.
fn copied(file: &File, offset: u64, size: u64, delivery: Delivery) -> io::Result<*const u8> {
    let page = rustix::param::page_size();
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // But at a guard there is a byte more behind it, whatever its size: what looks there is no matter of luck.
    let before = usize::from(delivery == Delivery::Unaligned);
    let behind = usize::from(delivery != Delivery::Guard);
    let room = (before + size + behind).next_multiple_of(page);
    let shift = if delivery == Delivery::Guard { room - size } else { before };
    // SAFETY: the system chooses an address where nothing is.
    let base = unsafe { mmap_anonymous(ptr::null_mut(), page + room + page, ProtFlags::empty(), MapFlags::PRIVATE) }?;
    // SAFETY: the room begins a page after the mapping's start and ends a page before its end, and `shift + size` is no more
    // than the room.
    let (start, bytes) = unsafe { (base.cast::<u8>().add(page), base.cast::<u8>().add(page + shift)) };
    if room > 0 {
        // SAFETY: those are whole pages of the mapping made above, to which nobody else has a pointer.
        unsafe { mprotect(start.cast::<c_void>(), room, MprotectFlags::READ | MprotectFlags::WRITE) }?;
        // SAFETY: so many bytes are in the room, readable, writable and zero, and nobody else has a pointer to them.
        let copy = unsafe { std::slice::from_raw_parts_mut(bytes, size) };
        file.read_exact_at(copy, offset)?;
        // SAFETY: the same pages as above; the slice is not used any more.
        unsafe { mprotect(start.cast::<c_void>(), room, MprotectFlags::READ) }?;
    }
    Ok(bytes)
}
