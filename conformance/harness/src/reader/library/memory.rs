//! **Files in read-only memory**, at the addresses that a delivery requires.
#![allow(unsafe_code, reason = "maps memory")]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::ptr;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect};
use torchproof_protocol::Delivery;

/// Returns a pointer to the bytes of a file, or null if `delivery` passes the file by path. The bytes stay valid until
/// the process ends.
pub(super) fn bytes(file: &File, offset: u64, size: u64, delivery: Delivery) -> io::Result<*const u8> {
    match delivery {
        Delivery::File | Delivery::FileAtOffset => Ok(ptr::null()),
        // The system cannot map an empty file, so copy it.
        Delivery::Mmap if size > 0 => mapped(file, offset, size),
        _ => copied(file, offset, size, delivery),
    }
}

fn mapped(file: &File, offset: u64, size: u64) -> io::Result<*const u8> {
    let len = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: the system chooses a free address, and nothing here reads the mapping.
    Ok(unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, offset) }?.cast())
}

/// Copies the file to memory between two inaccessible pages. Even the address of an empty file is not null.
fn copied(file: &File, offset: u64, size: u64, delivery: Delivery) -> io::Result<*const u8> {
    let page = rustix::param::page_size();
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // Except with `Guard`, at least one zero byte follows the file, so that an overread always has the same result.
    let before = usize::from(delivery == Delivery::Unaligned);
    let after = usize::from(delivery != Delivery::Guard);
    let room = (before + size + after).next_multiple_of(page);
    let shift = if delivery == Delivery::Guard { room - size } else { before };
    // SAFETY: the system chooses a free address.
    let base = unsafe { mmap_anonymous(ptr::null_mut(), page + room + page, ProtFlags::empty(), MapFlags::PRIVATE) }?;
    // SAFETY: the mapping has a page before and a page after the `room` bytes, and `shift + size` is at most `room`.
    let (start, bytes) = unsafe { (base.cast::<u8>().add(page), base.cast::<u8>().add(page + shift)) };
    if room > 0 {
        // SAFETY: these are complete pages of the mapping above, and no other pointer to them exists.
        unsafe { mprotect(start.cast::<c_void>(), room, MprotectFlags::READ | MprotectFlags::WRITE) }?;
        // SAFETY: these `size` bytes are readable, writable and zero, and no other pointer to them exists.
        let copy = unsafe { std::slice::from_raw_parts_mut(bytes, size) };
        file.read_exact_at(copy, offset)?;
        // SAFETY: these are the same pages, and the slice is no longer used.
        unsafe { mprotect(start.cast::<c_void>(), room, MprotectFlags::READ) }?;
    }
    Ok(bytes)
}
