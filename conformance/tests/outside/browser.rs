//! Controls headless Chromium over a pipe: real clicks and keystrokes on a page from disk.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::need;

/// The time limit for waiting for a condition.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: String,
    calls: u64,
    /// Console output, exceptions, and network requests to addresses other than local files.
    pub(crate) complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// The window is as large as on a desktop.
    pub(crate) fn start(page: &Path) -> Self {
        let name = need::tool(need::CHROMIUM).unwrap();
        let profile = tempfile::tempdir_in(testkit::scratch("html")).unwrap();
        // Chromium reads messages from descriptor 3 and writes them to descriptor 4. It opens only pages of these
        // tests, so it needs no sandbox.
        let script = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"#;
        let mut child = Command::new("sh")
            .args(["-c", script, name, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--remote-debugging-pipe", "--no-first-run", "--disable-background-networking", "--mute-audio"])
            .args(["--hide-scrollbars", "--force-color-profile=srgb", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (session, complaints) = (String::new(), Vec::new());
        let mut browser = Browser { child, to, from, session, calls: 0, complaints, _profile: profile };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, &json!({}));
        }
        browser.window(1280, 900, false);
        browser.open(page);
        browser
    }

    /// Calls a DevTools method, and waits for the result.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.to.flush().unwrap();
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).unwrap();
            assert_eq!(answer.pop(), Some(0), "the browser died at {method}");
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == self.calls {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled" => {
                self.complaints.push(params.to_string());
            }
            "Network.requestWillBeSent" if !params["request"]["url"].as_str().unwrap().starts_with("file:") => {
                self.complaints.push(params["request"].to_string());
            }
            _ => {}
        }
    }

    pub(crate) fn window(&mut self, width: u32, height: u32, dark: bool) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    pub(crate) fn open(&mut self, page: &Path) {
        // The new page can have the same address, so mark the old one.
        self.ask("globalThis.before = true");
        self.call("Page.navigate", &json!({"url": format!("file://{}", page.display())}));
        self.wait("document.readyState === 'complete' && !globalThis.before");
    }

    pub(crate) fn ask(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", &json!({"expression": expression, "returnByValue": true}));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn wait(&mut self, expression: &str) {
        let patience = Instant::now() + PATIENCE;
        while self.ask(&format!("Boolean({expression})")) != true {
            assert!(Instant::now() < patience, "never came true: {expression}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the first match is visible and uncovered, then clicks its center.
    pub(crate) fn click(&mut self, selector: &str) {
        let find = format!(
            "(() => {{ const found = document.querySelector({selector:?});
                found.scrollIntoView({{block: 'center', behavior: 'instant'}});
                const box = found.getBoundingClientRect();
                const at = [box.x + box.width / 2, box.y + box.height / 2];
                return document.elementFromPoint(...at)?.closest({selector:?}) ? at : null; }})()"
        );
        self.wait(&find);
        // Scrolling redraws the rows of a table in the next frame, but a click must begin and end on the same element.
        self.ask("globalThis.drawn = false; requestAnimationFrame(() => requestAnimationFrame(() => drawn = true)); 0");
        self.wait("globalThis.drawn");
        let place = self.ask(&find);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            other => panic!("{other} has no code here"),
        };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
