//! A worker that accepts every file at once: it measures what the runner itself takes.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let reply = match request["op"].as_str() {
            Some("hello") => json!({ "protocol": 1, "name": "idle-worker", "version": "1", "stages": ["data"] }),
            Some("read") => json!({ "seq": request["seq"], "outcome": "accept" }),
            _ => return Ok(()),
        };
        writeln!(stdout, "{reply}")?;
        stdout.flush()?;
    }
    Ok(())
}
