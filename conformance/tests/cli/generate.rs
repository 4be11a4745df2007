//! Tests `torchproof generate`: the names, seeds and settings of the files.

use std::fs;
use std::path::Path;

use torchproof::generate::{Config, GeneratedKind, generate};

use command::{absent, run};

testkit::command_in!("generate");

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_equal_those_of_the_library_for_the_same_seeds() {
    let place = absent("seeds");
    for (kind, count) in [("pte", 3), ("pair", 1)] {
        let count = count.to_string();
        let outcome = run(&["generate", "--kind", kind, "--seed", "7", "--count", &count, "--output", "seeds"]);
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
    }
    assert_eq!(names(&place), ["pair-7.ptd", "pair-7.pte", "pte-7.pte", "pte-8.pte", "pte-9.pte"]);
    let written = |name: &str| fs::read(place.join(name)).unwrap();
    assert_eq!(written("pte-8.pte"), generate(GeneratedKind::Pte, &Config::default(), 8).unwrap()[0].bytes);
    assert_eq!(written("pair-7.ptd"), generate(GeneratedKind::Pair, &Config::default(), 7).unwrap()[1].bytes);

    // Run the same seed with another setting. `make.md` shows rejected settings.
    let other = run(&["generate", "--seed", "7", "--output", "seeds", "--force", "--methods", "9"]);
    assert_eq!((other.code, other.stderr.as_str()), (Some(0), ""));
    let mut config = Config::default();
    config.methods = 9..=9;
    assert_eq!(written("pte-7.pte"), generate(GeneratedKind::Pte, &config, 7).unwrap()[0].bytes);
}

#[test]
fn given_settings_override_the_swarm_settings_of_a_seed() {
    let place = absent("swarm");
    run(&["generate", "--swarm", "--seed", "3", "--methods", "2", "--output", "swarm"]);
    let mut config = Config::swarm(3);
    config.methods = 2..=2;
    let bytes = fs::read(place.join("pte-3.pte")).unwrap();
    assert_eq!(bytes, generate(GeneratedKind::Pte, &config, 3).unwrap()[0].bytes);
}
