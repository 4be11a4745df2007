//! **Files in memory**, where a delivery says; nobody can write to them there.
#![allow(unsafe_code, reason = "memory is mapped")]

use std::ffi::{CString, c_void};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect};
use torchproof_protocol::{Delivery, RequestFile, Role, open_whole};

/// A file as a library is given it: in memory, or by its path and the place in what is there.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) role: Role,
    pub(super) path: CString,
    /// Where its bytes are; null where it is given by its path.
    pub(super) bytes: *const u8,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) layouts: Option<Vec<u64>>,
}

impl Placed {
    /// Puts a file where `delivery` says. It stays there as long as the process lives, which is a child for one read.
    ///
    /// # Errors
    /// The file cannot be had, or not all of it, or there is no memory for it.
    pub(super) fn new(file: &RequestFile, delivery: Delivery) -> io::Result<Self> {
        let offset = file.offset.unwrap_or(0);
        let (open, size) = open_whole(Path::new(&file.path), offset, file.size)?;
        let bytes = match delivery {
            Delivery::File | Delivery::FileAtOffset => ptr::null(),
            // Nobody can map an empty file.
            Delivery::Mmap if size > 0 => mapped(&open, offset, size)?,
            Delivery::Mmap | Delivery::Buffer => copied(&open, offset, size, Copy::Aligned)?,
            Delivery::Unaligned => copied(&open, offset, size, Copy::Odd)?,
            Delivery::Guard => copied(&open, offset, size, Copy::AtTheEnd)?,
        };
        let path = CString::new(file.path.as_str())?;
        Ok(Self { role: file.role, path, bytes, offset, size, layouts: file.layouts.clone() })
    }
}

/// A mapping of a part of the file itself.
fn mapped(file: &File, offset: u64, size: u64) -> io::Result<*const u8> {
    let len = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: the system chooses an address where nothing is, and nothing here reads what the mapping holds.
    Ok(unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, offset) }?.cast())
}

/// Where in its pages a copy is.
#[derive(Clone, Copy)]
enum Copy {
    Aligned,
    Odd,
    AtTheEnd,
}

/// A copy in pages between two that nobody may touch. That of no bytes has an address that is not null.
fn copied(file: &File, offset: u64, size: u64, copy: Copy) -> io::Result<*const u8> {
    let page = rustix::param::page_size();
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // But at a guard there is a byte more behind it, whatever its size: what looks there is no matter of luck.
    let (before, behind) = match copy {
        Copy::Aligned => (0, 1),
        Copy::Odd => (1, 1),
        Copy::AtTheEnd => (0, 0),
    };
    let room = (before + size + behind).next_multiple_of(page);
    let shift = if matches!(copy, Copy::AtTheEnd) { room - size } else { before };
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
