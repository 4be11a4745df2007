//! **The checker's verdict agrees with the label of an adversarial file.** The file is a generated one after up to
//! three attacks, all determined by the input bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use torchproof::attack::{Attack, Base, all, compose};
use torchproof::generate::generate;

use crate::generate::Order;

const DEPTH: usize = 3;

fn attacks(bytes: &mut Unstructured<'_>) -> Result<Vec<&'static Attack>> {
    let all: Vec<_> = all().collect();
    (0..bytes.int_in_range(1..=DEPTH)?).map(|_| bytes.choose(&all).copied()).collect()
}

pub fn run(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let Ok(attacks) = attacks(&mut bytes) else { return };
    let Ok(Order { kind, seed, config }) = Order::arbitrary(&mut bytes) else { return };
    for file in generate(kind, &config, seed).expect("the generated file fits into memory") {
        let base = Base::of(file.bytes);
        let made = match attacks[..] {
            [one] => one.apply(&base, seed),
            _ => compose(&base, &attacks, seed),
        };
        let Some(attacked) = made else { continue };
        assert_ne!(attacked.bytes, base.bytes(), "{}: the attack changed nothing", attacked.label.attack);
        if let Some(why) = attacked.disagreement() {
            panic!("{why}: {:?}", attacked.label);
        }
    }
}
