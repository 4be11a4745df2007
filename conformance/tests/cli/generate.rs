//! Tests `torchproof generate`: the names, seeds and settings of the files.

use std::fs;

use torchproof::generate::{Config, GeneratedKind, generate};

use command::{run, scratch};

testkit::command_in!("generate");

fn absent_folder(name: &str) -> String {
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
fn files_equal_those_of_the_library_for_the_same_seeds() {
    let folder = absent_folder("seeds");
    for (kind, count) in [("pte", 3), ("pair", 1)] {
        let count = count.to_string();
        let outcome = run(&["generate", "--kind", kind, "--seed", "7", "--count", &count, "--out", &folder]);
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
    }
    assert_eq!(names(&folder), ["pair-7.ptd", "pair-7.pte", "pte-7.pte", "pte-8.pte", "pte-9.pte"]);
    let written = |name: &str| fs::read(scratch().join(&folder).join(name)).unwrap();
    assert_eq!(written("pte-8.pte"), generate(GeneratedKind::Pte, &Config::default(), 8).unwrap()[0].bytes);
    assert_eq!(written("pair-7.ptd"), generate(GeneratedKind::Pair, &Config::default(), 7).unwrap()[1].bytes);

    // Generate the files of the same seed with another setting. `make.md` shows rejected settings.
    let other = run(&["generate", "--seed", "7", "--out", &folder, "--force", "--methods", "9"]);
    assert_eq!((other.code, other.stderr.as_str()), (Some(0), ""));
    let mut config = Config::default();
    config.methods = 9..=9;
    assert_eq!(written("pte-7.pte"), generate(GeneratedKind::Pte, &config, 7).unwrap()[0].bytes);
}

#[test]
fn given_settings_override_the_swarm_settings_of_a_seed() {
    let folder = absent_folder("swarm");
    run(&["generate", "--swarm", "--seed", "3", "--methods", "2", "--out", &folder]);
    let mut config = Config::swarm(3);
    config.methods = 2..=2;
    let bytes = fs::read(scratch().join("swarm/pte-3.pte")).unwrap();
    assert_eq!(bytes, generate(GeneratedKind::Pte, &config, 3).unwrap()[0].bytes);
}
