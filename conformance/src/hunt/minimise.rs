//! What was found, made small.

use super::cluster::{Cluster, Kind};
use super::{HuntError, Store, said};
use crate::byte_map;
use crate::feed::{Feed, role_of};
use crate::outcome::Outcome;
use crate::shrink::{Effort, shrink};
use crate::signature::Signature;
use torchproof::annotate::ByteMap;
use torchproof::check;

/// Shrinks every cluster that was not shrunk.
pub(super) fn all(effort: Effort, store: &mut Store, feeds: &mut [Feed]) -> Result<(), HuntError> {
    for cluster in store.unshrunk() {
        let file = store.file(&cluster)?;
        let shrunk = shrink(&file, effort, &mut |bytes| is_of(&cluster, bytes, feeds));
        let annotated = byte_map::render(&shrunk.bytes, &ByteMap::of(&shrunk.bytes), &[], byte_map::Shown::All);
        store.put_shrunk(&cluster.key, &shrunk.bytes, &annotated)?;
    }
    Ok(())
}

/// Whether a file is a finding of the cluster, but for the family, which no file tells.
fn is_of(cluster: &Cluster, bytes: &[u8], feeds: &mut [Feed]) -> bool {
    let key = &cluster.key;
    let said = said(bytes);
    let rule = || said.must.map(|rule| rule.id) == key.rule.as_deref();
    let role = match cluster.file.rsplit('.').next() {
        Some("ptd") => role_of(check::Kind::Ptd),
        Some("bpte") => role_of(check::Kind::Bpte),
        _ => role_of(check::Kind::Pte),
    };
    let same = |name: &str, feeds: &mut [Feed]| {
        let feed = feeds.iter_mut().find(|feed| feed.hello().name == name);
        feed.is_some_and(|feed| Signature::of(&feed.put(bytes, role)) == key.signature)
    };
    match key.kind {
        Kind::Crash | Kind::Hang | Kind::Resource | Kind::AdapterError => same(&key.reader, feeds),
        Kind::AcceptsInvalid => rule() && same(&key.reader, feeds),
        Kind::RejectsValid => said.must.is_none() && !said.warned && !said.incomplete && same(&key.reader, feeds),
        Kind::Disagrees => {
            let Some((rejecting, accepting)) = key.reader.split_once(" and ") else { return false };
            let accepts = |feed: &mut Feed| matches!(feed.put(bytes, role), Outcome::Accept { .. });
            rule()
                && same(rejecting, feeds)
                && feeds.iter_mut().find(|feed| feed.hello().name == accepting).is_some_and(accepts)
        }
    }
}
