//! Tests the report on a library: the script in the report must repeat the failure without torchproof.

use std::fs;
use std::process::Command;

use libtest_mimic::Trial;

use crate::need::{Need, trials};

/// A library that crashes on a data file if the request lists layouts, as it does in a campaign.
const SOURCE: &str = r#"
#include <signal.h>
#include "torchproof.h"
const char *torchproof_hello(void) {
    return "{\"protocol\":1,\"name\":\"toy\",\"formats\":[\"pte\",\"ptd\"],\"stages\":[\"header\",\"meta\"]" DELIVERIES "}";
}
int32_t torchproof_read(const struct torchproof_request *request, struct torchproof_answer *answer) {
    const struct torchproof_file *file = request->files;
    const int by_path = sizeof DELIVERIES > 1;
    answer->message = "no";
    answer->stage = TORCHPROOF_STAGE_META;
    if (by_path ? file->path == NULL || file->path[0] != '/' : memcmp(file->bytes + 4, "FT", 2) != 0) return TORCHPROOF_REJECT;
    if (file->role != TORCHPROOF_ROLE_DATA || request->stage != TORCHPROOF_STAGE_META) return TORCHPROOF_REJECT;
    if (file->layout_count > 0 && file->layouts[0] < file->layout_count) raise(SIGFPE);
    return TORCHPROOF_REJECT;
}
"#;

fn the_script_of_a_report_calls_the_library() {
    let folder = testkit::empty_scratch("reported");
    fs::write(folder.join("toy.c"), SOURCE).unwrap();
    let run = |folder: &std::path::Path, command: &mut Command| command.current_dir(folder).output().unwrap();
    for (name, deliveries) in [("memory", ""), ("path", r#",\"deliveries\":[\"file\"]"#)] {
        let header = testkit::repository().join("conformance/readers/common");
        let define = format!("-DDELIVERIES=\"{deliveries}\"");
        let library = format!("lib{name}.so");
        let args = ["-shared", "-fPIC", "-Wall", "-Werror", "-o", &library, "toy.c", &define, "-I"];
        let built = run(&folder, Command::new("cc").args(args).arg(header));
        assert!(built.status.success(), "{built:?}");
        let torchproof = |args: &[&str]| run(&folder, Command::new(testkit::program("torchproof")).args(args));
        let reader = format!("lib:{library}");
        let limits = ["--count", "16", "--time", "10m", "--shrink", "1s", "--only", "crash"];
        let found = torchproof(&[&["hunt", "--output", name, "--reader", &reader], &limits[..]].concat());
        assert_eq!(found.status.code(), Some(1), "{found:?}");
        let report = format!("markdown={name}.md");
        assert!(torchproof(&["report", name, "--report", &report]).status.success());
        let text = fs::read_to_string(folder.join(format!("{name}.md"))).unwrap();
        let script = text.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
        let elsewhere = folder.join(format!("{name}-elsewhere"));
        fs::create_dir(&elsewhere).unwrap();
        let strict = script.replace("cc ", "cc -Wall -Wextra -Werror ");
        let repeated = run(&elsewhere, Command::new("sh").args(["-c", &format!("{strict}\nexit $?")]));
        assert_eq!(repeated.status.code(), Some(128 + rustix::process::Signal::FPE.as_raw()), "{script}\n{repeated:?}");
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["cc"])]; the_script_of_a_report_calls_the_library]
}
