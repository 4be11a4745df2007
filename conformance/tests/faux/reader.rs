//! A reader for testing the runner. It does what an order in its input file says.
//!
//! `faux-reader once FILE…` reads one case. `faux-reader worker [BEHAVIOR]` implements the reader protocol. The order
//! is the first line of a case's first file. See [`obey`] for the orders and [`worker`] for the behaviors.

mod cheat;
mod panics;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write, stderr, stdin, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs, hint, process};

use rustix::process::{Signal, getpid, kill_process, setsid};
use serde_json::{Value, json};
use torchproof::corpus;

use cheat::Cheat;

const LONG: Duration = Duration::from_secs(600);

/// Text with special characters or markup from every report format.
const MARKUP: &str =
    "</script></pre><img src=x onerror=document.title=1>|**b**`c` @you #1 # SKIP {{ 7 }} ]]> --> \u{ffff}\u{1}";

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["once", file, ..] => once(obey(&order(file), 0)),
        ["once-model", behavior, file] => once(model(&fs::read(file).unwrap_or_default(), 0, behavior)),
        ["worker"] => worker(""),
        ["worker", behavior, ..] => worker(behavior),
        ["sleep", _] => sleep(LONG),
        ["sleep-apart", token] => sleep_apart(token),
        ["leave", token] => {
            let _ = setsid();
            let _ = env::current_exe().and_then(|program| Command::new(program).args(["sleep-apart", token]).spawn());
        }
        _ => exit(64),
    }
}

#[derive(Default)]
struct Answer {
    /// A worker adds the request's sequence number and, if the outcome is `accept`, the stage.
    reply: Option<Value>,
    /// Output after the reply, written in the same call so that the runner receives both together.
    trailer: &'static str,
}

fn obey(order: &str, reads: u64) -> Answer {
    let (word, rest) = order.split_once(' ').unwrap_or((order, ""));
    let replied = |reply| Answer { reply: Some(reply), trailer: "" };
    match word {
        "accept" => replied(json!({"outcome": "accept"})),
        "value" => {
            replied(json!({"outcome": "accept", "value": serde_json::from_str::<Value>(rest).unwrap_or_default()}))
        }
        "accept-at" => replied(json!({"outcome": "accept", "stage": rest})),
        "reject" if rest.is_empty() => replied(json!({"outcome": "reject", "message": "no"})),
        "reject" => replied(json!({"outcome": "reject", "message": "no", "stage": rest})),
        "unsupported" => replied(json!({"outcome": "unsupported", "message": "not me"})),
        "error" => replied(json!({"outcome": "error", "message": "cut short"})),
        "wrong-seq" => replied(json!({"outcome": "accept", "seq": 0})),
        "garbage" => Answer { reply: None, trailer: "loading…\u{7}\n" },
        "twice" => Answer { trailer: "done\n", ..obey("accept", 0) },
        "nothing" => Answer::default(),
        "signal" => die_of(rest.parse().unwrap_or_default()),
        // Print that a stage starts, then obey the rest of the order.
        "at" => {
            let (stage, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            eprintln!("torchproof-stage: {stage}");
            obey(rest, reads)
        }
        "staged-signal" => {
            eprintln!("torchproof-stage: header\ntorchproof-stage: meta");
            die_of(Signal::SEGV.as_raw())
        }
        // Crash if this process has already read a case, otherwise accept.
        "signal-when-used" if reads > 0 => die_of(Signal::SEGV.as_raw()),
        "signal-when-used" => obey("accept", reads),
        // Write a temporary file, then obey the rest of the order.
        "temporary" => match fs::write(env::temp_dir().join("mine"), "mine") {
            Ok(()) => {
                eprintln!("{}", env::temp_dir().display());
                obey(rest, reads)
            }
            Err(_) => exit(69),
        },
        "abort" => process::abort(),
        "panic" => panics::as_ordered(),
        "exit" => exit(rest.parse().unwrap_or_default()),
        "sanitizer" => {
            eprintln!("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7");
            exit(1)
        }
        "sanitizer-after-output" => {
            let _ = stderr().write_all(&[b'x'; 40 << 10]);
            eprintln!("\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7");
            obey("accept", reads)
        }
        "hang" => {
            sleep(LONG);
            Answer::default()
        }
        "spin" => loop {
            hint::spin_loop();
        },
        "overflow" => {
            eprintln!("{}", descend(0));
            Answer::default()
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
            obey("accept", reads)
        }
        // Start a child that keeps all pipes open, and print the child's last argument to stderr.
        "orphan" => {
            let token = token();
            let _ = env::current_exe().and_then(|program| Command::new(program).args(["sleep", &token]).spawn());
            eprintln!("orphan {token}");
            obey(rest, reads)
        }
        // Start a child in its own session. For `double-fork`, the child's parent also ends.
        "setsid" => escaped("sleep-apart", rest, reads),
        "double-fork" => escaped("leave", rest, reads),
        // Before closing, print the rest of the order to stderr.
        "close" => {
            eprintln!("{rest}");
            if let Ok(nothing) = fs::File::create("/dev/null") {
                let _ = rustix::stdio::dup2_stdout(nothing);
            }
            sleep(LONG);
            Answer::default()
        }
        _ => exit(65),
    }
}

/// The child leaves this process's group before the order is obeyed.
fn escaped(how: &str, order: &str, reads: u64) -> Answer {
    let child = env::current_exe()
        .and_then(|program| Command::new(program).args([how, &token()]).stdout(Stdio::piped()).spawn());
    let mut token = String::new();
    let _ = child.map(|child| child.stdout.map(|stdout| BufReader::new(stdout).read_line(&mut token)));
    eprintln!("orphan {}", token.trim());
    obey(order, reads)
}

/// Returns a token instead of a process id, which has no meaning outside its namespace.
fn token() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", env::temp_dir().display(), process::id(), now.as_nanos())
}

fn sleep_apart(token: &str) {
    let _ = setsid();
    println!("{token}");
    sleep(LONG);
}

fn die_of(signal: i32) -> ! {
    let Some(signal) = Signal::from_named_raw(signal) else { exit(66) };
    // Rust's SIGSEGV handler catches the first signal, finds no stack overflow, and removes itself. Therefore, repeat
    // the signal.
    loop {
        let _ = kill_process(getpid(), signal);
    }
}

fn descend(depth: u64) -> u64 {
    let ballast = hint::black_box([depth; 512]);
    if depth == u64::MAX { 0 } else { descend(depth + 1) + ballast[7] }
}

/// Obeys a leading order to change the input file or its folders. Returns the rest for [`obey`].
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

/// A write through a mapping does not update the file's times right away.
#[allow(unsafe_code, reason = "a map is memory that others may change")]
fn write_through_map(file: &str) {
    use rustix::mm::{MapFlags, ProtFlags, mmap};
    let open = || fs::File::options().read(true).write(true).open(file);
    let file = open().or_else(|_| {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644))?;
        open()
    });
    let Ok(file) = file else { return };
    // SAFETY: the system chooses a free address, and nothing else writes to the page, which is inside the file.
    unsafe {
        let both = ProtFlags::READ | ProtFlags::WRITE;
        let Ok(map) = mmap(std::ptr::null_mut(), 1, both, MapFlags::SHARED, &file, 0) else { return };
        let first = map.cast::<u8>();
        let found = first.read_volatile();
        first.write_volatile(found ^ 1);
    }
}

fn once(answer: Answer) {
    let reply = answer.reply.unwrap_or_default();
    match reply["outcome"].as_str() {
        Some("accept") => {
            if let Some(value) = reply.get("value") {
                println!("{value}");
            }
        }
        Some("reject") => {
            eprintln!("no, at {}", reply["stage"].as_str().unwrap_or_default());
            exit(1)
        }
        Some("unsupported") => exit(2),
        _ => exit(67),
    }
}

fn delivered(request: &Value, behavior: &str) -> Vec<u8> {
    let file = &request["files"][0];
    let bytes = fs::read(file["path"].as_str().unwrap_or_default()).unwrap_or_default();
    let [from, size] = ["offset", "size"].map(|name| file[name].as_u64().and_then(|value| usize::try_from(value).ok()));
    match (request["delivery"].as_str(), from) {
        (Some("file-at-offset"), Some(from)) if behavior == "model at-offset" => {
            bytes.into_iter().skip(from).take(size.unwrap_or(usize::MAX)).collect()
        }
        (Some("file"), None) if behavior != "model at-offset" => bytes,
        _ => exit(70),
    }
}

/// Accepts programs by identifier, and obeys the markers of the selftest. `size` is the complete file's length.
fn model(bytes: &[u8], size: u64, behavior: &str) -> Answer {
    if (bytes.len() as u64) < size {
        let order = match behavior {
            "model rejects-truncated" => "reject structure",
            "model accepts-truncated" => "accept",
            "model crashes-on-truncated" => "abort",
            "model unsupported-truncated" => "unsupported",
            "model garbles-truncated" => "garbage",
            _ => "error",
        };
        return obey(order, 0);
    }
    let is_program = bytes.get(4..8) == Some(b"ET12");
    let is_late = || corpus::find("pte/constants/index-past-end").is_some_and(|case| case.build().bytes == bytes);
    if let Some(order) = behavior.strip_prefix("model late: ").filter(|_| is_late()) {
        return obey(order, 0);
    }
    let order = match (behavior, bytes) {
        ("model catches-crashes", b"torchproof-selftest: crash\n") => "reject structure",
        ("model crashes-on-sleep", b"torchproof-selftest: sleep\n") | ("model crashes-on-empty", b"") => "abort",
        ("model" | "model ignores-markers", _) if !is_program => "reject structure",
        ("model values", _) if is_program => return obey(&format!("value {{\"size\": {}}}", bytes.len()), 0),
        ("model constant-values", _) if is_program => "value {}",
        (_, b"torchproof-selftest: crash\n") => "abort",
        (_, b"torchproof-selftest: sleep\n") => "hang",
        _ if is_program || behavior == "model accepts-all" => "accept",
        _ => "reject structure",
    };
    obey(order, 0)
}

fn worker(behavior: &str) {
    match behavior {
        "no-start" => exit(5),
        "crash-start" => die_of(Signal::SEGV.as_raw()),
        "no-hello" => sleep(LONG),
        // Only the second start sends a `hello` reply.
        "slow-once" if fs::File::create_new(env::args().nth(3).unwrap_or_default()).is_ok() => sleep(LONG),
        "close-hello" => {
            obey("close", 0);
        }
        "garbage-hello" => println!("ready!"),
        _ => {}
    }
    let (mut reads, mut hellos) = (0, 0);
    let mut cached = HashMap::new();
    let mut cheat = Cheat::new(behavior);
    for line in stdin().lock().lines() {
        let Ok(request) = line.map(|line| serde_json::from_str::<Value>(&line).unwrap_or_default()) else { return };
        match request["op"].as_str() {
            Some("hello") => {
                hellos += 1;
                let mut hello = hello(behavior);
                match behavior {
                    "model hello-once" if hellos > 1 => continue,
                    "model other-hello" => hello["version"] = json!(hellos.to_string()),
                    _ => {}
                }
                write_out(&format!("{hello}\n"));
                if behavior == "model prints-after-hello" {
                    println!("ready");
                }
            }
            Some("read") => {
                let file = &request["files"][0];
                let answer = match behavior {
                    // Do as little as possible so that benchmarks measure only the runner's overhead.
                    "idle" => obey("accept", reads),
                    "rejects" => obey("reject data", reads),
                    "model exits-on-unknown-members" if request.get("later").is_some() => exit(4),
                    "model accepts-roles" if file["role"] == "bundled" => obey("accept", reads),
                    "model exits-on-roles" if file["role"] == "bundled" => exit(4),
                    _ if behavior.starts_with("cheat ") => obey(cheat.decide(&request), reads),
                    _ if behavior.starts_with("model") => {
                        let path = file["path"].as_str().unwrap_or_default();
                        let reads = || {
                            model(&delivered(&request, behavior), file["size"].as_u64().unwrap_or_default(), behavior)
                        };
                        match behavior {
                            "model rejects-missing" if !Path::new(path).exists() => obey("reject structure", 0),
                            _ if !Path::new(path).exists() => obey("error", 0),
                            "model caches-paths" => {
                                let reply = cached.entry(path.to_owned()).or_insert_with(|| reads().reply);
                                Answer { reply: reply.clone(), trailer: "" }
                            }
                            _ => reads(),
                        }
                    }
                    _ => obey(&order(file["path"].as_str().unwrap_or_default()), reads),
                };
                reads += 1;
                let mut request = request.clone();
                if behavior == "model renumbers" {
                    request["seq"] = json!(reads);
                }
                reply(answer, &request, behavior);
                match behavior {
                    "model prints-after-reply" => println!("done"),
                    "prints-between-requests" => {
                        sleep(Duration::from_millis(20));
                        println!("done");
                    }
                    "exits-after-two" if reads == 2 => exit(0),
                    "stops-reading" => sleep(LONG),
                    _ => {}
                }
            }
            Some("bye") => match behavior {
                "ignores-bye" => sleep(LONG),
                "prints-on-bye" => {
                    println!("bye!");
                    return;
                }
                "aborts-on-bye" => process::abort(),
                "model fails-on-bye" => exit(4),
                _ => return,
            },
            _ => exit(68),
        }
    }
}

fn hello(behavior: &str) -> Value {
    let mut hello = json!({"protocol": 1, "name": "faux", "version": "0", "language": "rust", "later": true,
                           "formats": ["pte", "ptd", "ptd-legacy"], "stages": ["data", "structure", "meta"],
                           "capabilities": [], "deliveries": ["file"]});
    let (member, value) = match behavior {
        "no-stages" => ("stages", json!([])),
        "odd-stages" => ("stages", json!(["structure", "everything"])),
        "pte-only" => ("formats", json!(["pte"])),
        "current-only" => ("formats", json!(["pte", "ptd"])),
        "odd-format" => ("formats", json!(["PTE", "ptd"])),
        "value" | "no-value" => ("capabilities", json!(["value"])),
        "executes" => {
            hello["stages"] = json!(["structure", "data", "execute"]);
            ("capabilities", json!(["bundled"]))
        }
        "odd-capability" => ("capabilities", json!(["telepathy"])),
        "idle" | "rejects" => ("capabilities", json!(["constant-buffer", "pairs", "bundled"])),
        _ if behavior.starts_with("cheat want") => ("capabilities", json!(["pairs", "value"])),
        _ if behavior.starts_with("cheat ") => ("capabilities", json!(["pairs"])),
        "old-protocol" => ("protocol", json!(99)),
        "hostile" => ("name", json!("\u{1b}[31mfaux")),
        "markup" => ("name", json!("<b>faux</b>|*&\"'`#{0}]]>")),
        "model values" | "model constant-values" | "model no-values" => ("capabilities", json!(["selftest", "value"])),
        _ if behavior.starts_with("model ") => ("capabilities", json!(["selftest"])),
        _ => return hello,
    };
    hello[member] = value;
    match behavior {
        "model at-offset" => hello["deliveries"] = json!(["file-at-offset"]),
        _ if behavior.starts_with("model late: ") => hello["stages"] = json!(["header", "structure", "meta"]),
        _ => {}
    }
    hello
}

fn reply(answer: Answer, request: &Value, behavior: &str) {
    let mut text = String::new();
    if let Some(mut reply) = answer.reply {
        let accepts = reply["outcome"] == "accept";
        let gives_values = ["value", "model values", "model constant-values"].contains(&behavior);
        if (gives_values || behavior.starts_with("cheat want")) && request["want"] == "value" && accepts {
            reply.as_object_mut().map(|reply| reply.entry("value").or_insert(json!({})));
        } else {
            reply.as_object_mut().map(|reply| reply.remove("value"));
        }
        let rejects = reply["outcome"] == "reject";
        match behavior {
            "no-stages" if rejects => reply = json!({"outcome": "reject", "message": "no"}),
            "hostile" if rejects => reply["message"] = json!("\u{1b}[2J\u{202e}no\nno"),
            "markup" if rejects => reply["message"] = json!(MARKUP),
            "reports-path" if rejects => reply["message"] = request["files"][0]["path"].clone(),
            _ => {}
        }
        for (member, value) in [("seq", &request["seq"]), ("stage", &request["stage"])] {
            if reply.get(member).is_none() && (member == "seq" || accepts) {
                reply[member] = value.clone();
            }
        }
        text = format!("{reply}\n");
    }
    write_out(&(text + answer.trailer));
}

fn write_out(text: &str) {
    let mut stdout = stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}
