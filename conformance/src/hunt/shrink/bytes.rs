//! Any file: its end cut off, pieces of it taken out, and bytes made zeros.

use super::best::Best;

/// Pieces are taken out in multiples of this, so that what is behind keeps its alignment.
const GRAIN: usize = 16;
/// In a file of this size and less, each byte is tried alone.
const SMALL: usize = 4096;

pub(super) fn reduce(best: &mut Best<'_>) {
    cut_the_end(best);
    take_out(best);
    blank(best);
}

/// Cuts off as much of the end as can be missed: half the file, a quarter, and at last a byte.
fn cut_the_end(best: &mut Best<'_>) {
    let mut step = best.bytes.len() / 2;
    while step > 0 {
        while step <= best.bytes.len() && best.patch(|file| file.truncate(file.len() - step)) {}
        step /= 2;
    }
}

/// Takes pieces out of the middle, large ones first.
fn take_out(best: &mut Best<'_>) {
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

/// Makes pieces zeros, large ones first.
fn blank(best: &mut Best<'_>) {
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
