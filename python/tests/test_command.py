"""The command that the extension contains."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

READER = "import sys\nsys.exit(open(sys.argv[1], 'rb').read(8)[4:] != b'ET12')\n"
WORDS = [sys.executable, "-P", "-m", "torchproof"]


def run(*words, **options):
    return subprocess.run([*WORDS, *map(str, words)], capture_output=True, text=True, **options)


def test_exit_codes_and_output(files, tmp_path):
    assert run("--version").stdout.startswith("torchproof ")
    assert run("check", files / "linear.pte").returncode == 0
    (tmp_path / "short.pte").write_bytes(b"short")
    rejected = run("check", tmp_path / "short.pte")
    assert rejected.returncode == 1 and "error[fb-min-size]" in rejected.stdout
    wrong = run("chekc")
    assert wrong.returncode == 2 and "torchproof" in wrong.stderr and not wrong.stdout


def test_the_console_script_is_the_same_command(files):
    script = shutil.which("torchproof", path=os.path.dirname(sys.executable))
    assert script is not None
    assert subprocess.run([script, "check", files / "linear.pte"]).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="`run` starts no readers on Windows")
def test_readers_run_in_processes_of_their_own(tmp_path):
    (tmp_path / "reader.py").write_text(READER)
    reader = f"once:{sys.executable} {tmp_path / 'reader.py'}"
    done = run("run", "--reader", reader, "--cases", "pte/header/length-*", cwd=tmp_path)
    assert done.returncode == 1 and "accepts-invalid" in done.stdout and "adapter-error" not in done.stdout
    again = done.stdout.splitlines()[-1]
    assert again == "torchproof run --rerun-failed target/torchproof-run/results.jsonl" or "results.jsonl" in again


@pytest.mark.skipif(sys.platform == "win32", reason="`run` starts no readers on Windows")
def test_a_reader_that_crashes_or_hangs_is_found(tmp_path):
    (tmp_path / "crash.py").write_text("import os\nos.abort()\n")
    (tmp_path / "hang.py").write_text("import time\ntime.sleep(600)\n")
    for name, grade in (("crash", "crash"), ("hang", "hang")):
        reader = f"once:{sys.executable} {tmp_path / name}.py"
        done = run("run", "--reader", reader, "--cases", "pte/header/length-23", cwd=tmp_path)
        assert done.returncode == 1 and f"1 {grade}" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the signals of Unix")
def test_an_interrupt_ends_the_command(tmp_path):
    slow = f"once:{sys.executable} -c 'import time; time.sleep(2)'"
    running = subprocess.Popen([*WORDS, "run", "--reader", slow], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # An earlier signal would end the interpreter before the command sets its handler.
    while not any(tmp_path.iterdir()) and running.poll() is None:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130


def test_a_closed_pipe_is_no_error(files):
    shell = f"{sys.executable} -P -m torchproof explain | head -n 1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr


def test_the_import_is_light():
    code = (
        "import sys, time; begin = time.process_time(); import torchproof; spent = time.process_time() - begin;"
        "heavy = {'numpy', 'torch', 'dataclasses', 'json', 'typing', 'concurrent.futures'} & set(sys.modules);"
        "print(spent, heavy or '')"
    )
    times = []
    for _ in range(5):
        spent, *heavy = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                                       env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}).stdout.split()
        assert not heavy
        times.append(float(spent))
    assert min(times) < 0.03
