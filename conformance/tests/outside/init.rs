//! Runs the files that `torchproof init` writes, for each language and each CI service.

testkit::command_in!("init");

use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use libtest_mimic::Trial;

use crate::need::{Need, trial};
use command::scratch;

/// The languages, each with the tool that builds or runs an adapter.
static LANGUAGES: [(&str, &[&str]); 5] =
    [("c", &["cc"]), ("cpp", &["c++"]), ("javascript", &["node"]), ("python", &["python3"]), ("rust", &["cargo"])];

/// The CI services, each with the file that contains the commands of the CI job.
const SERVICES: [(&str, &str); 3] =
    [("none", ""), ("github", ".github/workflows/conformance.yml"), ("gitlab", ".gitlab-ci.yml")];

/// The template fails two of these cases.
const FEW: &str = "--cases 'pte/identifier/*' --cases 'pte/header/length-*'";

/// Languages that are slow to compile or to start are tested only if `TORCHPROOF_EXAMPLES` is set. If it is not, only
/// the first language gets the jobs of all services, because the jobs differ little between languages.
pub(crate) fn trials() -> Vec<Trial> {
    let is_whole = env::var_os("TORCHPROOF_EXAMPLES").is_some();
    let languages = LANGUAGES.iter().filter(move |(name, _)| is_whole || ["c", "python"].contains(name));
    let of = move |&(language, tool): &(&'static str, &'static [&'static str])| {
        let services = if is_whole || language == LANGUAGES[0].0 { &SERVICES[..] } else { &SERVICES[..1] };
        trial(&format!("init::{language}"), &[Need::Tool(tool)], move || {
            services.iter().for_each(|service| runs(language, *service));
        })
    };
    languages.map(of).collect()
}

fn runs(language: &str, (service, job): (&str, &str)) {
    let folder = scratch().join(language).join(service);
    fs::create_dir_all(folder.join("conformance")).unwrap();
    if language == "rust" {
        build_offline(&folder);
    }
    let init = ["init", "--language", language, "--service", service, folder.to_str().unwrap()];
    let outcome = command::run(&init);
    let note =
        "torchproof: note: the CI job installs torchproof from PyPI, where the first release is not published yet\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), if service == "none" { "" } else { note }));
    let (_, printed) = outcome.stdout.split_once("\nNext: run ").unwrap();
    let (script, _) = printed.split_once(", then").unwrap();
    assert_eq!(script, folder.join("conformance/run.sh").to_str().unwrap());
    // Each command must also work a second time, and so must the command that the report prints.
    for command in commands(&folder.join(job)).iter().flat_map(|command| [command, command]) {
        let output = shell(&folder, &format!("{command} {FEW}"));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{command}: {output:?}");
        assert!(text.contains("\naccepts-invalid  pte/header/length-23: "), "{text}");
        assert!(text.contains(" 8 pass, 2 accepts-invalid, "), "{text}");
        let again = text.lines().last().unwrap();
        assert!(again.starts_with("torchproof run --rerun-failed conformance/target/results.jsonl"), "{text}");
        let again = shell(&folder, again);
        let text = String::from_utf8_lossy(&again.stdout);
        assert!(again.status.code() == Some(1) && text.contains(": 2 accepts-invalid\n"), "{again:?}");
    }
    let report = match service {
        "github" => "summary.md",
        "gitlab" => "junit.xml",
        _ => {
            repeats_findings(&folder);
            return expects_known_failures(&folder);
        }
    };
    assert!(fs::read_to_string(folder.join(report)).unwrap().contains("pte/header/length-23"));
}

/// The script, without the commands that install torchproof.
fn commands(job: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(job) else { return vec!["conformance/run.sh".to_owned()] };
    let commands = text.lines().map(str::trim).filter_map(|line| line.strip_prefix("- "));
    let commands = commands.map(|command| command.strip_prefix("run: ").unwrap_or(command));
    let commands: Vec<String> =
        commands.filter(|command| command.starts_with("conformance/")).map(str::to_owned).collect();
    assert_eq!(commands.len(), 1, "{text}");
    commands
}

/// Each command that `hunt` prints works twice in the project.
fn repeats_findings(folder: &Path) {
    let hunted = shell(folder, "torchproof hunt --reader once:true --count 8 --time 10m --shrink 0s");
    let text = String::from_utf8_lossy(&hunted.stdout);
    let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("torchproof ")).collect();
    assert!(hunted.status.code() == Some(1) && !commands.is_empty(), "{hunted:?}");
    for command in commands.into_iter().flat_map(|command| [command, command]) {
        let again = shell(folder, command);
        let text = String::from_utf8_lossy(&again.stdout);
        assert!(
            again.status.code() == Some(1) && text.ends_with(": the outcome has not changed\n"),
            "{command}: {again:?}"
        );
    }
}

/// If the failures are listed in `known.toml`, the script succeeds. The file `torchproof.toml` sets options of `check`.
fn expects_known_failures(folder: &Path) {
    let known = folder.join("conformance/known.toml");
    for code in [1, 0] {
        let update = shell(folder, &format!("conformance/run.sh {FEW} --update-known --reason unchecked"));
        assert_eq!(update.status.code(), Some(code), "{update:?}");
    }
    fs::remove_file(&known).unwrap();
    let update =
        shell(folder, &format!("conformance/run.sh {FEW} --known-failures conformance/known.toml --update-known"));
    assert_eq!(update.status.code(), Some(1), "{update:?}");
    let text = fs::read_to_string(&known).unwrap();
    fs::write(&known, text.replace("TODO: say why", "The template checks only the identifier.")).unwrap();
    let again = shell(folder, &format!("conformance/run.sh {FEW}"));
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    let program = command::real("linear_external.pte");
    for (options, code) in [("", 0), ("--pair-with none", 1)] {
        let check = shell(folder, &format!("torchproof check {options} {}", program.display()));
        assert_eq!(check.status.code(), Some(code), "{check:?}");
    }
    // Nothing is overwritten.
    let count = || fs::read_dir(folder.join("conformance")).unwrap().count();
    let before = count();
    let again = command::run(&["init", "--language", "c", folder.to_str().unwrap()]);
    assert_eq!((again.code, count()), (Some(2), before));
    assert!(again.stderr.contains(": already exists; "), "{}", again.stderr);
}

/// Removes `CARGO_TARGET_DIR`; otherwise, all tests would share that folder, where a run locks its results.
fn shell(folder: &Path, command: &str) -> Output {
    let programs = testkit::program("torchproof").parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path).env_remove("CARGO_TARGET_DIR");
    shell.env("GITHUB_STEP_SUMMARY", folder.join("summary.md")).output().unwrap()
}

/// Makes the builds in `folder` work offline and share one target folder.
fn build_offline(folder: &Path) {
    fs::create_dir_all(folder.join(".cargo")).unwrap();
    fs::write(folder.join(".cargo/config.toml"), "net.offline = true\n").unwrap();
    fs::copy(testkit::repository().join("Cargo.lock"), folder.join("conformance/Cargo.lock")).unwrap();
    let target = scratch().join("target");
    fs::create_dir_all(&target).unwrap();
    let _ = std::os::unix::fs::symlink(target, folder.join("conformance/target"));
}
