//! Counting a subject's instructions: the bench starts itself under valgrind, which counts from when [`counted`] is called to when
//! it returns.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::figures::MadeWith;
use crate::subjects::{Call, SUBJECTS};

/// The first argument of a process that is counted; the subject's name follows.
pub(crate) const SUBJECT: &str = "--subject";

/// Below which name valgrind finds [`counted`], mangled or not.
const COUNTED: &str = "--toggle-collect=*counted_by_callgrind*";

/// The memory functions that every x86-64 processor has, and bounds that the library else takes from the size of caches. Valgrind
/// shows the process some of the processor that it runs on, and the library would choose by that.
const TUNABLES: &str = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2,-SSE4_2,-SSE4_1,-SSSE3,-ERMS,-FSRM\
:glibc.cpu.x86_data_cache_size=0x8000:glibc.cpu.x86_shared_cache_size=0x100000\
:glibc.cpu.x86_non_temporal_threshold=0xc0000";

/// The only code that is counted.
#[inline(never)]
fn counted_by_callgrind(call: &mut Call) -> usize {
    black_box(call())
}

/// What the process does that is counted; `false` when there is no such subject.
///
/// The subject has a thread, since where the main thread's stack begins depends on the environment.
pub(crate) fn run(subject: &str) -> bool {
    let Some((_, prepare)) = SUBJECTS.iter().find(|(name, _)| *name == subject) else { return false };
    let counted = move || {
        let mut call = prepare();
        black_box(call());
        counted_by_callgrind(&mut call);
    };
    thread::spawn(counted).join().is_ok()
}

/// Valgrind's version, where it is installed.
pub(crate) fn version() -> Option<String> {
    let output = Command::new("valgrind").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().strip_prefix("valgrind-").map(str::to_owned)
}

/// What is here; cargo has compiled the bench with the same `rustc`.
pub(crate) fn made_with(valgrind: String) -> Result<MadeWith, Box<dyn Error>> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let about = String::from_utf8(Command::new(rustc).arg("-vV").output()?.stdout)?;
    let find =
        |prefix| about.lines().find_map(|line| line.strip_prefix(prefix)).ok_or("rustc does not tell its version");
    // Where there is no such command, it is another library.
    let libc = Command::new("getconf").arg("GNU_LIBC_VERSION").output().map(|output| output.stdout).unwrap_or_default();
    let libc = Some(String::from_utf8(libc)?.trim().to_owned()).filter(|name| !name.is_empty());
    Ok(MadeWith {
        rustc: find("rustc ")?.to_owned(),
        host: find("host: ")?.to_owned(),
        libc: libc.unwrap_or_else(|| "no glibc".to_owned()),
        valgrind,
    })
}

/// Counts the instructions of a subject; `folder` is there, and takes what valgrind writes.
pub(crate) fn count(subject: &str, folder: &Path) -> Result<u64, Box<dyn Error>> {
    let out = folder.join("callgrind.out");
    let mut command = Command::new("valgrind");
    command
        // Nothing that a user has set, be it for valgrind or for the library, changes a figure.
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "VALGRIND_LIB"))
        .env("GLIBC_TUNABLES", TUNABLES)
        .env("LD_BIND_NOW", "1")
        .current_dir(folder)
        .args(["--tool=callgrind", "--vgdb=no", COUNTED])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe()?)
        .args([SUBJECT, subject]);
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{subject}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = fs::read_to_string(&out)?;
    fs::remove_file(&out)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    match total.and_then(|total| total.trim().parse().ok()) {
        Some(0) | None => Err(format!("{subject}: valgrind has counted nothing").into()),
        Some(total) => Ok(total),
    }
}
