//! Models drawn at random, the same ones at every run.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// As many models as there are cases, from this seed: `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for others.
pub(crate) fn drawn<S: Strategy>(strategy: &S, seed: u64) -> impl Iterator<Item = S::Value> {
    let given = Config::default();
    let rng_seed = if given.rng_seed == RngSeed::Random { RngSeed::Fixed(seed) } else { given.rng_seed };
    let mut runner = TestRunner::new(Config { rng_seed, ..given });
    (0..runner.config().cases).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}
