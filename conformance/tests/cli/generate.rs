//! The command: which files it writes, of which settings.

use std::fs;

use torchproof::generate::{Config, Kind, generate};

use command::{file, run, scratch};

testkit::command_in!("generate");

/// A folder that is not there.
fn absent(name: &str) -> String {
    let _ = fs::remove_dir_all(scratch().join(name));
    name.to_owned()
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(scratch().join(folder)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_those_of_the_library_under_their_seeds() {
    let folder = absent("seeds");
    for (kind, count) in [("pte", 3), ("pair", 1)] {
        let count = count.to_string();
        let outcome = run(&["generate", "--kind", kind, "--seed", "7", "--count", &count, "--out", &folder]);
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
    }
    assert_eq!(names(&folder), ["pair-7.ptd", "pair-7.pte", "pte-7.pte", "pte-8.pte", "pte-9.pte"]);
    let written = |name: &str| fs::read(scratch().join(&folder).join(name)).unwrap();
    assert_eq!(written("pte-8.pte"), generate(Kind::Pte, &Config::default(), 8).unwrap()[0].bytes);
    assert_eq!(written("pair-7.ptd"), generate(Kind::Pair, &Config::default(), 7).unwrap()[1].bytes);

    let again = ["generate", "--seed", "7", "--out", &folder];
    let refused = run(&again);
    assert_eq!(refused.code, Some(2));
    assert_eq!(refused.stderr, "torchproof: seeds/pte-7.pte: is there already; --force replaces it\n");
    let other = run(&[&again[..], &["--force", "--methods", "9"]].concat());
    assert_eq!((other.code, other.stderr.as_str()), (Some(0), ""));
    let config = Config { methods: 9.into(), ..Config::default() };
    assert_eq!(written("pte-7.pte"), generate(Kind::Pte, &config, 7).unwrap()[0].bytes);
}

#[test]
fn settings_come_from_a_file_and_options_go_before_it() {
    let folder = absent("settings");
    let config = file("settings.toml", b"methods = 2\nranks = \"1..2\"\nscalar_types = [\"INT\"]\n");
    let outcome = run(&["generate", "--config", config, "--methods", "5", "--out", &folder]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let mut wanted = Config::default();
    for (name, value) in [("methods", "5"), ("ranks", "1..2"), ("scalar_types", "INT")] {
        wanted.set(name, value).unwrap();
    }
    let bytes = fs::read(scratch().join("settings/pte-0.pte")).unwrap();
    assert_eq!(bytes, generate(Kind::Pte, &wanted, 0).unwrap()[0].bytes);

    let printed = run(&["generate", "--config", config, "--methods", "5", "--print-config"]).stdout;
    let printed = file("printed.toml", printed.as_bytes());
    let folder = absent("printed");
    run(&["generate", "--config", printed, "--out", &folder]);
    assert_eq!(fs::read(scratch().join("printed/pte-0.pte")).unwrap(), bytes);
}

#[test]
fn a_swarm_is_of_each_seed_s_own_settings_under_those_given() {
    let folder = absent("swarm");
    run(&["generate", "--swarm", "--seed", "3", "--methods", "2", "--out", &folder]);
    let config = Config { methods: 2.into(), ..Config::swarm(3) };
    let bytes = fs::read(scratch().join("swarm/pte-3.pte")).unwrap();
    assert_eq!(bytes, generate(Kind::Pte, &config, 3).unwrap()[0].bytes);
}

#[test]
fn a_file_can_have_a_million_tables() {
    let folder = absent("million");
    let program: &[&str] = &["--methods", "1", "--ints", "480000", "--tensors", "20000", "--kernel-calls", "10000"];
    let data: &[&str] = &["--data-tensors", "333000", "--elements", "1"];
    for (kind, settings) in [("pte", program), ("ptd", data)] {
        let args = ["generate", "--kind", kind, "--seed", "1", "--out", &folder];
        let outcome = run(&[&args[..], settings].concat());
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        let checked = run(&["check", &format!("{folder}/{kind}-1.{kind}")]);
        assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{}", checked.stdout);
    }
    fs::remove_dir_all(scratch().join(folder)).unwrap();
}

#[test]
fn what_cannot_be_made_is_said_in_one_line() {
    let refused = |args: &[&str]| {
        let outcome = run(&[&["generate"], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{args:?}");
        outcome.stderr
    };
    assert_eq!(refused(&[]), "torchproof: no folder for the files: name one with --out DIR\n");
    assert!(refused(&["--stats"]).contains("`torchproof inspect FILE`"));
    let wrong = file("wrong.toml", b"method = 1\n");
    assert_eq!(
        refused(&["--config", wrong, "--out", "none"]),
        "torchproof: wrong.toml: `method` is not a setting of the generator\n"
    );
    let broken = file("broken.toml", b"methods = 1\ntensors = = 2\n");
    let told = refused(&["--config", broken, "--out", "none"]);
    assert!(told.starts_with("torchproof: broken.toml: line 2: ") && !told.contains('|'), "{told}");
    assert!(
        refused(&["--config", "absent.toml", "--out", "none"]).starts_with("torchproof: absent.toml: no such file\n")
    );
    let last = u64::MAX.to_string();
    assert_eq!(
        refused(&["--seed", &last, "--count", "2", "--out", "none"]),
        "torchproof: --seed and --count go past the last seed, 2^64 - 1\n"
    );
    assert!(refused(&["--methods", "many", "--out", "none"]).contains("methods: `many` is not a number"));
    let blocked = file("blocked", b"");
    assert!(refused(&["--out", blocked]).starts_with("torchproof: blocked: "));
}
