//! A campaign's folder.
//!
//! | path | content |
//! |---|---|
//! | `hunt.json` | the settings of the campaign: written once, and compared on resume |
//! | `progress.json` | the progress: replaced atomically, at most twice per second during the campaign |
//! | `feedback.json` | the outcomes that affect later files: replaced like `progress.json` |
//! | `findings.jsonl` | every finding, one line each, in order of discovery |
//! | `clusters/ID/` | a cluster: the description, the smallest file, the shrunk file, and the reader's stderr for the files |

mod files;
mod head;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use torchproof::attack;

use super::HuntError;
use super::cluster::{Cluster, Evidence, Key, Kind};
use super::feedback::{BLOCK, Feedback};
use super::judge::HuntFinding;
use super::shrink::Origin;
use crate::disk::io_error::PathError;
use crate::disk::open::{lock_output, open_output, read_regular};
use crate::disk::{AtomicFile, OverwritePolicy};
use crate::labeled::Line;
use crate::text::escape::shell_line;
use crate::text::{ascii, counted};
use files::{STDERR, base_name, bytes_if_there, file_name, parse, pretty, put, put_stderr, read_if_there, shrunk_name};
pub use head::Head;

/// The minimum interval between two writes of the progress.
const PACE: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Progress {
    /// The first file that the readers have not run on.
    next: u64,
}

/// A line of `findings.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    index: u64,
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    evidence: Evidence,
    size: u64,
    label: Line,
    extension: String,
    /// The file name extension of the data file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    data: Option<String>,
}

#[derive(Debug)]
struct Output {
    findings: File,
    annotate: Annotate,
}

impl Output {
    /// Writes the byte maps of a cluster's files piece by piece, because a map is much larger than its file.
    fn annotate<'f>(&self, folder: &Path, files: impl Iterator<Item = &'f [u8]>) -> Result<(), HuntError> {
        let path = folder.join("annotated.txt");
        let write = || {
            let mut new = AtomicFile::create(&path, OverwritePolicy::Replace)?;
            let mut out = BufWriter::new(new.file());
            for (index, bytes) in files.enumerate() {
                out.write_all(if index == 0 { b"" } else { b"\n" })?;
                (self.annotate)(bytes, &mut out)?;
            }
            out.flush()?;
            drop(out);
            new.persist_unsynced()
        };
        Ok(write().map_err(PathError::write(&path))?)
    }
}

/// Writes the byte map of a file as text.
pub type Annotate = fn(&[u8], &mut dyn Write) -> io::Result<()>;

/// The folder of a campaign and its content.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The command that reruns a cluster, up to the cluster's id.
    rerun: String,
    /// `None` if the campaign is open only for reading.
    output: Option<Output>,
    /// A warning about the folder, if any.
    note: Option<String>,
    clusters: BTreeMap<Key, Cluster>,
    /// The findings for files in incomplete blocks. A resumed campaign runs the readers on these files again, and must
    /// not count the findings twice.
    known: BTreeSet<(u64, Key)>,
    progress: Progress,
    feedback: Arc<Feedback>,
    done: BTreeSet<u64>,
    saved: Instant,
}

impl Store {
    /// Opens the campaign in a folder, or creates one; `rerun` is the command that reruns a cluster.
    pub fn open(folder: &Path, head: &Head, rerun: String, annotate: Annotate) -> Result<Self, HuntError> {
        let place = folder.join("hunt.json");
        fs::create_dir_all(folder.join("clusters")).map_err(PathError::folder(folder))?;
        match read_if_there(&place)? {
            Some(there) => {
                Head::expect_same(&there, head, folder)?;
                if there != *head {
                    put(&place, &pretty(head))?;
                }
            }
            None => {
                let mut others = fs::read_dir(folder).map_err(PathError::folder(folder))?.flatten();
                if others.any(|entry| entry.file_name() != "clusters") {
                    return Err(HuntError::NotEmpty { path: folder.to_owned() });
                }
                put(&place, &pretty(head))?;
            }
        }
        let path = folder.join("findings.jsonl");
        let findings = open_output(&path, true).map_err(PathError::write(&path))?;
        lock_output(&findings).map_err(PathError::write(&path))?;
        Self::read(folder, rerun, Some(Output { findings, annotate }))
    }

    /// Opens a campaign's folder only for reading, even while the campaign runs, and also returns its settings.
    pub fn load(folder: &Path) -> Result<(Self, Head), HuntError> {
        let path = folder.join("hunt.json");
        let head = read_if_there(&path)?.ok_or_else(|| PathError::read(&path)(io::ErrorKind::NotFound.into()))?;
        let words = ["torchproof", "hunt", "--output", &folder.to_string_lossy()].map(str::to_owned);
        Ok((Self::read(folder, shell_line(words), None)?, head))
    }

    fn read(folder: &Path, rerun: String, output: Option<Output>) -> Result<Self, HuntError> {
        let path = folder.join("findings.jsonl");
        let mut store = Self {
            folder: folder.to_owned(),
            rerun,
            output,
            note: None,
            clusters: BTreeMap::new(),
            known: BTreeSet::new(),
            progress: read_if_there(&folder.join("progress.json"))?.unwrap_or_default(),
            feedback: Arc::new(read_if_there(&folder.join("feedback.json"))?.unwrap_or_default()),
            done: BTreeSet::new(),
            saved: Instant::now(),
        };
        let text = bytes_if_there(&path)?.unwrap_or_default();
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if text.len() > whole {
            let mut end = "ignored";
            // The progress does not cover this finding's file, so a resumed campaign runs the readers on it again.
            if let Some(Output { findings, .. }) = &store.output {
                findings.set_len(whole as u64).map_err(PathError::write(&path))?;
                end = "removed the line; the readers will run on this finding's file again";
            }
            let half = text.len() - whole;
            store.note =
                Some(format!("{}: the last line is incomplete ({}): {end}", path.display(), counted(half, "byte")));
        }
        for line in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            store.count(&parse(&path, line)?);
        }
        for cluster in store.clusters.values_mut() {
            let place = folder.join("clusters").join(&cluster.id).join("cluster.json");
            // If the smallest file changed after shrinking, drop the shrunk file, so that shrinking starts again.
            if let Some(kept) = read_if_there::<Cluster>(&place)?.filter(|kept| kept.index == cluster.index) {
                (cluster.shrunk, cluster.shrink_incomplete) = (kept.shrunk, kept.shrink_incomplete);
                cluster.evidence = kept.evidence;
            }
        }
        Ok(store)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a warning about the folder, if any, as one line.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns the folder for the input files of readers.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    pub(super) fn feedback(&self) -> &Arc<Feedback> {
        &self.feedback
    }

    /// Returns the number of completed files, which is the index of the first file without outcomes.
    pub const fn next(&self) -> u64 {
        self.progress.next
    }

    /// Returns the number of tested files, including those that follow a file whose test has not ended.
    pub fn tested(&self) -> u64 {
        self.progress.next + self.done.len() as u64
    }

    /// Returns the clusters, sorted by reader, kind, rule and frames.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.clusters.values()
    }

    pub fn cluster(&self, id: &str) -> Option<&Cluster> {
        self.clusters.values().find(|cluster| cluster.id == id)
    }

    pub(super) fn add(
        &mut self,
        index: u64,
        found: &[HuntFinding],
        on_new: &(dyn Fn(&Cluster) + Sync),
    ) -> Result<(), HuntError> {
        for find in found {
            if self.known.contains(&(index, find.key.clone())) {
                continue;
            }
            let ending = |at: usize| find.files.get(at).map(|(_, extension)| (*extension).to_owned());
            let entry = Entry {
                index,
                key: find.key.clone(),
                evidence: find.evidence.clone(),
                size: find.files.iter().map(|(bytes, _)| bytes.len() as u64).sum(),
                label: find.label.clone(),
                extension: ending(0).unwrap_or_default(),
                data: ending(1),
            };
            let path = self.folder.join("findings.jsonl");
            let before = self.clusters.get(&find.key).map(|cluster| cluster.index);
            let new = before.is_none();
            // Write the files before the records that name them, so that no interruption leaves a dangling record.
            if self.clusters.get(&find.key).is_none_or(|cluster| entry.size < cluster.size) {
                let folder = self.folder.join("clusters").join(find.key.id());
                fs::create_dir_all(&folder).map_err(PathError::folder(&folder))?;
                for (bytes, extension) in &find.files {
                    put(&folder.join(file_name(extension)), bytes)?;
                }
                if let Some(output) = &self.output {
                    output.annotate(&folder, find.files.iter().map(|(bytes, _)| bytes.as_slice()))?;
                }
                put(&folder.join(base_name(&find.label)), &find.base)?;
                put_stderr(&folder, &find.evidence)?;
            }
            let mut line = Vec::new();
            ascii::write_line(&mut line, &entry).map_err(PathError::write(&path))?;
            if let Some(Output { findings, .. }) = &mut self.output {
                findings.write_all(&line).map_err(PathError::write(&path))?;
            }
            self.count(&entry);
            if let Some(cluster) = self.clusters.get(&find.key).filter(|cluster| before != Some(cluster.index)) {
                self.describe(cluster)?;
                if new {
                    on_new(cluster);
                }
            }
        }
        if index >= self.progress.next {
            self.done.insert(index);
        }
        while self.done.remove(&self.progress.next) {
            self.progress.next += 1;
        }
        if self.saved.elapsed() >= PACE {
            self.save()?;
        }
        Ok(())
    }

    /// Sets the feedback after the complete blocks, and forgets their findings, because a resumed campaign does not run
    /// the readers on their files again.
    pub(super) fn set_feedback(&mut self, feedback: Arc<Feedback>) {
        let complete = feedback.blocks * BLOCK;
        self.known.retain(|(index, _)| *index >= complete);
        self.feedback = feedback;
    }

    pub(super) fn save(&mut self) -> Result<(), HuntError> {
        self.saved = Instant::now();
        put(&self.folder.join("progress.json"), &pretty(&self.progress))?;
        put(&self.folder.join("feedback.json"), &pretty(&*self.feedback))
    }

    /// Returns the clusters to shrink: crashes first, then the others by size and count. Hangs come last, because every
    /// candidate that hangs takes the full time limit.
    pub(super) fn to_shrink(&self) -> Vec<Cluster> {
        let mut all: Vec<Cluster> = self.clusters().filter(|cluster| cluster.is_to_shrink()).cloned().collect();
        all.sort_by_key(|cluster| (cluster.key.kind == Kind::Hang, cluster.key.kind, cluster.size, cluster.count));
        all
    }

    /// Returns a cluster's shrunk files, or the original files if none is shrunk. A program precedes its data file.
    pub fn smallest(&self, cluster: &Cluster) -> Result<Vec<Vec<u8>>, HuntError> {
        let paths = self.smallest_paths(cluster).into_iter();
        paths.map(|path| Ok(read_regular(&path).map_err(PathError::read(&path))?)).collect()
    }

    pub(super) fn smallest_paths(&self, cluster: &Cluster) -> Vec<PathBuf> {
        let folder = self.folder.join("clusters").join(&cluster.id);
        let name = if cluster.shrunk.is_some() { shrunk_name } else { file_name };
        cluster.roles().into_iter().map(|(_, extension)| folder.join(name(extension))).collect()
    }

    /// Returns the end of the reader's output on stderr, if any.
    pub fn stderr(&self, cluster: &Cluster) -> Result<String, HuntError> {
        let path = self.folder.join("clusters").join(&cluster.id).join(STDERR);
        Ok(bytes_if_there(&path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
    }

    /// Returns the base of a cluster's attacked file and the file's position in the cluster, if there was an attack.
    pub(super) fn origin(&self, cluster: &Cluster) -> Result<Option<(usize, Origin)>, HuntError> {
        let label = &cluster.label;
        // An edit cannot be applied to another base, so only the attack remains.
        let Some(attack) = attack::find(&label.attack) else { return Ok(None) };
        let path = self.folder.join("clusters").join(&cluster.id).join(base_name(label));
        let at = cluster.roles().iter().position(|(_, extension)| label.file.ends_with(extension));
        let base = bytes_if_there(&path)?;
        Ok(at.zip(base).map(|(at, base)| (at, Origin { base, attack })))
    }

    /// Stores the shrunk files of a cluster with their evidence and byte maps.
    pub(super) fn put_shrunk(
        &mut self,
        key: &Key,
        files: &[Vec<u8>],
        evidence: Option<Evidence>,
        shrink_incomplete: bool,
    ) -> Result<(), HuntError> {
        let Some(cluster) = self.clusters.get_mut(key) else { return Ok(()) };
        let folder = self.folder.join("clusters").join(&cluster.id);
        for ((_, extension), bytes) in cluster.roles().into_iter().zip(files) {
            put(&folder.join(shrunk_name(extension)), bytes)?;
        }
        if let Some(output) = &self.output {
            output.annotate(&folder, files.iter().map(Vec::as_slice))?;
        }
        if let Some(evidence) = evidence {
            put_stderr(&folder, &evidence)?;
            cluster.evidence = evidence;
        }
        cluster.shrunk = Some(files.iter().map(|bytes| bytes.len() as u64).sum());
        cluster.shrink_incomplete = shrink_incomplete;
        let cluster = cluster.clone();
        self.describe(&cluster)
    }

    /// Writes each cluster's description, with the current number of findings.
    pub(super) fn describe_all(&self) -> Result<(), HuntError> {
        self.clusters().try_for_each(|cluster| self.describe(cluster))
    }

    fn describe(&self, cluster: &Cluster) -> Result<(), HuntError> {
        put(&self.folder.join("clusters").join(&cluster.id).join("cluster.json"), &pretty(cluster))
    }

    fn count(&mut self, entry: &Entry) {
        let Entry { index, key, evidence, size, label, extension, data } = entry;
        if *index >= self.feedback.blocks * BLOCK && !self.known.insert((*index, key.clone())) {
            return;
        }
        let one = || Cluster {
            id: key.id(),
            key: key.clone(),
            evidence: evidence.clone(),
            count: 0,
            index: *index,
            file: file_name(extension),
            data: data.as_deref().map(file_name),
            size: *size,
            label: label.clone(),
            shrunk: None,
            shrink_incomplete: false,
            again: format!("{} --again {}", self.rerun, key.id()),
        };
        let cluster = self.clusters.entry(key.clone()).or_insert_with(one);
        cluster.count += 1;
        if *size < cluster.size {
            *cluster = Cluster { count: cluster.count, ..one() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labeled::Source;
    use crate::reader::outcome::{Cause, Outcome, Termination};

    fn find(kind: Kind, outcome: &Outcome, size: usize) -> HuntFinding {
        let case = torchproof::corpus::find("pte/valid/constants").unwrap();
        let label = Line::valid(0, &Source::of(Path::new("a.pte"), case.build().bytes).unwrap(), 0);
        let key = Key { rule: Some(size.to_string()), ..Key::of("toy".to_owned(), kind, None, outcome) };
        HuntFinding {
            key,
            evidence: Evidence::of(outcome, &"once:toy".parse().unwrap()),
            files: vec![(vec![0; size], "pte")],
            base: Vec::new(),
            label,
        }
    }

    #[test]
    fn shrinks_small_crashes_first_and_hangs_last() {
        let folder = tempfile::tempdir().unwrap();
        let head = Head {
            version: String::new(),
            seed: 0,
            readers: Vec::new(),
            sources: Vec::new(),
            pairs: false,
            selection: (None, None),
            limits: Vec::new(),
            working_folder: String::new(),
        };
        let open = || Store::open(folder.path(), &head, String::new(), |_, _| Ok(()));
        let mut store = open().unwrap();
        // The campaign is already open for writing.
        assert!(matches!(open(), Err(HuntError::Path(PathError::Write(..)))));
        let hang = Outcome::Died(Termination::of(Cause::CpuTime));
        let crash = Outcome::Died(Termination::of(Cause::Abort));
        let reject = Outcome::Reject { stage: None, message: String::new() };
        let found = [
            find(Kind::Hang, &hang, 8),
            find(Kind::RejectsValid, &reject, 4),
            find(Kind::Crash, &crash, 64),
            find(Kind::Crash, &crash, 32),
        ];
        store.add(0, &found, &|_| {}).unwrap();
        let order: Vec<(Kind, u64)> = store.to_shrink().iter().map(|one| (one.key.kind, one.size)).collect();
        assert_eq!(order, [(Kind::Crash, 32), (Kind::Crash, 64), (Kind::RejectsValid, 4), (Kind::Hang, 8)]);
    }
}
