//! Tests that a killed command leaves no temporary files.

testkit::command_in!("killed");

use std::fs;
use std::time::Instant;

use command::{scratch, torchproof};

/// The times differ so that every part of the write is hit by some of the kills.
#[test]
fn the_next_run_removes_what_killed_writers_leave() {
    const KILLS: u32 = 40;
    let (data, output) = (scratch().join("data"), scratch().join("out.ptd"));
    let spec = r#"{"kind":"ptd","flat_tensor":{"named_data":[{"key":"k","segment_index":0}]},"segments":[{"data":{"file":"data"}}]}"#;
    fs::write(scratch().join("spec.json"), spec).unwrap();
    fs::write(data, vec![1; 16 << 20]).unwrap();
    let start = || torchproof(&["pack", "spec.json", "-f", "-o", "out.ptd"]).spawn().unwrap();
    let began = Instant::now();
    assert!(start().wait().unwrap().success());
    let (time, whole) = (began.elapsed(), fs::read(&output).unwrap());
    for kill in 1..=KILLS {
        let mut writer = start();
        std::thread::sleep(time * kill / KILLS);
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert!(fs::read(&output).unwrap() == whole, "the output is incomplete");
    }
    assert!(start().wait().unwrap().success());
    assert_eq!(fs::read_dir(scratch()).unwrap().count(), 3);
}
