//! Tests how a signal ends a campaign.

use std::fs;
use std::process::{Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use testkit::processes::{MARK, wait_until, wait_until_ended};

use super::campaigns::{SIZE_DEPENDENT, clusters};
use super::command::{absent, real, run, scratch, torchproof};
use super::hunt;

const BLOCK: &str = "128";

fn interrupt(name: &str, args: &[&str], signal: Signal, condition: impl Fn() -> bool) -> Output {
    let mut command = torchproof(&[&["hunt", "--output", name], args].concat());
    let campaign =
        command.args(["--env", MARK]).env(MARK, name).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the campaign is ready", condition);
    kill_process(Pid::from_child(&campaign), signal).unwrap();
    let output = campaign.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(stderr.ends_with("torchproof: interrupted; repeat the command to continue the campaign\n"), "{stderr}");
    assert!(!scratch().join(name).join("work").exists(), "the campaign leaves input files");
    wait_until_ended(name);
    output
}

#[test]
fn a_signal_ends_a_campaign_that_can_be_continued() {
    fn args(count: &str) -> [&str; 10] {
        ["--reader", SIZE_DEPENDENT, "--seed", "9", "--shrink", "0s", "--jobs", "2", "--count", count]
    }
    let findings = absent("ended").join("findings.jsonl");
    for (signal, least) in [(Signal::TERM, 1), (Signal::INT, 3)] {
        let found = || fs::read_to_string(&findings).is_ok_and(|text| text.lines().count() >= least);
        let output = interrupt("ended", &[&["--time", "10m"], &args("100000")[..]].concat(), signal, found);
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(stdout.contains("\nended: ") && stdout.contains(" not shrunk yet"), "{stdout}");
    }
    absent("uninterrupted");
    // The signals arrive during the first block; its files are tested in arbitrary order.
    let [continued, whole] = ["ended", "uninterrupted"].map(|name| hunt(name, &args(BLOCK)).1);
    assert_eq!(clusters(&continued), clusters(&whole));
}

/// The signal ends the reader, so the last outcome looks like a hang. The campaign must not store this hang.
#[test]
fn a_signal_during_shrinking_keeps_the_file_at_the_same_outcome() {
    let place = absent("cut");
    let [mark, base] = [scratch().join("cut.mark"), real("linear.pte")].map(|path| path.to_str().unwrap().to_owned());
    let reader = format!("once:sh -c '[ $(stat -c %s \"$1\") -lt 100 ] || {{ touch \"{mark}\"; sleep 600; }}' sh");
    let args = ["--no-sandbox", "--reader", &reader, "--from", &base, "--rule", "eh-length-min", "--count", "1"];
    let (_, report) = hunt("cut", &[&args[..], &["--shrink", "0s", "--case-timeout", "200ms"]].concat());
    assert_eq!(report["clusters"][0]["kind"], "hang", "{report}");
    fs::remove_file(&mark).unwrap();
    let slow = [&args[..], &["--time", "0s", "--shrink", "10m", "--case-timeout", "10m"]].concat();
    let output = interrupt("cut", &slow, Signal::INT, || fs::exists(&mark).unwrap());
    assert!(String::from_utf8(output.stdout).unwrap().contains(", 1 not shrunk yet"));
    let id = report["clusters"][0]["id"].as_str().unwrap();
    let size = fs::metadata(place.join("clusters").join(id).join("shrunk.pte")).unwrap().len();
    assert!(size >= 100, "{size}");
    let again = run(&["hunt", "--output", "cut", "--again", id, "--case-timeout", "200ms"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    fs::remove_file(&mark).unwrap();
    let mut again = torchproof(&["hunt", "--output", "cut", "--again", id, "--case-timeout", "10m"]);
    let again =
        again.args(["--env", MARK]).env(MARK, "again").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the reader hangs", || fs::exists(&mark).unwrap());
    kill_process(Pid::from_child(&again), Signal::INT).unwrap();
    let output = again.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(130), &b""[..]), "{output:?}");
    wait_until_ended("again");
}
