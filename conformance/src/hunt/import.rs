//! Imports the crash files of a fuzzer as cases of the registry.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::corpus::Role;
use walkdir::{DirEntry, WalkDir};

use super::HuntError;
use super::again::is_shown_by;
use super::checked::{broken_rules, checked_together};
use super::cluster::Key;
use super::judge::wrong;
use super::promote::declare_file;
use super::shrink::{Effort, shrink};
use crate::disk::open::open_regular;
use crate::reader::outcome::Outcome;
use crate::reader::session::{ReaderSession, role_of_file};
use crate::text::escape::{plain_line, plain_name};

/// The maximum size of a crash file in bytes. Fuzzers write smaller files by default.
const MAX_FILE: u64 = 1 << 20;

/// The maximum size of a case in bytes. The source text of a case needs six characters for each changed byte.
const MAX_CASE: usize = 1 << 14;

/// The maximum number of cases, which limits the memory for files.
const MAX_CASES: usize = 1000;

/// The maximum depth of subfolders.
const MAX_DEPTH: usize = 16;

/// The extensions of crash files. The crash files of libFuzzer and AFL++ have no extension.
const EXTENSIONS: [&str; 4] = ["pte", "ptd", "bpte", "bin"];

/// The maximum number of characters of a file name in a comment.
const NAME: usize = 120;

/// The result of an import.
#[derive(Debug, Default)]
pub struct Import {
    /// The source text of each case.
    pub cases: Vec<String>,
    /// The number of crash files.
    pub files: usize,
    /// A message for each crash file that is not part of a case, as one line.
    pub left_out: Vec<String>,
    /// Whether shrinking ended at a limit.
    pub cut_short: bool,
}

/// The files that show the same defect.
struct Group {
    bytes: Vec<u8>,
    role: Role,
    /// The name of the file with `bytes`, relative to the folder.
    name: String,
    /// The number of other files.
    others: usize,
}

/// The properties that the files of a group share: the broken rules and, with a reader, the cluster.
type GroupKey = (Option<Key>, Vec<&'static str>);

/// Reads the crash files in `folder`, and returns a case for each group of files.
///
/// The files of a group break the same rules. With a reader, the files of a group also belong to the same cluster, and
/// the function shrinks the smallest file of each group. The function leaves out files on which the reader does not fail.
///
/// # Errors
///
/// Fails if the folder cannot be listed or contains no crash file.
pub fn import(folder: &Path, reader: Option<(&mut ReaderSession, Effort)>) -> Result<Import, HuntError> {
    let unusable = |error| HuntError::Folder { path: folder.to_owned(), error };
    if !fs::metadata(folder).map_err(unusable)?.is_dir() {
        return Err(unusable(io::ErrorKind::NotADirectory.into()));
    }
    let mut import = Import::default();
    let mut groups: BTreeMap<GroupKey, Group> = BTreeMap::new();
    let (mut session, effort) = reader.map_or((None, Effort::default()), |(session, effort)| (Some(session), effort));
    let mut same_bytes: HashMap<[u8; 32], GroupKey> = HashMap::new();
    for entry in WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            HuntError::Folder { path, error: error.into() }
        })?;
        if !is_crash(&entry) {
            continue;
        }
        import.files += 1;
        let path = entry.path();
        let name = plain_name(&path.strip_prefix(folder).unwrap_or(path).to_string_lossy());
        let mut leave_out = |why: &str| import.left_out.push(format!("{}: {why}", plain_line(&name, NAME)));
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                leave_out(&error.to_string());
                continue;
            }
        };
        let digest = <[u8; 32]>::from(Sha256::digest(&bytes));
        if let Some(group) = same_bytes.get(&digest).and_then(|key| groups.get_mut(key)) {
            group.others += 1;
            continue;
        }
        let role = role_of_file(&bytes, path);
        let cluster = match session.as_deref_mut() {
            None => None,
            Some(session) => match failure(session, &bytes, role) {
                Ok(cluster) => Some(cluster),
                Err(outcome) => {
                    leave_out(&format!("the reader does not fail: {}", plain_line(&outcome.to_string(), NAME)));
                    continue;
                }
            },
        };
        let key = (cluster, broken_rules(&bytes));
        if groups.len() == MAX_CASES && !groups.contains_key(&key) {
            leave_out(&format!("found more than {MAX_CASES} cases; import this file in another call"));
            continue;
        }
        same_bytes.insert(digest, key.clone());
        add(&mut groups, key, Group { bytes, role, name, others: 0 });
    }
    if import.files == 0 {
        return Err(HuntError::NoCrash { path: folder.to_owned() });
    }
    if let Some(session) = session {
        groups = shrunk(groups, session, effort, &mut import.cut_short);
    }
    for (key, group) in groups {
        match declare(&key, &group) {
            Ok(text) => import.cases.push(text),
            Err(why) => import.left_out.push(format!("{}: {why}", plain_line(&group.name, NAME))),
        }
    }
    Ok(import)
}

/// Returns whether an entry of the folder can be a crash file. Fuzzers also write reports with other extensions, and
/// `hunt` also stores the file before an attack.
fn is_crash(entry: &DirEntry) -> bool {
    let path = Path::new(entry.file_name());
    let named = match path.extension() {
        // AFL++ names files `id:000000,sig:11,…`, and hidden files belong to the fuzzer.
        None => !entry.file_name().as_encoded_bytes().starts_with(b"."),
        Some(extension) => EXTENSIONS.iter().any(|own| extension == *own),
    };
    !entry.file_type().is_dir() && named && path.file_stem() != Some(OsStr::new("base"))
}

/// Reads a file that is not a link, not a special file, and not too large.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_symlink() {
        return Err(io::Error::other("is a symbolic link; expected a regular file"));
    }
    let mut bytes = Vec::new();
    open_regular(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("has more than {} MiB; shrink the file", MAX_FILE >> 20)));
    }
    Ok(bytes)
}

/// Runs the reader on a file. Returns the cluster of its failure, or the outcome if the reader does not fail.
fn failure(session: &mut ReaderSession, bytes: &[u8], role: Role) -> Result<Key, Outcome> {
    let outcome = session.read(bytes, role);
    let checked = checked_together(&[bytes]);
    match wrong(&outcome, checked, session) {
        Some(kind) => Ok(Key::of(session.hello().name.clone(), kind, checked.must.map(|rule| rule.id), &outcome)),
        None => Err(outcome),
    }
}

/// Adds a group. If a group with the same properties exists, the smaller file stays.
fn add(groups: &mut BTreeMap<GroupKey, Group>, key: GroupKey, new: Group) {
    match groups.get_mut(&key) {
        None => drop(groups.insert(key, new)),
        Some(old) => {
            let others = old.others + new.others + 1;
            if new.bytes.len() < old.bytes.len() {
                *old = new;
            }
            old.others = others;
        }
    }
}

/// Shrinks the file of each group, and merges groups whose shrunk files have the same properties.
fn shrunk(
    groups: BTreeMap<GroupKey, Group>,
    session: &mut ReaderSession,
    effort: Effort,
    cut_short: &mut bool,
) -> BTreeMap<GroupKey, Group> {
    let mut all = BTreeMap::new();
    for ((cluster, _), group) in groups {
        let role = group.role;
        let is_shown = &mut |bytes: &[u8]| {
            let outcome = &mut |_: &str| Some(session.read(bytes, role));
            cluster.as_ref().is_some_and(|key| is_shown_by(key, &[bytes], outcome))
        };
        let shrunk = shrink(&group.bytes, effort, is_shown);
        *cut_short |= !shrunk.finished;
        let key = (cluster, broken_rules(&shrunk.bytes));
        add(&mut all, key, Group { bytes: shrunk.bytes, ..group });
    }
    all
}

/// Returns the source text of the case of a group, with its files, its cluster and its rules as a comment.
fn declare((cluster, rules): &GroupKey, group: &Group) -> Result<String, String> {
    if group.bytes.len() > MAX_CASE {
        let len = group.bytes.len();
        return Err(format!("has {len} bytes, expected at most {MAX_CASE}; pass --reader to shrink the file"));
    }
    let name = match cluster {
        Some(key) => key.id(),
        None => format!("file-{}", HEXLOWER.encode(&Sha256::digest(&group.bytes)[..4])),
    };
    let mut text = declare_file(&group.bytes, group.role, &name).map_err(|id| format!("is the file of case {id}"))?;
    let others = match group.others {
        0 => String::new(),
        1 => " and 1 other file".to_owned(),
        count => format!(" and {count} other files"),
    };
    let rules = if rules.is_empty() { "no rule".to_owned() } else { rules.join(", ") };
    let cluster = cluster.as_ref().map(|key| format!("{} of {}: ", key.kind.name(), plain_line(&key.reader, NAME)));
    text += &format!(
        "    // Imported from {}{others}: {}breaks {rules}.\n",
        plain_line(&group.name, NAME),
        cluster.unwrap_or_default()
    );
    Ok(text)
}
