//! Mutations of pairs.

use torchproof::mutate::Edit;
use torchproof::random::Random;

use crate::{Mutant, Mutator, Pair, TRIES};

impl Mutator {
    /// Mutates one file, mutates a name in both files, or exchanges the files. Returns `None` if the mutation does not apply.
    pub(crate) fn mutate_pair(&mut self, pair: Pair<'_>, most: usize, random: &mut Random) -> Option<Mutant> {
        let Pair { program, data } = pair;
        let room = most.checked_sub(Pair::OVERHEAD)?;
        Some(match random.below(16) {
            0..7 => with_program(pair, self.mutate_file(program, room - data.len(), true, random)),
            7..14 => with_data(pair, self.mutate_file(data, room - program.len(), true, random)),
            14 => {
                let (program, data, name) = pair.rename(random)?;
                Mutant::new(Pair { program: &program, data: &data }.join(), name)
            }
            _ => Mutant::new(Pair { program: data, data: program }.join(), "pair/exchange"),
        })
    }
}

/// Combines two inputs, each of which is a file or a pair.
pub(crate) fn cross(input: &[u8], other: &[u8], most: usize, random: &mut Random) -> Option<Mutant> {
    // A whole table brings in more of the other input than a string or a number does.
    let splice = |file: &[u8], donor: &[u8], most, random: &mut Random| {
        let mut last = None;
        for _ in 0..TRIES {
            last = Edit::Splice.apply(file, donor, most, random).or(last);
            if last.as_ref().is_some_and(|one| one.name.starts_with("splice/table")) {
                break;
            }
        }
        last.map(Mutant::from)
    };
    let of_other = Pair::split(other);
    let Some(pair) = Pair::split(input) else {
        let other = of_other.map_or(other, |pair| if random.one_in(2) { pair.program } else { pair.data });
        return splice(input, other, most, random);
    };
    let Pair { program, data } = pair;
    let of_other = of_other.unwrap_or(Pair { program: other, data: other });
    let room = most.checked_sub(Pair::OVERHEAD)?;
    Some(match random.below(8) {
        0..3 => with_program(pair, splice(program, of_other.program, room - data.len(), random)?),
        3..6 => with_data(pair, splice(data, of_other.data, room - program.len(), random)?),
        6 => Mutant::new(Pair { program: of_other.program, data }.join(), "pair/program"),
        _ => Mutant::new(Pair { program, data: of_other.data }.join(), "pair/data"),
    })
}

fn with_program(pair: Pair<'_>, mut mutant: Mutant) -> Mutant {
    mutant.bytes = Pair { program: &mutant.bytes, ..pair }.join();
    mutant
}

fn with_data(pair: Pair<'_>, mut mutant: Mutant) -> Mutant {
    mutant.bytes = Pair { data: &mutant.bytes, ..pair }.join();
    mutant
}
