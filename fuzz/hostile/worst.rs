//! **Worst-case files**: files that cost a reader far more work than their size suggests.
//!
//! Many offsets can lead to one object, and objects can overlap, so a reader that copies or prints the target of every
//! offset spends memory and time, again and again, on bytes that are in the file only once. List the kinds of files, or
//! write one whose FlatBuffer has about SIZE bytes:
//!
//! ```sh
//! cargo run -p torchproof-fuzz --example worst
//! cargo run -p torchproof-fuzz --example worst KIND SIZE OUT
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// One line for each kind of file: its name, and what it repeats.
pub(crate) const LIST: &str = include_str!("worst.txt");

/// A file's bytes. Offsets point forward, so an object comes after the offsets that lead to it.
struct Buffer(Vec<u8>);

/// Tables of one type in a row: the position of the first table, the distance between tables, and the offset of each slot.
struct Tables {
    first: usize,
    stride: usize,
    slots: BTreeMap<usize, usize>,
}

impl Tables {
    fn at(&self, index: usize, slot: usize) -> usize {
        self.first + self.stride * index + self.slots[&slot]
    }
}

/// The slot and width of each field in a table, wide fields first.
type Fields<'f> = &'f [(usize, usize)];

impl Buffer {
    /// Adds zeros until the position `later` bytes after the end is aligned.
    fn align(&mut self, alignment: usize, later: usize) {
        self.0.resize((self.0.len() + later).next_multiple_of(alignment) - later, 0);
    }

    fn set(&mut self, at: usize, word: usize) {
        self.0[at..at + 4].copy_from_slice(&u32::try_from(word).expect("below 2^32").to_le_bytes());
    }

    fn vtable(&mut self, offsets: &[usize], size: usize) -> usize {
        self.align(2, 0);
        let at = self.0.len();
        let words = [&[4 + 2 * offsets.len(), size], offsets].concat();
        self.0.extend(words.into_iter().flat_map(|word| u16::try_from(word).expect("below 2^16").to_le_bytes()));
        at
    }

    /// Adds `count` tables. `value` returns a field's value, given the table's index and the slot.
    fn tables(&mut self, count: usize, fields: Fields<'_>, value: impl Fn(usize, usize) -> u64) -> Tables {
        let (mut slots, mut size) = (BTreeMap::new(), 4_usize);
        for (slot, width) in fields {
            slots.insert(*slot, size.next_multiple_of(*width));
            size = slots[slot] + width;
        }
        let most = slots.keys().max().map_or(0, |slot| slot + 1);
        let offsets: Vec<usize> = (0..most).map(|slot| slots.get(&slot).copied().unwrap_or(0)).collect();
        let vtable = self.vtable(&offsets, size);
        let alignment = fields.first().map_or(4, |(_, width)| *width).max(4);
        self.align(alignment, 0);
        let tables = Tables { first: self.0.len(), stride: size.next_multiple_of(alignment), slots };
        self.0.resize(tables.first + tables.stride * count, 0);
        for index in 0..count {
            let start = tables.first + tables.stride * index;
            self.set(start, start - vtable);
            for (slot, width) in fields {
                let at = tables.at(index, *slot);
                self.0[at..at + width].copy_from_slice(&value(index, *slot).to_le_bytes()[..*width]);
            }
        }
        tables
    }

    /// Adds a table that the offset at `from` leads to, with only offsets and bytes of the value `byte`.
    fn table(&mut self, from: usize, fields: Fields<'_>, byte: u64) -> Tables {
        let table = self.tables(1, fields, |_, slot| if fields.contains(&(slot, 1)) { byte } else { 0 });
        self.set(from, table.first - from);
        table
    }

    /// Adds a vector that the offset at `from` leads to, and returns where its elements are.
    fn vector(&mut self, from: usize, count: usize, alignment: usize, elements: &[u8]) -> usize {
        self.align(alignment, 4);
        self.set(from, self.0.len() - from);
        self.0.extend(u32::try_from(count).expect("below 2^32").to_le_bytes());
        self.0.extend(elements);
        self.0.len() - elements.len()
    }

    fn string(&mut self, from: usize, text: &[u8]) -> usize {
        let first = self.vector(from, text.len(), 4, text);
        self.0.push(0);
        first
    }

    fn nulls(&mut self, from: usize, count: usize) -> usize {
        self.vector(from, count, 4, &vec![0; 4 * count])
    }

    /// Adds a list of `offsets` offsets to `count` tables. If there is only one table, all offsets lead to it.
    fn list(
        &mut self,
        from: usize,
        [offsets, count]: [usize; 2],
        fields: Fields<'_>,
        value: impl Fn(usize, usize) -> u64,
    ) -> Tables {
        let list = self.nulls(from, offsets);
        let tables = self.tables(count, fields, value);
        for index in 0..offsets {
            let at = list + 4 * index;
            self.set(at, tables.first + tables.stride * (index % count) - at);
        }
        tables
    }

    /// Makes the fields in `slot` of all tables lead to one object, which `add` adds and locates.
    fn share(&mut self, tables: &Tables, count: usize, slot: usize, add: impl Fn(&mut Self, usize) -> usize) {
        let object = add(self, tables.at(count - 1, slot));
        (0..count).map(|index| tables.at(index, slot)).for_each(|at| self.set(at, object - at));
    }

    /// Adds a list of `count` offsets to one value, whose type has the tag `tag`. Returns the position of the value's
    /// offset.
    fn one(&mut self, from: usize, count: usize, tag: u64) -> usize {
        self.list(from, [count, 1], &[(1, 4), (0, 1)], |_, slot| [tag, 0][slot]).at(0, 1)
    }

    /// Adds a tensor that the offset at `from` leads to: an external tensor, or one with the data of constant 1.
    fn tensor(&mut self, from: usize, ty: u64, sizes: &[usize], external: Option<&[u8]>) {
        let fields: Fields<'_> = match external {
            Some(_) => &[(2, 4), (3, 4), (9, 4), (0, 1)],
            None => &[(2, 4), (3, 4), (5, 4), (0, 1)],
        };
        let tensor = self.table(from, fields, ty);
        let numbers: Vec<_> = sizes.iter().map(|len| u32::try_from(*len).expect("below 2^32").to_le_bytes()).collect();
        self.vector(tensor.at(0, 2), sizes.len(), 4, numbers.as_flattened());
        self.vector(tensor.at(0, 3), sizes.len(), 4, &(0..).take(sizes.len()).collect::<Vec<_>>());
        match external {
            Some(name) => {
                let extra = self.table(tensor.at(0, 9), &[(1, 4), (2, 1)], 1);
                self.string(extra.at(0, 1), name);
            }
            None => self.set(tensor.at(0, 5), 1),
        }
    }
}

/// Slots of a program.
const METHODS: usize = 1;
const BUFFERS: usize = 2;
const BLOBS: usize = 3;
const SEGMENTS: usize = 4;
const CONSTANTS: usize = 5;
const KEYS: usize = 7;
/// Slots of a method.
const NAME: usize = 0;
const VALUES: usize = 2;
const CHAINS: usize = 5;

/// Adds a program whose root table has fields in `slots`, and a list of `methods` offsets to one empty method.
fn program(methods: usize, slots: &[usize]) -> (Buffer, Tables, Tables) {
    let mut file = Buffer([&[0; 4], &b"ET12"[..], &[0; 32]].concat());
    let fields: Vec<_> = [&[METHODS], slots].concat().into_iter().map(|slot| (slot, 4)).collect();
    let root = file.table(0, &fields, 0);
    let method =
        file.list(root.at(0, METHODS), [methods, 1], &[0, 1, 2, 3, 4, 5, 6, 7, 8].map(|slot| (slot, 4)), |_, _| 0);
    file.string(method.at(0, NAME), b"forward");
    let container = file.table(method.at(0, 1), &[(0, 4), (1, 4)], 0);
    (0..2).for_each(|slot| _ = file.string(container.at(0, slot), b""));
    [VALUES, 3, 4, 6, 7].iter().for_each(|slot| _ = file.nulls(method.at(0, *slot), 0));
    let chain = file.list(method.at(0, CHAINS), [1, 1], &[(2, 4)], |_, _| 0);
    file.nulls(chain.at(0, 2), 0);
    file.vector(method.at(0, 8), 1, 8, &[0; 8]);
    (file, root, method)
}

/// Adds the offsets of the constants in segment 0: a placeholder, constant 1 at the first byte, and constant 2 at `end`.
fn constants(file: &mut Buffer, from: usize, end: u64) {
    let table = file.table(from, &[(0, 4), (1, 4)], 0);
    file.vector(table.at(0, 1), 3, 8, [0, 0, end].map(u64::to_le_bytes).as_flattened());
}

/// Returns a key that hashes to the same value for every number; see [`names.rs`](../../src/names.rs).
fn colliding(number: u64) -> Vec<u8> {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    let first = u64::from_le_bytes(*b"abcdefgh") ^ number;
    // The second word cancels the first word's effect on the state.
    let second = mix(24_u64.wrapping_mul(MULTIPLIER), first).rotate_left(23);
    [first, second, 0].map(u64::to_le_bytes).concat()
}

/// A worst-case file: its first bytes, and the number of zeros after them.
pub(crate) struct Worst {
    bytes: Vec<u8>,
    zeros: u64,
}

impl Worst {
    /// Completes a file with a header. The FlatBuffer ends with `zeros` zeros, and `len` bytes of segments follow.
    fn with_header(mut file: Buffer, zeros: u64, len: u64) -> Self {
        file.align(16, 0);
        let end = file.0.len() as u64 + zeros;
        let base = if len == 0 { 0 } else { end };
        let (header, numbers): (&[u8], &[u64]) = match &file.0[4..8] {
            b"ET12" => (b"eh00\x20\0\0\0", &[end, base, len]),
            _ => (b"FH01\x28\0\0\0", &[48, end - 48, base, len]),
        };
        let numbers: Vec<_> = numbers.iter().map(|number| number.to_le_bytes()).collect();
        let header = [header, numbers.as_flattened()].concat();
        file.0[8..8 + header.len()].copy_from_slice(&header);
        Self { bytes: file.0, zeros: zeros + len }
    }

    /// Makes a file of a kind in [`LIST`], with a FlatBuffer of about `size` bytes.
    #[allow(clippy::too_many_lines, reason = "one arm for each kind")]
    pub(crate) fn of(kind: &str, size: usize) -> Option<Self> {
        const ENTRY: Fields<'_> = &[(0, 4), (1, 4)];
        let lists: &[usize] = match kind {
            "segs" | "segs-rev" | "oneseg" | "hole" => &[SEGMENTS],
            "gaps" | "split" => &[SEGMENTS, CONSTANTS],
            "split-legacy" => &[BUFFERS],
            "inline" => &[BLOBS],
            "keys" | "ctrl" | "onekey" | "overkeys" | "fewkeys" | "samekey" | "metas" | "named" | "named-own"
            | "collide" | "prefix" => &[SEGMENTS, KEYS],
            _ => &[],
        };
        let (many, few) = (size / 4, size / 96);
        let (mut file, root, method) = program(if kind == "plans" { many } else { 1 }, lists);
        let values = method.at(0, VALUES);
        // The offset and the size of each segment, and the number of offsets to them.
        let (mut places, mut offsets, mut zeros) = (vec![[0, 16]], None, 0);
        match kind {
            "segs" => places = vec![[1 << 62, 16]; size / 32],
            "segs-rev" => places = (0..size as u64 / 32).rev().map(|index| [16 * index, 16]).collect(),
            "oneseg" => offsets = Some(many),
            "hole" => places = vec![[0, 1024 * size as u64]],
            "zeros" => zeros = size as u64,
            "nulls" => _ = file.nulls(values, many),
            "values" | "ints" | "tensors" => {
                let tag = ["", "values", "ints", "", "", "tensors"].iter().position(|own| *own == kind)?;
                let value = file.one(values, many, tag as u64);
                file.table(value, &[], 0);
            }
            "plans" => {}
            "calls" => {
                let chain = file.list(method.at(0, CHAINS), [1, 1], &[(2, 4)], |_, _| 0);
                let call = file.one(chain.at(0, 2), many, 1);
                file.table(call, &[], 0);
            }
            "vtables" => {
                let list = file.nulls(values, many);
                let vtable = file.vtable(&vec![0; 30_000], 4);
                file.align(4, 0);
                let table = file.0.len();
                file.0.extend(u32::try_from(table - vtable).ok()?.to_le_bytes());
                (list..).step_by(4).take(many).for_each(|at| file.set(at, table - at));
            }
            "ports" => {
                file.vector(method.at(0, 3), many, 4, &vec![0; 4 * many]);
                let value = file.one(values, 1, 5);
                file.tensor(value, 6, &[2_147_483_647; 16], None);
            }
            "buffers" => {
                file.string(method.at(0, NAME), &vec![b'n'; size / 2]);
                file.vector(method.at(0, 8), size / 16, 8, &vec![1; size / 16 * 8]);
            }
            "operators" => {
                let list = file.list(method.at(0, 6), [size / 32; 2], ENTRY, |_, _| 0);
                for index in 0..size / 32 {
                    file.string(list.at(index, 0), format!("a::{index:05x}").as_bytes());
                }
                file.share(&list, size / 32, 1, |file, from| file.string(from, b"") - 4);
            }
            "keys" | "ctrl" | "onekey" => {
                let (count, letter, len) = match kind {
                    "keys" => (1000, b'A', size),
                    "ctrl" => (1000, 1, size),
                    _ => (many, b'a', 1),
                };
                let entry = file.list(root.at(0, KEYS), [count, 1], ENTRY, |_, _| 0);
                file.string(entry.at(0, 0), &[b"metadata.", &vec![letter; len][..]].concat());
            }
            "overkeys" | "fewkeys" => {
                let count = if kind == "overkeys" { 450 } else { 14 };
                let entries = file.list(root.at(0, KEYS), [count; 2], ENTRY, |_, _| 0);
                let end = file.0.len() + 16 * count + size;
                for index in 0..count {
                    // Because of the last byte, no key is UTF-8, whatever the lengths of the keys inside it.
                    file.vector(entries.at(index, 0), end - file.0.len() - 4, 4, b"metadata.\x01\x01\xff");
                }
                file.0.resize(end, 1);
                file.0.push(0);
            }
            "samekey" => {
                let count = size / 44;
                let entries = file.list(root.at(0, KEYS), [count; 2], ENTRY, |index, slot| [0, index as u64][slot]);
                file.share(&entries, count, 0, |file, from| file.string(from, b"k") - 4);
                places = (1..=count as u64).map(|len| [0, len]).collect();
            }
            "metas" | "named" | "named-own" | "collide" | "prefix" => {
                let own = u64::from(kind == "named-own");
                let entries = file.list(root.at(0, KEYS), [few; 2], ENTRY, |index, slot| [0, own * index as u64][slot]);
                for index in 0..few {
                    let key = match kind {
                        "collide" => colliding(index as u64),
                        "prefix" => format!("{:a<24}{index:08x}bbbbbbbb", "").into_bytes(),
                        "named" => format!("k.{index:038}").into_bytes(),
                        _ => format!("metadata.x.{index:029}").into_bytes(),
                    };
                    file.string(entries.at(index, 0), &key);
                }
                places = (0..=own * (few as u64 - 1)).map(|index| [16 * index, 16]).collect();
            }
            "data" => {
                let mut file = Buffer([&[0; 4], &b"FT01"[..], &[0; 40]].concat());
                let root = file.table(0, &[(1, 4), (2, 4)], 0);
                let entries = file.list(root.at(0, 2), [size / 48; 2], &[(0, 4), (1, 4), (2, 4)], |_, _| 0);
                for index in 0..size / 48 {
                    file.string(entries.at(index, 0), format!("k.{index:013}").as_bytes());
                }
                file.share(&entries, size / 48, 2, |file, from| {
                    let layout = file.table(from, &[(1, 4), (2, 4), (0, 1)], 6);
                    file.vector(layout.at(0, 1), 4, 4, &[1, 0, 0, 0].repeat(4));
                    file.vector(layout.at(0, 2), 4, 4, &[3, 2, 1, 0]);
                    layout.first
                });
                file.list(root.at(0, 1), [1, 1], &[(1, 8)], |_, _| 16);
                return Some(Self::with_header(file, 0, 16));
            }
            "gaps" => {
                let value = file.one(values, many, 5);
                file.tensor(value, 6, &[1], None);
                constants(&mut file, root.at(0, CONSTANTS), 128);
                places = vec![[0, 512]];
            }
            "split" | "split-legacy" => {
                let list = file.list(values, [few; 2], &[(1, 4), (0, 1)], |_, slot| [5, 0][slot]);
                (0..few).for_each(|index| file.tensor(list.at(index, 1), 0, &[size - index], None));
                if kind == "split" {
                    constants(&mut file, root.at(0, CONSTANTS), 0);
                    places = vec![[0, size as u64]];
                } else {
                    let buffers = file.list(root.at(0, BUFFERS), [2, 2], &[(0, 4)], |_, _| 0);
                    file.vector(buffers.at(0, 0), 0, 16, &[]);
                    file.vector(buffers.at(1, 0), size, 16, &vec![7; size]);
                }
            }
            "inline" => {
                let blob = file.list(root.at(0, BLOBS), [15, 1], &[(0, 4)], |_, _| 0);
                file.vector(blob.at(0, 0), size, 16, &vec![0xff; size]);
            }
            "ext" => {
                let value = file.one(values, 1000, 5);
                file.tensor(value, 6, &[1], Some(&vec![1; size]));
            }
            "suites" => {
                let inside = Self::with_header(file, 0, 0).bytes;
                let mut file = Buffer([&[0; 4], &b"BP08"[..]].concat());
                let root = file.table(0, &[(1, 4), (2, 4)], 0);
                let suite = file.list(root.at(0, 1), [many, 1], ENTRY, |_, _| 0);
                file.string(suite.at(0, 0), b"forward");
                file.nulls(suite.at(0, 1), 0);
                file.vector(root.at(0, 2), inside.len(), 32, &inside);
                return Some(Self { bytes: file.0, zeros: 0 });
            }
            _ => return None,
        }
        if !lists.contains(&SEGMENTS) {
            return Some(Self::with_header(file, zeros, 0));
        }
        let count = [offsets.unwrap_or(places.len()), places.len()];
        file.list(root.at(0, SEGMENTS), count, &[(0, 8), (1, 8)], |index, slot| places[index][slot]);
        let ends = places.iter().map(|[offset, len]| offset + len).filter(|end| *end < 1 << 40);
        Some(Self::with_header(file, 0, ends.max().unwrap_or(16)))
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(&self.bytes)?;
        file.set_len(self.bytes.len() as u64 + self.zeros)
    }
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, size, out] = &arguments[..] else {
        print!("{LIST}");
        return Ok(());
    };
    let size = size.parse().map_err(io::Error::other)?;
    let worst = Worst::of(kind, size).ok_or_else(|| io::Error::other(format!("{kind}: unknown kind")))?;
    worst.write(Path::new(out))
}
