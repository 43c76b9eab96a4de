"""What is published works: `make wheel` builds wheel and sdist and tries them under each Python; not part of the tests.

    python -m tests.packaging [-o dist] [PYTHON ...]

The wheel is built from the sdist. It must hold every file of the library, and do in a fresh environment without extras
what the library is for; `mtrain play` asks for its extra, gets it, starts, answers and ends. Each Python that is not
named is looked for as python3.11, python3.12, python3.13; one that is missing is told, and does not fail.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
VERSIONS: Final = ("3.11", "3.12", "3.13")
IMPORT_SECONDS: Final = 0.5
IMPORT: Final = """
import sys, time
began = time.process_time()
import mtrain_env
print(time.process_time() - began, "torch" in sys.modules, mtrain_env.__file__)
"""


def run(*words: str | Path, fails: bool = False, cwd: Path | None = None) -> str:
    """Run a command; return what it printed. It must end with 0, or with something else where it is to fail."""
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def environment(python: str | Path, folder: Path) -> Path:
    """Make a fresh environment; return the folder of its programs."""
    run(python, "-m", "venv", folder)
    return folder / "bin"


def build(folder: Path, out: Path) -> Path:
    """Build the sdist, and from it the wheel; return the wheel."""
    programs = environment(sys.executable, folder)
    run(programs / "pip", "install", "-q", "build")
    for old in (*out.glob("mtrain_env-*.whl"), *out.glob("mtrain_env-*.tar.gz")):
        old.unlink()
    run(programs / "python", "-m", "build", "--outdir", out, ROOT)
    (wheel,), (sdist,) = out.glob("mtrain_env-*.whl"), out.glob("mtrain_env-*.tar.gz")
    ours = run("git", "ls-files", "mtrain_env", cwd=ROOT).split()
    missing = set(ours) - set(zipfile.ZipFile(wheel).namelist())
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(sorted(missing))}.")
    print(f"{sdist.name}: {sdist.stat().st_size:,} bytes; {wheel.name}: {wheel.stat().st_size:,} bytes", flush=True)
    return wheel


def find(version: str) -> str | None:
    """Return a Python of that version: one that is on the path, or one that pyenv keeps."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for python in (f"python{version}", *map(str, sorted(kept.glob(f"{version}.*/bin/python")))):
        try:
            if run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip() == version:
                return python
        except (OSError, SystemExit):
            continue
    return None


def try_wheel(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel in a fresh environment of that Python, and use it there."""
    programs = environment(python, folder)
    mtrain = programs / "mtrain"
    run(programs / "pip", "install", "-q", wheel)
    seconds, torch, file = min(run(programs / "python", "-I", "-c", IMPORT, cwd=folder).split() for _ in range(3))
    if torch != "False" or float(seconds) > IMPORT_SECONDS or not file.startswith(str(folder)):
        sys.exit(f"import mtrain_env took {seconds} s of {file}, torch imported: {torch}.")
    version = run(mtrain, "--version", cwd=folder).strip()
    if version.split()[-1] not in wheel.name:
        sys.exit(f"mtrain --version says {version!r}.")
    match = run(mtrain, "evaluate", "--bots", "medium", "--reference", "easy", "--deals", "20", cwd=folder)
    if "medium" not in match:
        sys.exit(f"mtrain evaluate printed:\n{match}")
    refusal = run(mtrain, "play", fails=True, cwd=folder)
    if "pip install 'mtrain-env[play]'" not in refusal:
        sys.exit(f"mtrain play without its extra printed:\n{refusal}")
    run(programs / "pip", "install", "-q", f"{wheel}[play]")
    play(mtrain, "play", cwd=folder)
    told = run(programs / "python", "--version").strip()
    print(f"{told}: installed, imported in {float(seconds):.2f} s, {version}, evaluate, play", flush=True)


def play(*words: str | Path, cwd: Path, **variables: str) -> str:
    """Start `mtrain play` with these words, get its page, end it as Ctrl-C does; return the page."""
    command = [*map(str, words), "--no-browser", "--port", "0"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"} | variables
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=cwd, env=environment, text=True, stdout=pipe, stderr=subprocess.STDOUT
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = next((word for word in line.split() if word.startswith("http://")), None)
            if address is None:
                sys.exit(f"{' '.join(command)} said {line + server.stdout.read()}")
            with urllib.request.urlopen(address, timeout=300) as answer:
                page: str = answer.read().decode()
            server.send_signal(signal.SIGINT)
            status = server.wait(600)  # it may be compiling
        finally:
            server.kill()
    if "Mexican Train" not in page or status not in (0, 130):
        sys.exit(f"{' '.join(command)} sent {page[:200]!r} and ended with {status}.")
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("-o", "--out", type=Path, default=ROOT / "dist", help="folder of sdist and wheel (dist)")
    options.add_argument("pythons", nargs="*", help="Pythons to try it under (python3.11, python3.12, python3.13)")
    given = options.parse_args(arguments)
    found = {python: python for python in given.pythons} or {version: find(version) for version in VERSIONS}
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder) / "build", given.out)
        for number, (version, python) in enumerate(found.items()):
            if python is None:
                print(f"Python {version}: not found on this machine, not tried", flush=True)
            else:
                try_wheel(python, wheel.resolve(), Path(folder) / f"try-{number}")
    return 0 if any(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
