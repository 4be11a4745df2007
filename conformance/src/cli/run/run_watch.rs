//! Observes a run: shows the progress on a terminal, and ends the run after a signal.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use torchproof_harness::reader::interrupt;
use torchproof_harness::run::{Observer, RunProgress};

use super::super::interrupted::end_on_signals;
use super::super::progress::Progress as Line;

pub(super) struct RunWatch {
    begin: Instant,
    line: Mutex<Line>,
}

impl RunWatch {
    /// From now on, SIGINT and SIGTERM end the run.
    pub(super) fn start() -> io::Result<Self> {
        end_on_signals()?;
        Ok(Self { begin: Instant::now(), line: Mutex::new(Line::new()) })
    }

    pub(super) fn clear(&self) {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Observer for RunWatch {
    fn progress(&self, progress: RunProgress) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.show(|| numbers(progress, self.begin.elapsed()));
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_interrupted()
    }
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are for people")]
fn numbers(RunProgress { done, planned, failed }: RunProgress, time: Duration) -> String {
    let rate = done as f64 / time.as_secs_f64().max(0.001);
    let left = planned.saturating_sub(done) as f64 / rate.max(0.001);
    let left = if left < 100.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) };
    format!("{done} of {planned} results, {failed} failed, {rate:.0}/s, {left} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_rate_and_the_time_left() {
        let numbers = |done, planned, failed| numbers(RunProgress { done, planned, failed }, Duration::from_secs(10));
        assert_eq!(numbers(50, 200, 3), "50 of 200 results, 3 failed, 5/s, 30 s left");
        assert_eq!(numbers(50, 5000, 0), "50 of 5000 results, 0 failed, 5/s, 16 min left");
        assert_eq!(numbers(7, 7, 7), "7 of 7 results, 7 failed, 1/s, 0 s left");
    }
}
