//! **A reader's system calls**: a table of the allowed calls, compiled to seccomp filters.
//!
//! Every other call fails with EPERM, which a program can handle; no call kills it. Like the table of a container
//! runtime, this one lists what programs need. If it listed forbidden calls instead, each new kernel would open a hole.

use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, apply_filter,
    sock_filter,
};

/// Limits the system calls of this thread and its child processes. `ptrace` lets the processes debug each other.
pub(super) fn limit(ptrace: bool) -> seccompiler::Result<()> {
    apply_filter(&fallbacks()?)?;
    apply_filter(&policy(ptrace)?)
}

mod table {
    macro_rules! calls {
        ($($call:ident)*) => { &[$(libc::$call),*] };
    }

    /// Calls with any arguments.
    pub(super) const ANY: [&[i64]; 12] = [
        // Open files: Landlock and the mounts decide which files can be opened.
        calls![SYS_read SYS_write SYS_readv SYS_writev SYS_pread64 SYS_pwrite64 SYS_preadv SYS_pwritev SYS_preadv2
            SYS_pwritev2 SYS_lseek SYS_close SYS_close_range SYS_dup SYS_dup3 SYS_flock SYS_fsync SYS_fdatasync
            SYS_fadvise64 SYS_readahead SYS_fallocate SYS_ftruncate SYS_truncate SYS_sendfile SYS_splice SYS_tee
            SYS_vmsplice SYS_copy_file_range SYS_pipe2 SYS_openat SYS_openat2 SYS_io_setup SYS_io_destroy
            SYS_io_submit SYS_io_cancel SYS_io_getevents],
        // Names and properties of files: CPython's `shutil` sets modes and times. Programs do not need the calls for
        // owners and extended attributes.
        calls![SYS_fstat SYS_newfstatat SYS_statx SYS_statfs SYS_fstatfs SYS_faccessat SYS_faccessat2 SYS_readlinkat
            SYS_getdents64 SYS_getcwd SYS_chdir SYS_fchdir SYS_umask SYS_mkdirat SYS_unlinkat SYS_renameat2
            SYS_linkat SYS_symlinkat SYS_mknodat SYS_fchmod SYS_fchmodat SYS_utimensat SYS_getxattr SYS_lgetxattr
            SYS_fgetxattr SYS_listxattr SYS_llistxattr SYS_flistxattr],
        // Memory of this process. Neither `userfaultfd` nor access to the memory of other processes is allowed.
        calls![SYS_mmap SYS_munmap SYS_mremap SYS_mprotect SYS_brk SYS_madvise SYS_msync SYS_mincore SYS_mlock
            SYS_mlock2 SYS_munlock SYS_mlockall SYS_munlockall SYS_pkey_mprotect SYS_pkey_alloc SYS_pkey_free
            SYS_memfd_create SYS_membarrier SYS_get_mempolicy],
        // Processes and threads: `clone` is below.
        calls![SYS_execve SYS_execveat SYS_exit SYS_exit_group SYS_wait4 SYS_waitid SYS_getpid SYS_getppid SYS_gettid
            SYS_getpgid SYS_setpgid SYS_getsid SYS_setsid SYS_set_tid_address SYS_set_robust_list SYS_get_robust_list
            SYS_rseq SYS_futex SYS_futex_waitv SYS_restart_syscall SYS_prctl SYS_getrusage SYS_times SYS_getcpu
            SYS_pidfd_open],
        // User ids: without capabilities, a program can only set the id that it already has, as busybox does.
        calls![SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_getresuid SYS_getresgid SYS_getgroups SYS_setuid
            SYS_setgid SYS_setreuid SYS_setregid SYS_setresuid SYS_setresgid SYS_capget SYS_capset],
        // Reading priorities and affinities, which programs use to count processors. No call that sets them is allowed.
        calls![SYS_getpriority SYS_ioprio_get SYS_sched_yield SYS_sched_getaffinity SYS_sched_getparam
            SYS_sched_getscheduler SYS_sched_getattr SYS_sched_get_priority_max SYS_sched_get_priority_min
            SYS_sched_rr_get_interval],
        // Signals: Landlock and the namespace decide which processes receive them.
        calls![SYS_kill SYS_tkill SYS_tgkill SYS_pidfd_send_signal SYS_rt_sigaction SYS_rt_sigprocmask
            SYS_rt_sigpending SYS_rt_sigqueueinfo SYS_rt_tgsigqueueinfo SYS_rt_sigreturn SYS_rt_sigsuspend
            SYS_rt_sigtimedwait SYS_sigaltstack SYS_signalfd4],
        // Time and events. No call that sets a clock is allowed.
        calls![SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_nanosleep SYS_gettimeofday SYS_getitimer
            SYS_setitimer SYS_timer_create SYS_timer_settime SYS_timer_gettime SYS_timer_getoverrun SYS_timer_delete
            SYS_timerfd_create SYS_timerfd_settime SYS_timerfd_gettime SYS_eventfd2 SYS_epoll_create1 SYS_epoll_ctl
            SYS_epoll_pwait SYS_epoll_pwait2 SYS_ppoll SYS_pselect6],
        // Pairs of connected sockets: `socketpair` is below. No call that creates, names or connects a socket is allowed.
        calls![SYS_sendto SYS_recvfrom SYS_sendmsg SYS_recvmsg SYS_sendmmsg SYS_recvmmsg SYS_shutdown SYS_getsockopt
            SYS_setsockopt SYS_getsockname SYS_getpeername],
        // Facts about the system.
        calls![SYS_uname SYS_sysinfo SYS_getrandom],
        // A reader may restrict itself further.
        calls![SYS_seccomp SYS_landlock_create_ruleset SYS_landlock_add_rule SYS_landlock_restrict_self],
        // `libc` has no names for some calls: cachestat, fchmodat2, map_shadow_stack, futex_wake, futex_wait, futex_requeue
        // and mseal. From 424 on, a call has the same number on every architecture.
        &[451, 452, 453, 454, 455, 456, 462],
    ];

    /// The first number after the calls that existed when the table was written.
    pub(super) const UNKNOWN: i64 = 463;

    /// Calls that C libraries still make although newer forms exist.
    #[cfg(target_arch = "x86_64")]
    pub(super) const OLD: &[i64] = calls![SYS_open SYS_creat SYS_stat SYS_lstat SYS_access SYS_readlink SYS_getdents
        SYS_mkdir SYS_rmdir SYS_unlink SYS_rename SYS_link SYS_symlink SYS_mknod SYS_chmod SYS_utime SYS_utimes
        SYS_futimesat SYS_pipe SYS_dup2 SYS_poll SYS_select SYS_epoll_create SYS_epoll_wait SYS_eventfd SYS_signalfd
        SYS_fork SYS_vfork SYS_getpgrp SYS_alarm SYS_pause SYS_time SYS_arch_prctl
        SYS_renameat SYS_sync_file_range SYS_getrlimit SYS_setrlimit];
    // renameat, sync_file_range, getrlimit and setrlimit, for which `libc` has no names.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const OLD: &[i64] = &[38, 84, 163, 164];

    /// The allowed `ioctl` requests, whose type in `libc` differs between systems. Other requests control terminals,
    /// disks and file attributes.
    pub(super) const IOCTLS: [u64; 8] = [
        0x541b,      // FIONREAD: the number of bytes in a pipe
        0x5421,      // FIONBIO: whether reads block
        0x5450,      // FIONCLEX
        0x5451,      // FIOCLEX: whether an exec closes the descriptor
        0x5401,      // TCGETS: whether the file is a terminal
        0x802c_542a, // TCGETS2: the same, in newer C libraries
        0x5413,      // TIOCGWINSZ: the same, in musl
        0x540f,      // TIOCGPGRP: the process group of a terminal, for shells
    ];

    /// The allowed `fcntl` commands: descriptors, their flags, locks, pipes and seals. Other commands send signals to
    /// the owner of a descriptor, which can be any process, or use a lease to delay other programs.
    pub(super) const FCNTLS: [i32; 16] = [
        libc::F_DUPFD,
        libc::F_DUPFD_CLOEXEC,
        libc::F_GETFD,
        libc::F_SETFD,
        libc::F_GETFL,
        libc::F_SETFL,
        libc::F_GETLK,
        libc::F_SETLK,
        libc::F_SETLKW,
        libc::F_OFD_GETLK,
        libc::F_OFD_SETLK,
        libc::F_OFD_SETLKW,
        libc::F_GETPIPE_SZ,
        libc::F_SETPIPE_SZ,
        libc::F_ADD_SEALS,
        libc::F_GET_SEALS,
    ];
}

/// Returns a rule for arguments that meet all conditions, each with an argument's number, a comparison and a value.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, BackendError> {
    // The kernel ignores the upper half of an `int`. A pointer is the only argument below with 64 bits.
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, Dword, operator.clone(), *value)
    };
    SeccompRule::new(conditions.iter().map(condition).collect::<Result<_, _>>()?)
}

/// Builds the filter, which allows only the calls in the table, plus `ptrace` if a leak detector is permitted to
/// stop the threads of its own program.
fn policy(ptrace: bool) -> Result<BpfProgram, BackendError> {
    const NAMESPACES: i32 = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET;
    let value = |value: i32| u64::from(value.cast_unsigned());
    let one_of = |argument: u8, values: &[u64]| {
        values.iter().map(|value| rule(&[(argument, Eq, *value)])).collect::<Result<Vec<_>, _>>()
    };
    let pair = |kind: i32| rule(&[(0, Eq, value(libc::AF_UNIX)), (1, MaskedEq(0xf), value(kind))]);
    let is_null = SeccompRule::new(vec![SeccompCondition::new(2, Qword, Eq, 0)?])?;
    let limited: [(i64, Vec<SeccompRule>); 6] = [
        (libc::SYS_ioctl, one_of(1, &table::IOCTLS)?),
        (libc::SYS_fcntl, one_of(1, &table::FCNTLS.map(value))?),
        // Setting or reading the limits of this process, or only reading the limits of any process.
        (libc::SYS_prlimit64, vec![rule(&[(0, Eq, 0)])?, is_null]),
        // Reading the personality, or setting it to the default or to fixed addresses, as sanitizers do.
        (libc::SYS_personality, one_of(0, &[0, value(libc::ADDR_NO_RANDOMIZE), 0xffff_ffff])?),
        (libc::SYS_clone, vec![rule(&[(0, MaskedEq(value(NAMESPACES)), 0)])?]),
        // Even as part of a pair, a datagram socket could send to any named socket.
        (libc::SYS_socketpair, vec![pair(libc::SOCK_STREAM)?, pair(libc::SOCK_SEQPACKET)?]),
    ];
    // The filter in `fallbacks` decides about the newer calls.
    let debugging: &[i64] = if ptrace { &[libc::SYS_ptrace] } else { &[] };
    let any = table::ANY.into_iter().chain([table::OLD, debugging]).flatten().copied().chain(newer());
    let rules = any.map(|call| (call, Vec::new())).chain(limited);
    compile(rules, SeccompAction::Errno(libc::EPERM.cast_unsigned()), SeccompAction::Allow)
}

/// Returns clone3 and the calls that are newer than the table.
fn newer() -> impl Iterator<Item = i64> {
    [libc::SYS_clone3].into_iter().chain(table::UNKNOWN..512)
}

/// Builds the filter that makes clone3 and calls newer than the table fail with ENOSYS, because C libraries fall back
/// to an older call only after ENOSYS. clone3 keeps its flags in memory, where no filter can check them. A call is made
/// only if both filters allow it.
fn fallbacks() -> Result<BpfProgram, BackendError> {
    let rules = newer().map(|call| (call, Vec::new()));
    compile(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS.cast_unsigned()))
}

fn compile(
    rules: impl Iterator<Item = (i64, Vec<SeccompRule>)>,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let target = std::env::consts::ARCH.try_into()?;
    let mut program: BpfProgram = SeccompFilter::new(rules.collect(), otherwise, listed, target)?.try_into()?;
    // `seccompiler` kills a process that makes a call of another architecture, such as a program for 32-bit x86.
    // Replace this one instruction, so that the call fails instead.
    let ends = |instruction: &&mut sock_filter| instruction.k == libc::SECCOMP_RET_KILL_PROCESS;
    program.iter_mut().filter(ends).for_each(|end| end.k = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned());
    Ok(program)
}
