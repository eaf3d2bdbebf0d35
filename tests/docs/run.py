#!/usr/bin/env python3
"""Runs the code blocks of README.md and docs/*.md as a newcomer would, and compares what they say they print.

    run.py SOURCE [DOCUMENT...]

Blocks are fenced, and run in the order they stand, those of a document in one scratch folder:

    console   lines that begin with "$ " are commands, the lines below each what it prints; "..." stands for anything
    sh        commands that must succeed, whatever they print
    c, text   shown only, unless a comment gives them a name

A comment above a fence says more:

    <!-- file: NAME -->       the block is written to that file
    <!-- not run: REASON -->  it installs, takes minutes or needs other data

PATH, PKG_CONFIG_PATH and LD_LIBRARY_PATH must already find the command and the libraries.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LANGUAGES = {"console", "sh", "c", "cmake", "text", "json", "python"}
SECONDS = 300  # of a block, at most
# Their indented blocks are formulas and drawings.
FREE = {"math.md", "architecture.md"}


class Block:
    def __init__(self, document, line, language, comment, lines):
        self.where = f"{document}:{line}"
        self.language, self.lines = language, lines
        self.file = self.skipped = None
        found = re.fullmatch(r"<!-- (file|not run): (.+?) -->", comment)
        if found:
            self.file, self.skipped = (found[2], None) if found[1] == "file" else (None, found[2])


def blocks_of(path, name):
    """The blocks of a document, and what is wrong with its layout."""
    blocks, wrong, comment, fence = [], [], "", None
    previous = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if fence:
            if line.strip() == "```":
                blocks.append(Block(name, fence[0], fence[1], comment, fence[2]))
                fence, comment = None, ""
            else:
                fence[2].append(line)
        elif line.startswith("```"):
            fence = (number, line[3:].strip(), [])
            if fence[1] not in LANGUAGES:
                wrong.append(f"{name}:{number}: a block needs one of {', '.join(sorted(LANGUAGES))} behind its fence")
        elif line.startswith("<!--"):
            comment = line.strip()
        elif line.strip():
            if line.startswith("    ") and not previous.strip() and path.name not in FREE:
                wrong.append(f"{name}:{number}: code stands between fences, so that it can be run")
            comment = ""
        previous = line if not line.startswith("    ") else "x"
    return blocks, wrong


def is_printed(wanted, found):
    """Whether the lines found are the wanted ones, "..." standing for anything, also for several lines."""
    text = "\n".join(line.rstrip() for line in wanted)
    pattern = "".join("(?s:.*?)" if part == "..." else re.escape(part) for part in re.split(r"(\.\.\.)", text))
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in found.splitlines())) is not None


def commands_of(lines):
    """Commands with what they print: lines "$ ...", those that end in a backslash going on in the next."""
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1].append(line)
    return commands


def run_console(block, folder):
    """One shell for the block, so that variables last; what each command prints is kept apart."""
    commands = commands_of(block.lines)
    if not commands:
        return "there is no line that begins with '$ '"
    with tempfile.TemporaryDirectory() as kept:
        script = "".join(f"{{ {command}\n}} >{kept}/{i} 2>&1 || exit\n" for i, (command, _) in enumerate(commands))
        done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, timeout=SECONDS)
        for i, (command, wanted) in enumerate(commands):
            path = pathlib.Path(kept, str(i))
            found = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            last = not pathlib.Path(kept, str(i + 1)).exists()
            if done.returncode and last:
                return f"'{command}' ends with {done.returncode}:\n{found}"
            if not is_printed(wanted, found):
                return f"'{command}' prints\n{found}--- instead of\n" + "\n".join(wanted)
    return None


def run_shell(block, folder):
    script = "set -euo pipefail\n" + "\n".join(block.lines)
    done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS, text=True, errors="replace")
    return f"ends with {done.returncode}:\n{done.stdout}" if done.returncode else None


def run_block(block, folder):
    """What is wrong, or None."""
    if block.file:
        path = pathlib.Path(folder, block.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        return None
    try:
        if block.language == "console":
            return run_console(block, folder)
        return run_shell(block, folder)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} seconds: mark it, with the reason"


def run_document(source, name):
    """Counts of blocks that passed, failed and were left out."""
    blocks, wrong = blocks_of(source / name, name)
    for line in wrong:
        print(f"FAILED {line}")
    passed, failed, skipped = 0, len(wrong), 0
    with tempfile.TemporaryDirectory() as folder:
        for part in ("docs", "examples", "models"):
            os.symlink(source / part, pathlib.Path(folder, part))
        for block in blocks:
            if block.skipped:
                skipped += 1
                print(f"not run {block.where}: {block.skipped}")
            elif block.file or block.language in ("console", "sh"):
                reason = run_block(block, folder)
                passed, failed = passed + (reason is None), failed + (reason is not None)
                print(f"ok {block.where}" if reason is None else f"FAILED {block.where}: {reason}")
    return passed, failed, skipped


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:] or ["README.md"] + sorted(str(p.relative_to(source)) for p in (source / "docs").glob("*.md"))
    totals = [sum(counts) for counts in zip(*(run_document(source, name) for name in names))]
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    sys.exit(1 if totals[1] or not totals[0] else 0)


if __name__ == "__main__":
    main()
