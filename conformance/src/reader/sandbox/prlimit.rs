//! A seccomp filter that prevents changes to the resource limits of other processes, because Landlock does not restrict
//! `prlimit`.

use seccompiler::{apply_filter, sock_filter};

/// The architecture and the number of the system call `prlimit64`, for each kind of program on x86 and ARM.
const PRLIMIT: [(u32, u32); 5] = {
    const X86_64: u32 = 0xc000_003e;
    const I386: u32 = 0x4000_0003;
    const X32: u32 = 0x4000_0000;
    const AARCH64: u32 = 0xc000_00b7;
    const ARM: u32 = 0x4000_0028;
    [(X86_64, 302), (X86_64, X32 | 302), (I386, 340), (AARCH64, 261), (ARM, 369)]
};

/// Installs a seccomp filter so that this thread and its children can change only their own limits. Returns whether the
/// filter is in force.
pub(super) fn deny() -> bool {
    let is_listed =
        cfg!(any(target_arch = "x86", target_arch = "x86_64", target_arch = "arm", target_arch = "aarch64"));
    is_listed && cfg!(target_endian = "little") && apply_filter(&filter()).is_ok()
}

/// Builds a filter that limits `prlimit` to the calling process. The filter makes `prlimit(pid, _, new, _)` fail with EPERM
/// unless `pid` is 0 or `new` is null.
///
/// The filter allows every other system call.
fn filter() -> Vec<sock_filter> {
    // Offsets in `struct seccomp_data`.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const PID: u32 = 16;
    const NEW: u32 = 32;
    // The code of `load` is BPF_LD | BPF_W | BPF_ABS. The code of `end` is BPF_RET | BPF_K.
    let load = |k| sock_filter { code: 0x20, jt: 0, jf: 0, k };
    let end = |k| sock_filter { code: 0x06, jt: 0, jf: 0, k };
    // The code of `equal` is BPF_JMP | BPF_JEQ | BPF_K. `equal` skips `jt` instructions if the values are equal,
    // and `jf` instructions if they differ.
    let equal = |k, jt, jf| sock_filter { code: 0x15, jt, jf, k };

    let allow = end(libc::SECCOMP_RET_ALLOW);
    let deny = end(libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned());
    let mut program = Vec::new();
    for (left, (architecture, number)) in (0..PRLIMIT.len()).rev().zip(PRLIMIT) {
        // Skip the checks for the remaining architectures, and the first `allow`.
        let to_prlimit = u8::try_from(4 * left + 1).unwrap_or(u8::MAX);
        program.extend([load(ARCHITECTURE), equal(architecture, 0, 2), load(NUMBER), equal(number, to_prlimit, 0)]);
    }
    program.push(allow.clone());
    program.extend([load(PID), equal(0, 4, 0), load(NEW), equal(0, 0, 3), load(NEW + 4), equal(0, 0, 1), allow, deny]);
    program
}
