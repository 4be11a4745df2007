//! Tests readers that attempt forbidden actions. The sandbox denies each action, or the report warns that the action is possible.

use std::env;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;
use tempfile::TempDir;
use testkit::corpus::{Run, TestCorpus, faux, reported};
use torchproof_cli::reader::{Sandbox, SandboxMode as Mode};

/// The forbidden actions that the reader attempts, each with the name of the restriction that prevents the action.
const TRIED: [(&str, &str); 14] = [
    ("write", "writing files"),
    ("append", "writing files"),
    ("truncate", "truncating files"),
    ("remove", "writing files"),
    ("rename", "writing files"),
    ("mkdir", "writing files"),
    ("connect", "TCP"),
    ("abstract-socket", "signals and abstract sockets"),
    ("signal-test", "signals and abstract sockets"),
    ("limit-test", "changing limits of other processes"),
    ("named-socket", "named sockets"),
    ("chmod", "modes and times of files"),
    ("set-times", "modes and times of files"),
    ("see-test", "seeing other processes"),
];

/// A corpus whose cases attempt forbidden actions, and the files that are the targets of these actions.
struct Attempts {
    corpus: TestCorpus,
    /// The target files. Each attempt has its own target file.
    files: Vec<PathBuf>,
    _tcp: TcpListener,
    _unix: [UnixListener; 2],
    /// The folder of the named socket. The path of a socket must be short.
    _folder: TempDir,
}

impl Attempts {
    fn new(name: &str) -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = format!("torchproof-{name}-{}", std::process::id());
        let unix = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&socket).unwrap()).unwrap();
        let short = tempfile::tempdir().unwrap();
        let named = short.path().join("socket");
        let unix = [unix, UnixListener::bind(&named).unwrap()];
        let mut corpus = TestCorpus::new(name);
        let folder = corpus.folder().to_owned();
        let mut files = Vec::new();
        for (word, _) in TRIED {
            let place = match word {
                "connect" => tcp.local_addr().unwrap().to_string(),
                "abstract-socket" => socket.clone(),
                "named-socket" => named.to_str().unwrap().to_owned(),
                "signal-test" | "limit-test" | "see-test" => std::process::id().to_string(),
                _ => {
                    let file = folder.join("files/harmed").join(word);
                    files.push(file.clone());
                    file.to_str().unwrap().to_owned()
                }
            };
            corpus = corpus.accept(&format!("pte/try/{word}"), &format!("try {word} {place}"));
        }
        let manifest = folder.join("manifest.json");
        let corpus = corpus
            .accept("pte/may/write-nowhere", "try write /dev/null")
            .accept("pte/may/read", &format!("try read {}", manifest.display()))
            .accept("pte/may/run", "try run true")
            .accept("pte/may/limit-itself", "try limit-itself")
            .accept("pte/may/write-temporary", "try temporary mine")
            .write();
        Self { corpus, files, _tcp: tcp, _unix: unix, _folder: short }
    }

    /// Restores the target files, and makes the attempts with the given transport.
    fn run(&self, start: &str, transport: &str, behavior: &str, args: &[&str]) -> Run {
        let folder = self.corpus.folder();
        let (harmed, json) = (folder.join("files/harmed"), folder.join("report.json"));
        fs::create_dir_all(&harmed).unwrap();
        for file in &self.files {
            if file.ends_with("mkdir") {
                let _ = fs::remove_dir(file);
            } else {
                fs::write(file, "whole").unwrap();
                fs::set_permissions(file, Permissions::from_mode(0o666)).unwrap();
            }
        }
        // The permissions of the files prevent no attempt, and every user can write the results.
        for folder in [folder, &harmed] {
            fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
        }
        let _ = fs::remove_file(folder.join("results.jsonl"));
        let _ = fs::remove_file(&json);
        let (reader, report) = (faux(transport, behavior), format!("json={}", json.display()));
        let command = self.corpus.command(&[&["--reader", &reader, "--report", &report], args].concat());
        let output = started(start, &command).output().unwrap();
        let report = fs::read(&json).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        Run { code: output.status.code().unwrap(), report: serde_json::from_slice(&report).unwrap() }
    }

    /// Returns the names of the target files that the attempts have changed.
    fn harmed(&self) -> Vec<&str> {
        let whole = |file: &PathBuf| fs::read(file).is_ok_and(|bytes| bytes == b"whole");
        let made = self.files.iter().filter(|file| if file.ends_with("mkdir") { file.exists() } else { !whole(file) });
        made.map(|file| file.file_name().unwrap().to_str().unwrap()).collect()
    }
}

const TRANSPORTS: [(&str, &str, &str); 2] = [("exec", "worker", "faux"), ("once", "once", "faux-reader")];

/// The beginning of the command that starts a run as the user `nobody`.
const AS_NOBODY: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/// Returns the beginnings of the commands that start a run. Each beginning can lead to another mode of the sandbox.
///
/// If a beginning does not work on this system, the function prints the beginning and leaves it out.
fn starts() -> Vec<String> {
    let folder = testkit::scratch("path-without-bwrap");
    let path = env::var_os("PATH").unwrap();
    for name in ["true", "sh"] {
        let program = env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.exists());
        let _ = symlink(program.unwrap(), folder.join(name));
    }
    let works = |start: &String| {
        let version = started(start, Command::new(testkit::program("torchproof")).arg("--version")).output();
        let works = version.is_ok_and(|output| output.status.success());
        if !works {
            eprintln!("NOT RUN: the sandbox denies harm: {start}");
        }
        works
    };
    let starts = ["env".to_owned(), format!("env PATH={}", folder.display()), AS_NOBODY.to_owned()];
    starts.into_iter().filter(works).collect()
}

/// Returns the command `command` after `start`.
fn started(start: &str, command: &Command) -> Command {
    let mut words = start.split(' ');
    let mut started = Command::new(words.next().unwrap());
    started.args(words).arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    started
}

/// The sandbox denies each attempt, or the report lists the restriction that the sandbox lacks. This holds in every mode.
#[test]
fn the_sandbox_denies_harm_or_the_report_warns() {
    let attempts = Attempts::new("sandboxed");
    for (start, (transport, behavior, reader)) in starts().iter().flat_map(|start| TRANSPORTS.map(|one| (start, one))) {
        let run = attempts.run(start, transport, behavior, &[]);
        let sandbox = &run.report["readers"][0]["sandbox"];
        let (mode, mut lacks) = (sandbox["mode"].as_str().unwrap(), lacks(sandbox));
        if mode == "off" {
            eprintln!("NOT RUN: the sandbox denies harm: {start}: {sandbox}");
            lacks = TRIED.map(|(_, what)| what).to_vec();
        }
        for (word, what) in TRIED {
            let denied = run.grade(reader, &format!("pte/try/{word}")) == "rejects-valid";
            // The user `nobody` could not signal or limit processes of root without a sandbox either.
            let expected = denied != lacks.contains(&what) || (denied && start == AS_NOBODY);
            assert!(expected, "{start}: {word}: {sandbox}: {:?}", run.report);
        }
        for may in ["write-nowhere", "read", "run", "limit-itself", "write-temporary"] {
            assert_eq!(run.grade(reader, &format!("pte/may/{may}")), "pass", "{start}: {:?}", run.report);
        }
        if !TRIED.iter().any(|(_, what)| lacks.contains(what)) {
            assert_eq!(attempts.harmed(), [""; 0], "{start}");
        }
        assert!(mode != "bwrap" || !start.contains("PATH"), "{sandbox}");
        assert_eq!(lacks.contains(&"network protocols other than TCP"), mode == "landlock", "{sandbox}");
        // In a user namespace, a limit of processes applies to every user except root.
        let is_limited = mode == "bwrap" && start == AS_NOBODY;
        assert!(!is_limited || !lacks.contains(&"the number of processes"), "{sandbox}");
    }
}

fn lacks(sandbox: &serde_json::Value) -> Vec<&str> {
    sandbox["lacks"].as_array().into_iter().flatten().map(|lack| lack.as_str().unwrap()).collect()
}

/// Bubblewrap gives each reader its own network, processes, users, IPC and mounts. Landlock cannot prevent these attempts.
/// Without bubblewrap, the report warns about this lack.
#[test]
fn bubblewrap_closes_the_holes_of_landlock() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let key = std::process::id();
    let mut corpus = TestCorpus::new("holes")
        .accept("pte/try/connect-mptcp", &format!("try connect-mptcp {}", tcp.local_addr().unwrap()))
        .accept("pte/dev/write", &format!("try write /dev/torchproof-{key}"))
        .accept("pte/dev/shm", &format!("try write /dev/shm/torchproof-{key}"))
        .accept("pte/may/share-memory", &format!("try share-memory {key}"));
    for name in ["net", "pid", "user", "ipc", "mnt"] {
        let link = fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        corpus = corpus.accept(&format!("pte/try/{name}"), &format!("try namespace {name} {}", link.display()));
    }
    let corpus = corpus.write();
    let available = Sandbox::available();
    if available.mode != Mode::Bwrap {
        let required = std::env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required");
        assert!(!required, "required: {available}");
        eprintln!("NOT RUN: bubblewrap closes the holes of Landlock: {available}");
        return;
    }
    for (transport, behavior, reader) in TRANSPORTS {
        let run = corpus.run(&[&faux(transport, behavior)]);
        for case in ["connect-mptcp", "net", "pid", "user", "ipc", "mnt"] {
            assert_eq!(run.grade(reader, &format!("pte/try/{case}")), "rejects-valid", "{case}: {:?}", run.report);
        }
        // The file system of `/dev` has no size limit, so only the small `/dev/shm` is writable.
        assert_eq!(run.grade(reader, "pte/dev/write"), "rejects-valid", "{:?}", run.report);
        assert_eq!(run.grade(reader, "pte/dev/shm"), "pass", "{:?}", run.report);
        // The reader creates the shared memory in its own namespace, so the memory vanishes with the reader.
        assert_eq!(run.grade(reader, "pte/may/share-memory"), "pass", "{:?}", run.report);
        let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap();
        let keys = segments.lines().filter_map(|line| line.split_whitespace().next());
        assert!(!keys.into_iter().any(|found| found == key.to_string()), "{segments}");
        let sandbox = &run.report["readers"][0]["sandbox"];
        assert_eq!(sandbox["mode"], "bwrap");
        // Only a control group limits the memory that processes share.
        assert!(!lacks(sandbox).contains(&"TCP"), "{sandbox}");
    }
    let run = corpus.run_with(&[&faux("once", "once")], &["--no-sandbox", "--cases", "pte/try/*"]);
    assert_eq!(run.code, 0, "{:?}", run.report);
}

/// Without a sandbox, every attempt succeeds. The test with the sandbox can therefore detect that a restriction is
/// missing.
#[test]
fn without_a_sandbox_harm_is_possible_and_every_report_warns() {
    let attempts = Attempts::new("unsandboxed");
    for (transport, behavior, reader) in TRANSPORTS {
        let run = attempts.run("env", transport, behavior, &["--no-sandbox"]);
        assert_eq!(run.report["readers"][0]["sandbox"], json!({"mode": "off", "why": "--no-sandbox"}));
        for (word, _) in TRIED {
            assert_eq!(run.grade(reader, &format!("pte/try/{word}")), "pass", "{:?}", run.report);
        }
        assert_eq!(attempts.harmed(), ["write", "truncate", "remove", "rename", "mkdir"]);
    }
    // If the report format has no field for the warning about the sandbox, `run` prints the warning to stderr. For a built-in
    // reader, `run` prints no warning.
    let worker = faux("exec", "worker");
    let mut shown = String::new();
    for (reader, format) in [
        (worker.as_str(), "text"),
        (&worker, "html"),
        (&worker, "junit"),
        (&worker, "sarif"),
        (&worker, "markdown"),
        ("builtin:reject-all", "text"),
    ] {
        let args = ["--cases", "pte/may/*", "--no-sandbox", "--reader", reader];
        let (_, report, stderr) = attempts.corpus.reported(format, &args);
        let notes = report
            .split(['\n', '<', '·'])
            .filter(|text| text.contains("not sandboxed"))
            .map(|text| text.trim().to_owned());
        let notes: Vec<_> = notes.chain(stderr.lines().map(|line| format!("stderr: {line}"))).collect();
        shown += &format!("{format}\n{}\n\n", notes.join("\n"));
    }
    insta::assert_snapshot!(shown);
    let (_, report, _) = attempts.corpus.reported("json", &["--cases", "pte/may/*"]);
    assert!(serde_json::from_str::<serde_json::Value>(&report).unwrap()["readers"][0].get("sandbox").is_none());
}

/// A reader cannot change the limits of the runner or the supervisor, so later cases have their usual grades.
#[test]
fn a_reader_cannot_change_limits_of_other_processes() {
    let sandbox = Sandbox::available();
    if !sandbox.is_active() || sandbox.lacks.iter().any(|lack| lack == "changing limits of other processes") {
        eprintln!("NOT RUN: the sandbox protects limits: {sandbox}");
        return;
    }
    let corpus = TestCorpus::new("limits")
        .accept("pte/a/1", "try limit-all")
        .accept("pte/a/2", "accept")
        .accept("pte/a/3", "signal 11")
        .accept("pte/a/4", "accept")
        .write();
    for (transport, behavior, reader) in TRANSPORTS {
        for jobs in ["1", "2"] {
            let run = corpus.run_with(&[&faux(transport, behavior)], &["--jobs", jobs]);
            let grades = ["1", "2", "3", "4"].map(|case| run.grade(reader, &format!("pte/a/{case}")).to_owned());
            assert_eq!(grades, ["rejects-valid", "pass", "crash", "pass"], "{:?}", run.report);
        }
    }
}

/// Each reader process has a private folder for temporary files. When the process ends, the folder is removed.
#[test]
fn temporary_files_are_removed_with_their_process() {
    let corpus = TestCorpus::new("temporary")
        .accept("pte/a/1", "try temporary mine")
        .accept("pte/a/2", "temporary-then-abort mine")
        .write();
    let place = corpus.folder().join("temporary");
    for args in [&[][..], &["--no-sandbox"]] {
        fs::create_dir_all(&place).unwrap();
        let readers = [faux("exec", "worker"), faux("once", "once")];
        let readers: Vec<&str> = readers.iter().flat_map(|reader| ["--reader", reader]).collect();
        let mut command = corpus.command(&[&readers[..], args].concat());
        let (_, report, _) = reported(command.env("TMPDIR", &place), "json");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let grades: Vec<_> = report["results"].as_array().unwrap().iter().map(|result| &result["grade"]).collect();
        assert_eq!(grades, ["pass", "crash", "pass", "crash"], "{report}");
        assert!(report["results"][1]["stderr"].as_str().unwrap().contains(place.to_str().unwrap()), "{report}");
        // The readers' private folders have been removed, so the folder `place` is empty.
        fs::remove_dir(&place).unwrap();
    }
}

/// The report describes the sandbox that the kernel provides.
#[test]
fn the_report_matches_the_kernel() {
    let corpus = TestCorpus::new("agree").accept("pte/a/1", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker")]);
    assert_eq!(run.report["readers"][0]["sandbox"], serde_json::to_value(Sandbox::available()).unwrap());
    let (_, text, _) = corpus.torchproof(&["--reader", &faux("exec", "worker")]);
    assert!(text.starts_with(&format!("{}\n", Sandbox::available())), "{text}");
}
