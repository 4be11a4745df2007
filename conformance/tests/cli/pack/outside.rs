//! Tests specifications that name files outside the data folder of `pack`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::{folder, run};

/// Returns the specification of a data file with one named segment.
fn keyed(segment: &Value) -> Value {
    json!({ "kind": "ptd", "flat_tensor": { "named_data": [{ "key": "k", "segment_index": 0 }] }, "segments": [segment] })
}

/// Without `--allow-outside`, `pack` neither opens files outside its folder nor discloses whether a file exists.
#[cfg(target_os = "linux")]
#[test]
fn rejects_outside_files_before_opening_them() {
    use std::os::unix::fs::symlink;

    use rustix::fs::inotify;

    let folder = folder("stranger");
    fs::create_dir(folder.join("model")).unwrap();
    fs::write(folder.join("secret"), b"secret").unwrap();
    fs::write(folder.join("model/data"), b"data").unwrap();
    symlink("../secret", folder.join("model/link")).unwrap();
    symlink("..", folder.join("model/up")).unwrap();
    symlink("data", folder.join("model/alias")).unwrap();
    symlink("../absent", folder.join("model/dangling")).unwrap();
    let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    let wrong = digest.replace('2', "3");
    let pack = |data: Value, sha256: Option<&str>, args: &[&str]| {
        let mut entry = json!({ "data": data });
        if let Some(sha256) = sha256 {
            entry["sha256"] = sha256.into();
        }
        fs::write(folder.join("model/spec.json"), serde_json::to_vec(&keyed(&entry)).unwrap()).unwrap();
        let _ = fs::remove_file(folder.join("out.ptd"));
        run(&[&["pack", "stranger/model/spec.json", "-o", "stranger/out.ptd"], args].concat())
    };
    let secret = folder.join("secret");
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, &secret, inotify::WatchFlags::OPEN).unwrap();
    let opened = || {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
        inotify::Reader::new(&watch, &mut buffer).next().is_ok()
    };
    // The error must be the same whether or not the named file exists. `pack.md` contains the error.
    let mut errors = BTreeSet::new();
    let absolute = secret.to_str().unwrap();
    let absent = folder.join("absent");
    for file in [
        "../secret",
        "link",
        "up/secret",
        "./../model/../secret",
        absolute,
        "../absent",
        "up/absent",
        "dangling",
        absent.to_str().unwrap(),
    ] {
        for sha256 in [None, Some(digest), Some(&*wrong)] {
            for data in [json!({ "file": file }), json!({ "file": file, "offset": 2, "len": 2 })] {
                let outcome = pack(data, sha256, &[]);
                assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
                assert!(!folder.join("out.ptd").exists() && !opened(), "{file}");
                errors.insert(outcome.stderr.replace(file, "FILE"));
            }
        }
    }
    for (file, args) in [
        ("data", &[][..]),
        ("alias", &[]),
        ("../model/data", &[]),
        ("../secret", &["--allow-outside"]),
        ("secret", &["--data-dir", "stranger"]),
    ] {
        assert_eq!(pack(json!({ "file": file }), None, args).code, Some(0), "{file}");
    }
    assert_eq!(pack(json!({ "file": "data" }), None, &["--data-dir", "stranger"]).code, Some(2));
    let missing = pack(json!({ "file": "./absent" }), None, &[]).stderr.replace("./absent", "FILE");
    assert!(errors.len() == 1 && !errors.contains(&missing), "{errors:?}");
    assert!(opened());
    // With `--allow-outside`, the error is allowed to contain the digest of the file.
    let outcome = pack(json!({ "file": "../secret" }), Some(&wrong), &["--allow-outside"]);
    assert_eq!((outcome.code, folder.join("out.ptd").exists()), (Some(2), false));
    assert!(outcome.stderr.contains(digest));
}
