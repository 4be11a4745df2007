//! Shrinks a file of any kind: truncates it, removes pieces, and sets bytes to zero.

use super::smallest_file::SmallestFile;

/// The size of a removed piece is a multiple of this, so that later bytes keep their alignment.
const GRAIN: usize = 16;
/// The largest file, in bytes, for which [`blank`] also tries single bytes.
const SMALL: usize = 4096;

pub(super) fn reduce(best: &mut SmallestFile<'_>) {
    cut_the_end(best);
    take_out(best);
    blank(best);
}

/// Truncates the file by half, by a quarter, and so on down to single bytes.
fn cut_the_end(best: &mut SmallestFile<'_>) {
    let mut step = best.bytes.len() / 2;
    while step > 0 {
        while step <= best.bytes.len() && best.patch(|file| file.truncate(file.len() - step)) {}
        step /= 2;
    }
}

/// Removes pieces, large ones first.
fn take_out(best: &mut SmallestFile<'_>) {
    let mut size = (best.bytes.len() / 2).next_multiple_of(GRAIN);
    while size >= GRAIN {
        let mut at = 0;
        while at + size <= best.bytes.len() && !best.is_over() {
            if !best.patch(|file| drop(file.drain(at..at + size))) {
                at += size;
            }
        }
        size = if size == GRAIN { 0 } else { (size / 2).next_multiple_of(GRAIN) };
    }
}

/// Sets pieces to zero, large ones first.
fn blank(best: &mut SmallestFile<'_>) {
    let least = if best.bytes.len() <= SMALL { 1 } else { GRAIN };
    let mut size = best.bytes.len().next_power_of_two();
    while size >= least {
        let mut at = 0;
        while at < best.bytes.len() && !best.is_over() {
            let end = best.bytes.len().min(at + size);
            if best.bytes[at..end].iter().any(|byte| *byte != 0) {
                best.patch(|file| file[at..end].fill(0));
            }
            at = end;
        }
        size /= 2;
    }
}
