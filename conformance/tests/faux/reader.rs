//! A reader that does whatever the file it is given tells it to do, for the tests of the runner.
//!
//! `faux-reader once FILE…` reads one case, `faux-reader worker [MANNERS]` speaks the reader protocol. The first line of
//! a case's first file is the order, see [`obey`]; the manners of a worker are in [`worker`].

use std::io::{BufRead, BufReader, Write, stderr, stdin, stdout};
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs, hint, process};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, getrlimit, kill_process, prlimit, setrlimit, setsid,
    test_kill_process,
};
use serde_json::{Value, json};

const LONG: Duration = Duration::from_secs(600);

/// What would be markup in one report or another.
const MARKUP: &str =
    "</script></pre><img src=x onerror=document.title=1>|**b**`c` @you #1 # SKIP {{ 7 }} ]]> --> \u{ffff}\u{1}";

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["once", file, ..] => once(obey(&order(file), 0)),
        ["once-model", manners, file] => once(model(&fs::read(file).unwrap_or_default(), 0, manners)),
        ["worker"] => worker(""),
        ["worker", manners] => worker(manners),
        ["sleep"] => sleep(LONG),
        ["sleep-apart"] => sleep_apart(),
        ["leave"] => {
            let _ = setsid();
            let _ = env::current_exe().and_then(|program| Command::new(program).arg("sleep-apart").spawn());
        }
        _ => exit(64),
    }
}

/// What a case's file says to do, when it is not to die of it.
enum Answer {
    Accept(Option<Value>),
    AcceptAt(String),
    Reject(String),
    Unsupported,
    Error,
    WrongSeq,
    Garbage,
    Twice,
    Nothing,
}

/// Follows the order; `reads` is how many cases this process has read before.
fn obey(order: &str, reads: u64) -> Answer {
    let (word, rest) = order.split_once(' ').unwrap_or((order, ""));
    match word {
        "accept" => Answer::Accept(None),
        "value" => Answer::Accept(serde_json::from_str(rest).ok()),
        "accept-at" => Answer::AcceptAt(rest.to_owned()),
        "reject" => Answer::Reject(rest.to_owned()),
        "unsupported" => Answer::Unsupported,
        "wrong-seq" => Answer::WrongSeq,
        "garbage" => Answer::Garbage,
        "twice" => Answer::Twice,
        "nothing" => Answer::Nothing,
        "error" => Answer::Error,
        "signal" => die_of(rest.parse().unwrap_or_default()),
        "staged-signal" => {
            eprintln!("torchproof-stage: header\ntorchproof-stage: meta");
            die_of(Signal::SEGV.as_raw())
        }
        // Once another case has been read; by itself it is accepted.
        "signal-when-used" if reads > 0 => die_of(Signal::SEGV.as_raw()),
        "signal-when-used" => Answer::Accept(None),
        "try" => tried(rest),
        "temporary-then-abort" => {
            eprintln!("{}", env::temp_dir().display());
            let _ = fs::write(env::temp_dir().join(rest), "mine");
            process::abort()
        }
        "abort" => process::abort(),
        "panic" => panic!("as told"),
        "exit" => exit(rest.parse().unwrap_or_default()),
        "sanitizer" => {
            eprintln!("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7");
            exit(1)
        }
        "sanitizer-behind-much" => {
            let _ = stderr().write_all(&[b'x'; 40 << 10]);
            eprintln!("\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7");
            Answer::Accept(None)
        }
        "hang" => {
            sleep(LONG);
            Answer::Nothing
        }
        "spin" => loop {
            hint::spin_loop();
        },
        "overflow" => {
            eprintln!("{}", descend(0));
            Answer::Nothing
        }
        "hoard" => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1u8; 8 << 20]);
                hint::black_box(&hoard);
            }
        }
        "flood" => loop {
            if stdout().write_all(&[b'x'; 1 << 16]).is_err() {
                exit(0);
            }
        },
        "flood-stderr" => {
            for _ in 0..64 {
                let _ = stderr().write_all(&[b'x'; 1 << 16]);
            }
            eprintln!("\nthe end");
            Answer::Accept(None)
        }
        // A child that keeps all pipes open; its number goes to stderr.
        "orphan" => {
            let child = env::current_exe().and_then(|program| Command::new(program).arg("sleep").spawn());
            eprintln!("orphan {}", child.map_or(0, |child| child.id()));
            obey(rest, reads)
        }
        // The same in a session of its own, whose parent lives on or is gone.
        "setsid" => escaped("sleep-apart", rest, reads),
        "double-fork" => escaped("leave", rest, reads),
        "close" => {
            if let Ok(nothing) = fs::File::create("/dev/null") {
                let _ = rustix::stdio::dup2_stdout(nothing);
            }
            sleep(LONG);
            Answer::Nothing
        }
        _ => exit(65),
    }
}

/// Goes on once what was started is out of reach of this process's group.
fn escaped(how: &str, order: &str, reads: u64) -> Answer {
    let child = env::current_exe().and_then(|program| Command::new(program).arg(how).stdout(Stdio::piped()).spawn());
    let mut pid = String::new();
    let _ = child.map(|child| child.stdout.map(|stdout| BufReader::new(stdout).read_line(&mut pid)));
    eprintln!("orphan {}", pid.trim());
    obey(order, reads)
}

fn sleep_apart() {
    let _ = setsid();
    println!("{}", process::id());
    sleep(LONG);
}

/// Tries what no reader has any business doing; accepts where it was let.
fn tried(what: &str) -> Answer {
    let (word, place) = what.split_once(' ').unwrap_or((what, ""));
    let done = match word {
        "write" => fs::write(place, "mine").is_ok(),
        "append" => fs::OpenOptions::new().append(true).open(place).is_ok(),
        "truncate" => {
            rustix::fs::open(place, rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::TRUNC, 0o644.into()).is_ok()
        }
        "remove" => fs::remove_file(place).is_ok(),
        "rename" => fs::rename(place, format!("{place}.mine")).is_ok(),
        "mkdir" => fs::create_dir(place).is_ok(),
        "temporary" => fs::write(env::temp_dir().join(place), "mine").is_ok(),
        "connect" => TcpStream::connect(place).is_ok(),
        "listen" => TcpListener::bind("127.0.0.1:0").is_ok(),
        "abstract-socket" => {
            let address = SocketAddr::from_abstract_name(place);
            address.and_then(|address| UnixStream::connect_addr(&address)).is_ok()
        }
        // Nothing is sent, but it is asked whether something could be.
        "signal-runner" => getppid().is_some_and(|runner| test_kill_process(runner).is_ok()),
        "limit-runner" => getppid().is_some_and(|runner| limit(runner, Resource::Core, None)),
        "limit-all" => limit_all(),
        "limit-itself" => limit_itself(),
        "read" => fs::read(place).is_ok(),
        "run" => Command::new(place).status().is_ok_and(|status| status.success()),
        _ => exit(69),
    };
    if done { Answer::Accept(None) } else { Answer::Reject("structure".to_owned()) }
}

/// Sets a limit of a process, to what it is already if to nothing else; whether that was possible.
fn limit(pid: Pid, resource: Resource, to: Option<u64>) -> bool {
    let Ok(limits) = fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_pid())) else { return false };
    let name = if resource == Resource::Core { "Max core file size" } else { "Max open files" };
    let Some(line) = limits.lines().find_map(|line| line.strip_prefix(name)) else { return false };
    let mut now = line.split_whitespace().map(|number| number.parse().ok());
    let (soft, hard) = (now.next().flatten(), now.next().flatten());
    let new = Rlimit { current: to.or(soft), maximum: to.or(hard) };
    prlimit(Some(pid), resource, new).is_ok()
}

/// Takes all files from the supervisor and the runner, and tries the same of every process without harm; whether any of it worked.
fn limit_all() -> bool {
    let parent_of = |pid: Pid| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
        Pid::from_raw(stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?)
    };
    let supervisor = getppid();
    let above = [supervisor, supervisor.and_then(parent_of)].into_iter().flatten();
    let mut done = above.filter(|pid| limit(*pid, Resource::Nofile, Some(0))).count();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = all.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    done += all.filter(|pid| *pid != getpid() && limit(*pid, Resource::Core, None)).count();
    done > 0
}

/// Sets a limit of this process, and queries one of its parent.
fn limit_itself() -> bool {
    let parent = getppid().map_or(0, Pid::as_raw_pid);
    setrlimit(Resource::Core, getrlimit(Resource::Core)).is_ok() && fs::read(format!("/proc/{parent}/limits")).is_ok()
}

fn die_of(signal: i32) -> ! {
    let Some(signal) = Signal::from_named_raw(signal) else { exit(66) };
    // Rust's own handler of SIGSEGV takes the first, finds no fault of the stack, and takes itself away.
    loop {
        let _ = kill_process(getpid(), signal);
    }
}

fn descend(depth: u64) -> u64 {
    let ballast = hint::black_box([depth; 512]);
    if depth == u64::MAX { 0 } else { descend(depth + 1) + ballast[7] }
}

/// Reads the order, and does to the file itself what that says; what remains is for [`obey`].
fn order(file: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let order = text.lines().next().unwrap_or_default();
    let Some((word, rest)) = order.split_once(' ') else { return order.to_owned() };
    match word {
        "truncate-input" => {
            let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o644));
            let _ = fs::File::create(file);
        }
        "map-input" => write_through_map(file),
        "delete-input" => {
            let _ = fs::remove_file(file);
        }
        "delete-folder" => {
            let _ = Path::new(file).parent().map(fs::remove_dir_all);
        }
        "delete-all" => {
            let _ = Path::new(file).parent().and_then(Path::parent).map(fs::remove_dir_all);
        }
        _ => return order.to_owned(),
    }
    rest.to_owned()
}

/// Changes a file as a program may that has mapped it: where it may write at all, a page that was read before is written to without
/// the system's notice.
#[allow(unsafe_code, reason = "a map is memory that others may change")]
fn write_through_map(file: &str) {
    use rustix::mm::{MapFlags, ProtFlags, mmap};
    let open = || fs::File::options().read(true).write(true).open(file);
    let file = open().or_else(|_| {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644))?;
        open()
    });
    let Ok(file) = file else { return };
    // SAFETY: nothing else is at an address that the system chooses; the page is in the file, and nobody else writes to it.
    unsafe {
        let both = ProtFlags::READ | ProtFlags::WRITE;
        let Ok(map) = mmap(std::ptr::null_mut(), 1, both, MapFlags::SHARED, &file, 0) else { return };
        let first = map.cast::<u8>();
        let found = first.read_volatile();
        first.write_volatile(found ^ 1);
    }
}

fn once(answer: Answer) {
    match answer {
        Answer::Accept(value) => {
            if let Some(value) = value {
                println!("{value}");
            }
        }
        Answer::Reject(stage) => {
            eprintln!("no, at {stage}");
            exit(1)
        }
        Answer::Unsupported => exit(2),
        _ => exit(67),
    }
}

/// What it is given of a file, which is said to begin somewhere in what is there only by a delivery that it may name.
fn delivered(request: &Value, manners: &str) -> Vec<u8> {
    let file = &request["files"][0];
    let bytes = fs::read(file["path"].as_str().unwrap_or_default()).unwrap_or_default();
    let [from, size] = ["offset", "size"].map(|name| file[name].as_u64().and_then(|value| usize::try_from(value).ok()));
    match (request["delivery"].as_str(), from) {
        (Some("file-at-offset"), Some(from)) if manners == "model at-offset" => {
            bytes.into_iter().skip(from).take(size.unwrap_or(usize::MAX)).collect()
        }
        (Some("file"), None) if manners != "model at-offset" => bytes,
        _ => exit(70),
    }
}

/// Takes a file of this size with a program's identifier for a program, and obeys the selftest, but for its manners.
fn model(bytes: &[u8], size: u64, manners: &str) -> Answer {
    if (bytes.len() as u64) < size {
        match manners {
            "model rejects-truncated" => return Answer::Reject("structure".to_owned()),
            "model takes-truncated" => return Answer::Accept(None),
            "model dies-of-truncated" => process::abort(),
            "model does-not-do-truncated" => return Answer::Unsupported,
            "model garbles-truncated" => return Answer::Garbage,
            _ => return Answer::Error,
        }
    }
    match bytes {
        b"torchproof-selftest: crash\n" if manners == "model catches-crashes" => Answer::Reject("structure".to_owned()),
        b"torchproof-selftest: sleep\n" if manners == "model dies-of-sleep" => process::abort(),
        b"" if manners == "model dies-of-nothing" => process::abort(),
        b"torchproof-selftest: crash\n" if !matches!(manners, "model" | "model swallows") => process::abort(),
        b"torchproof-selftest: sleep\n" if !matches!(manners, "model" | "model swallows") => {
            sleep(LONG);
            Answer::Nothing
        }
        bytes if bytes.get(4..8) == Some(b"ET12") => Answer::Accept(None),
        _ if manners == "model takes-all" => Answer::Accept(None),
        _ => Answer::Reject("structure".to_owned()),
    }
}

/// A worker is well-behaved but for its manners, where `dies-after` counts cases.
fn worker(manners: &str) {
    match manners {
        "no-start" => exit(5),
        "crash-start" => die_of(Signal::SEGV.as_raw()),
        "no-hello" => sleep(LONG),
        "close-hello" => {
            obey("close", 0);
        }
        "garbage-hello" => println!("ready!"),
        _ => {}
    }
    let (mut reads, mut hellos) = (0, 0);
    for line in stdin().lock().lines() {
        let Ok(request) = line.map(|line| serde_json::from_str::<Value>(&line).unwrap_or_default()) else { return };
        match request["op"].as_str() {
            Some("hello") => {
                hellos += 1;
                let mut hello = hello(manners);
                match manners {
                    "model hello-once" if hellos > 1 => continue,
                    "model other-hello" => hello["version"] = json!(hellos.to_string()),
                    _ => {}
                }
                say(&hello);
                if manners == "model babbles-hello" {
                    println!("ready");
                }
            }
            // As little as a reader can do: what is left is what the runner costs.
            Some("read") if manners == "idle" => reply(Answer::Accept(None), &request, manners),
            Some("read") if manners == "refuses" => reply(Answer::Reject("data".to_owned()), &request, manners),
            Some("read") if manners.starts_with("model") => {
                let file = &request["files"][0];
                let answer = match manners {
                    "model knows-all" if request.get("later").is_some() => exit(4),
                    "model takes-roles" if file["role"] == "bundled" => Answer::Accept(None),
                    "model dies-of-roles" if file["role"] == "bundled" => exit(4),
                    _ => {
                        let size = file["size"].as_u64().unwrap_or_default();
                        model(&delivered(&request, manners), size, manners)
                    }
                };
                reads += 1;
                let mut request = request.clone();
                if manners == "model counts" {
                    request["seq"] = json!(reads);
                }
                reply(answer, &request, manners);
                if manners == "model babbles" {
                    println!("done");
                }
            }
            Some("read") => {
                let file = request["files"][0]["path"].as_str().unwrap_or_default();
                let answer = obey(&order(file), reads);
                reads += 1;
                reply(answer, &request, manners);
                match manners {
                    "babbles-later" => {
                        sleep(Duration::from_millis(20));
                        println!("done");
                    }
                    "dies-after" if reads == 2 => exit(0),
                    _ => {}
                }
                if manners == "deaf" {
                    sleep(LONG);
                }
            }
            Some("bye") => match manners {
                "ignores-bye" => sleep(LONG),
                "babbles-on-bye" => {
                    println!("bye!");
                    return;
                }
                "crashes-on-bye" => process::abort(),
                "model fails-on-bye" => exit(4),
                _ => return,
            },
            _ => exit(68),
        }
    }
}

fn hello(manners: &str) -> Value {
    let stages = match manners {
        "no-stages" => json!([]),
        "odd-stages" => json!(["structure", "everything"]),
        "shallow" => json!(["structure"]),
        _ => json!(["data", "structure", "meta"]),
    };
    let formats = match manners {
        "pte-only" => json!(["pte"]),
        "odd-format" => json!(["PTE", "ptd"]),
        _ => json!(["pte", "ptd", "ptd-legacy"]),
    };
    let capabilities = match manners {
        "value" | "no-value" => json!(["value"]),
        "odd-capability" => json!(["telepathy"]),
        "idle" | "refuses" => json!(["constant-buffer", "pairs", "bundled"]),
        "model" => json!([]),
        _ if manners.starts_with("model ") => json!(["selftest"]),
        _ => json!([]),
    };
    let protocol = if manners == "old-protocol" { 99 } else { 1 };
    let name = match manners {
        "hostile" => "\u{1b}[31mfaux",
        "markup" => "<b>faux</b>|*&\"'`#{0}]]>",
        _ => "faux",
    };
    let deliveries = if manners == "model at-offset" { json!(["file-at-offset"]) } else { json!(["file"]) };
    json!({"protocol": protocol, "name": name, "version": "0", "language": "rust", "formats": formats,
           "stages": stages, "capabilities": capabilities, "deliveries": deliveries, "later": true})
}

fn reply(answer: Answer, request: &Value, manners: &str) {
    let (seq, asked) = (&request["seq"], &request["stage"]);
    match answer {
        Answer::Accept(value) if manners == "value" && request["want"] == "value" => {
            say(&json!({"seq": seq, "outcome": "accept", "stage": asked, "value": value.unwrap_or(json!({}))}));
        }
        Answer::Accept(_) => say(&json!({"seq": seq, "outcome": "accept", "stage": asked})),
        Answer::AcceptAt(stage) => say(&json!({"seq": seq, "outcome": "accept", "stage": stage})),
        Answer::Reject(_) if manners == "no-stages" => say(&json!({"seq": seq, "outcome": "reject", "message": "no"})),
        Answer::Reject(stage) if manners == "hostile" => {
            say(&json!({"seq": seq, "outcome": "reject", "stage": stage, "message": "\u{1b}[2J\u{202e}no\nno"}));
        }
        Answer::Reject(stage) if manners == "markup" => {
            say(&json!({"seq": seq, "outcome": "reject", "stage": stage, "message": MARKUP}));
        }
        Answer::Reject(stage) if manners == "tells-names" => {
            let path = &request["files"][0]["path"];
            say(&json!({"seq": seq, "outcome": "reject", "stage": stage, "message": path}));
        }
        Answer::Reject(stage) if stage.is_empty() => say(&json!({"seq": seq, "outcome": "reject", "message": "no"})),
        Answer::Reject(stage) => say(&json!({"seq": seq, "outcome": "reject", "stage": stage, "message": "no"})),
        Answer::Unsupported => say(&json!({"seq": seq, "outcome": "unsupported", "message": "not me"})),
        Answer::Error => say(&json!({"seq": seq, "outcome": "error", "message": "cut short"})),
        Answer::WrongSeq => {
            say(&json!({"seq": seq.as_u64().unwrap_or_default() + 1, "outcome": "accept", "stage": asked}));
        }
        // At once, so that no runner reads one without the other.
        Answer::Twice => {
            let answer = json!({"seq": seq, "outcome": "accept", "stage": asked});
            let _ = stdout().write_all(format!("{answer}\ndone\n").as_bytes());
        }
        Answer::Garbage => println!("loading…\u{7}"),
        Answer::Nothing => {}
    }
}

fn say(value: &Value) {
    let mut stdout = stdout().lock();
    let _ = writeln!(stdout, "{value}");
    let _ = stdout.flush();
}
