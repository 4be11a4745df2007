//! Imports a fuzzer's crash files as cases for the registry.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use sha2::{Digest, Sha256};
use torchproof::FileKind;
use torchproof::check::Finding;
use torchproof::rules::Strength;
use torchproof_protocol::CAPABILITY_PAIRS;
use walkdir::WalkDir;

use super::HuntError;
use super::checked::{checked_together, findings};
use super::cluster::Key;
use super::crash::{Crash, is_crash, read};
use super::emit_case::declare;
use super::judge::wrong;
use super::retest::is_shown_by;
use super::shrink::{Effort, shrink_together};
use crate::disk::io_error::PathError;
use crate::reader::session::ReaderSession;
use crate::text::escape::{plain_line, plain_name};

/// A case's maximum size in bytes. Each byte takes six characters of source text.
const MAX_CASE: usize = 1 << 14;

/// The maximum number of cases, which limits the memory for files.
const MAX_CASES: usize = 1000;

const MAX_DEPTH: usize = 16;

/// The maximum number of characters of a file name in a comment.
const NAME: usize = 120;

#[derive(Debug, Default)]
pub struct Import {
    pub cases: Vec<String>,
    pub files: usize,
    /// A line for each crash file that belongs to another file's case.
    pub merged: Vec<String>,
    /// A line for each crash file that is not part of a case.
    pub left_out: Vec<String>,
    pub shrunk: bool,
    /// `true` if shrinking ended at a limit.
    pub shrink_incomplete: bool,
}

/// The crash files that show the same defect.
struct Group {
    /// The smallest crash file.
    crash: Crash,
    /// The names relative to the folder. The smallest file's name comes first.
    names: Vec<String>,
}

/// The broken rules of a crash file, and the first place that breaks one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Defects {
    /// The must-rules; if none is broken, the other rules.
    rules: BTreeSet<&'static str>,
    /// `true` if must-rules are broken.
    is_must: bool,
    /// The first field that breaks one of the rules, without list indices.
    field: String,
}

impl Defects {
    fn of(files: &[&[u8]]) -> Self {
        Self::among(findings(files))
    }

    /// Returns the defects without their place, for a key whose cluster already identifies the place.
    fn without_field(files: &[&[u8]]) -> Self {
        Self { field: String::new(), ..Self::of(files) }
    }

    fn among(mut found: Vec<Finding>) -> Self {
        let is_must = found.iter().any(|finding| finding.rule.strength == Strength::Must);
        found.retain(|finding| !is_must || finding.rule.strength == Strength::Must);
        let path = found.first().map_or("", |finding| &finding.path);
        // Elements of one list that break the same rule show the same defect.
        let field = path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
        Self { rules: found.iter().map(|finding| finding.rule.id).collect(), is_must, field }
    }

    fn phrase(&self) -> String {
        let rules: Vec<&str> = self.rules.iter().copied().collect();
        match (&rules[..], self.field.as_str()) {
            ([], _) => "breaks no rule".to_owned(),
            (_, "") => format!("breaks {}", rules.join(", ")),
            ([rule], field) => format!("breaks {rule} at {}", plain_line(field, NAME)),
            (_, field) => format!("breaks {}, first at {}", rules.join(", "), plain_line(field, NAME)),
        }
    }
}

/// What a group's files share: the extensions for their roles, the failure's cluster, and the defects.
type GroupKey = (Vec<&'static str>, Option<Key>, Defects);

/// Reads the crash files in the folders, and returns a case for each group of files that break the same rules. With a
/// reader, the files of a group also belong to the same cluster; without one, their first defect is at the same field.
///
/// Each group's smallest file is shrunk as long as it stays in the group. Files on which the reader does not fail are
/// left out; without a reader, files of an unknown kind are left out.
pub fn import(
    folders: &[PathBuf],
    mut reader: Option<&mut ReaderSession>,
    effort: Effort,
) -> Result<Import, HuntError> {
    let mut import = Import::default();
    let mut groups: BTreeMap<GroupKey, Group> = BTreeMap::new();
    let mut same_bytes: HashMap<[u8; 32], GroupKey> = HashMap::new();
    for (path, name) in crash_files(folders)? {
        import.files += 1;
        let (path, name) = (path.as_path(), plain_name(&name.to_string_lossy()));
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                import.left_out.push(note(&name, &error.to_string()));
                continue;
            }
        };
        let digest = <[u8; 32]>::from(Sha256::digest(&bytes));
        if let Some(group) = same_bytes.get(&digest).and_then(|key| groups.get_mut(key)) {
            group.names.push(name);
            continue;
        }
        let crash = Crash::of(bytes, path);
        let key = match key(&crash, reader.as_deref_mut()) {
            Ok(key) if groups.len() < MAX_CASES || groups.contains_key(&key) => key,
            Ok(_) => {
                let why = format!("found more than {MAX_CASES} cases; import this file in another call");
                import.left_out.push(note(&name, &why));
                continue;
            }
            Err(why) => {
                import.left_out.push(note(&name, &why));
                continue;
            }
        };
        same_bytes.insert(digest, key.clone());
        add(&mut groups, key, Group { crash, names: vec![name] });
    }
    if effort.tries > 0 {
        groups = shrunk(groups, reader, effort, &mut import);
    }
    for (key, group) in groups {
        let (id, text) = match case(key.1.as_ref(), &group) {
            Ok(case) => case,
            Err(why) => {
                import.left_out.extend(group.names.iter().map(|name| note(name, &why)));
                continue;
            }
        };
        import.cases.push(text);
        import.merged.extend(group.names.iter().skip(1).map(|name| note(name, &format!("belongs to case {id}"))));
    }
    Ok(import)
}

/// Returns the path and the name of each crash file; the name is relative to the folder if there is only one.
fn crash_files(folders: &[PathBuf]) -> Result<Vec<(PathBuf, PathBuf)>, HuntError> {
    let mut files = Vec::new();
    for folder in folders {
        if !fs::metadata(folder).map_err(PathError::folder(folder))?.is_dir() {
            return Err(PathError::folder(folder)(io::ErrorKind::NotADirectory.into()).into());
        }
        for entry in WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name() {
            let entry = entry.map_err(|error| PathError::folder(error.path().unwrap_or(folder))(error.into()))?;
            if is_crash(&entry) {
                let relative = entry.path().strip_prefix(folder).ok().filter(|_| folders.len() == 1);
                let name = relative.unwrap_or(entry.path()).to_owned();
                files.push((entry.into_path(), name));
            }
        }
    }
    match (folders.first(), files.is_empty()) {
        (Some(path), true) => Err(HuntError::NoCrash { path: path.clone() }),
        _ => Ok(files),
    }
}

fn note(name: &str, text: &str) -> String {
    format!("{}: {text}", plain_line(name, NAME))
}

/// Runs the reader on a crash file, and returns the key or the reason to leave it out.
fn key(crash: &Crash, reader: Option<&mut ReaderSession>) -> Result<GroupKey, String> {
    let files: Vec<&[u8]> = crash.files.iter().map(Vec::as_slice).collect();
    let Some(session) = reader else {
        if !crash.is_known {
            return Err(
                "found no program, data file, bundled program or pair; pass --reader, or add the extension .pte, \
                        .ptd or .bpte"
                    .to_owned(),
            );
        }
        return Ok((crash.extensions(), None, Defects::of(&files)));
    };
    if files.len() > 1 && !session.hello().has(CAPABILITY_PAIRS) {
        return Err("is a pair; pass a reader with the capability `pairs`".to_owned());
    }
    let outcome = session.read_together(crash.roles_and_files());
    let checked = checked_together(&files);
    let Some(kind) = wrong(&outcome, checked, session) else {
        return Err(format!("the reader does not fail: {}", plain_line(&outcome.to_string(), NAME)));
    };
    let cluster = Key::of(session.hello().name.clone(), kind, checked.must.map(|rule| rule.id), &outcome);
    Ok((crash.extensions(), Some(cluster), Defects::without_field(&files)))
}

/// Adds a group, or merges it into the group with the same key and keeps the smaller crash file.
fn add(groups: &mut BTreeMap<GroupKey, Group>, key: GroupKey, mut new: Group) {
    match groups.get_mut(&key) {
        None => drop(groups.insert(key, new)),
        Some(old) if new.crash.size() < old.crash.size() => {
            new.names.append(&mut old.names);
            *old = new;
        }
        Some(old) => old.names.append(&mut new.names),
    }
}

/// Shrinks each group's smallest crash file, and merges groups that then have the same key. Without a reader, a file
/// that breaks no must-rule stays unchanged, because nothing shows what caused the crash.
fn shrunk(
    groups: BTreeMap<GroupKey, Group>,
    mut reader: Option<&mut ReaderSession>,
    effort: Effort,
    import: &mut Import,
) -> BTreeMap<GroupKey, Group> {
    let mut all = BTreeMap::new();
    for ((extensions, cluster, defects), mut group) in groups {
        let (roles, old) = (group.crash.roles.clone(), group.crash.size());
        let kinds = |files: &[&[u8]]| files.iter().map(|bytes| FileKind::of_head(bytes)).collect::<Vec<_>>();
        let rules = |found: &[Finding]| found.iter().map(|finding| finding.rule.id).collect::<BTreeSet<_>>();
        let files: Vec<&[u8]> = group.crash.files.iter().map(Vec::as_slice).collect();
        let (own_kinds, own_rules) = (kinds(&files), rules(&findings(&files)));
        let (begin, mut tries) = (Instant::now(), 0);
        let mut is_same = |files: &[&[u8]]| {
            tries += 1;
            match (&cluster, reader.as_deref_mut()) {
                (Some(key), Some(session)) => is_shown_by(key, files, &mut |_| {
                    Some(session.read_together(roles.iter().copied().zip(files.iter().copied())))
                }),
                _ => {
                    let found = findings(files);
                    // A smaller file that also breaks other rules, of any strength, would need a different label.
                    kinds(files) == own_kinds && rules(&found).is_subset(&own_rules) && Defects::among(found) == defects
                }
            }
        };
        if cluster.is_some() || defects.is_must {
            group.crash.files = shrink_together(&group.crash.files, None, effort, &mut is_same);
            import.shrunk |= group.crash.size() < old;
            import.shrink_incomplete |= tries >= effort.tries || begin.elapsed() >= effort.time;
        }
        let files: Vec<&[u8]> = group.crash.files.iter().map(Vec::as_slice).collect();
        let key = match cluster {
            Some(cluster) => (extensions, Some(cluster), Defects::without_field(&files)),
            None => (extensions, None, defects),
        };
        add(&mut all, key, group);
    }
    all
}

/// Returns the id and the source text of a group's case, with the file names, the cluster and the broken rules in a
/// comment.
fn case(cluster: Option<&Key>, group: &Group) -> Result<(String, String), String> {
    let crash = &group.crash;
    if let Some(len) = crash.files.iter().map(Vec::len).find(|len| *len > MAX_CASE) {
        return Err(format!("has {len} bytes, expected at most {MAX_CASE}; pass --reader or a higher --tries"));
    }
    let source = declare(&crash.roles_and_files(), &cluster.map_or_else(|| crash.name(), Key::id));
    let source = source.ok_or("found no accept case of the same kind")?;
    if let Some(id) = source.same_as {
        return Err(format!("is the file of case {id}"));
    }
    let others = match group.names.len() - 1 {
        0 => String::new(),
        1 => " and 1 other file".to_owned(),
        count => format!(" and {count} other files"),
    };
    let failure = cluster.map(|key| format!("{} of {}: ", key.kind.name(), plain_line(&key.reader, NAME)));
    let files: Vec<&[u8]> = crash.files.iter().map(Vec::as_slice).collect();
    let text = format!(
        "{}    // Imported from {}{others}: {}{}.\n",
        source.text,
        plain_line(&group.names[0], NAME),
        failure.unwrap_or_default(),
        Defects::of(&files).phrase()
    );
    Ok((source.id, text))
}
