//! What packing and dumping cost in memory.

use std::fs;

use super::{folder, real, torchproof, with_data};

/// Bytes inside the FlatBuffer are held as bytes, however JSON writes them.
#[cfg(target_os = "linux")]
#[test]
fn bytes_in_the_tables_take_a_small_multiple_of_themselves() {
    let folder = folder("inline");
    let len = 4 << 20;
    let mut spec = with_data(&fs::read(real("add.pte")).unwrap()).unwrap();
    spec.as_object_mut().unwrap().remove("header");
    spec["program"]["constant_buffer"] = serde_json::json!([{ "storage": [] }, { "storage": ["numbers"] }]);
    let spec = spec.to_string().replace(r#""numbers""#, &vec!["200"; len].join(","));
    fs::write(folder.join("spec.json"), spec).unwrap();
    // In KiB: all that is mapped, code and all. Values of JSON would be eight times as much.
    let script = "ulimit -v 65536; exec \"$0\" \"$@\"";
    for args in [
        &["pack", "inline/spec.json", "-o", "inline/blob.pte"][..],
        &["dump", "inline/blob.pte", "-o", "inline/dump.json", "--compact"],
        &["pack", "inline/dump.json", "-o", "inline/same.pte"],
    ] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_torchproof")]).args(args);
        let output = command.current_dir(torchproof(&[]).get_current_dir().unwrap()).output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
    assert!(fs::read(folder.join("blob.pte")).unwrap() == fs::read(folder.join("same.pte")).unwrap());
    fs::remove_dir_all(folder).unwrap();
}
