#!/usr/bin/env python3
"""Runs the code blocks of README.md and docs/ as a newcomer would, and compares what they say they print; checks links.

    run.py SOURCE [DOCUMENT...]

Blocks are fenced, and run in the order they stand, those of a document in one scratch folder.  No two documents make a folder of
the same name, so that a reader can follow all of them in one place.

    console   lines that begin with "$ " are commands, the lines below each what it prints; "..." stands for anything
    sh        commands that must succeed, whatever they print
    c, text   shown only, unless a comment gives them a name

A comment above a fence says more:

    <!-- file: NAME -->       the block is written to that file
    <!-- not run: REASON -->  it installs, takes minutes or needs other data; of its commands (s3svm, make, the benchmarks) the
                              names of subcommands, options, choices, models and sections are looked up

Functions that the comments at the top of public headers show must compile.

PATH, PKG_CONFIG_PATH and LD_LIBRARY_PATH must already find the command and the libraries.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from functools import lru_cache

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


# ---- names in blocks that are not run ----

@lru_cache(maxsize=None)
def help_of(*words):
    """The help of a command or of a task of one; None: there is none."""
    done = subprocess.run(["s3svm", "help", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout if not done.returncode else None


@lru_cache(maxsize=None)
def options_of(*words):
    """The options that a help text lists: long and short names, each with what follows it ("" where nothing does)."""
    options = {}
    for short, long, value in re.findall(r"^ +(?:-(\w), +| {4})--([\w-]+)(?: ([^ \n]+))?", help_of(*words) or "", re.M):
        for name in (f"--{long}",) + ((f"-{short}",) if short else ()):
            options[name] = value
    return options


@lru_cache(maxsize=None)
def is_model(name):
    return not subprocess.run(["s3svm", "inspect", name], stdin=subprocess.DEVNULL, capture_output=True).returncode


def wrong_value(option, wanted, value):
    """What is wrong with the value of an option whose help says what is wanted, or None."""
    if "|" in wanted:
        unknown = [v for v in value.split(",") if v not in wanted.split("|")]
        return f"{option} {value}: the help has {wanted}" if unknown else None
    if option in ("-m", "--from") and re.fullmatch(r"[a-z][a-z-]*", value) and not is_model(value):
        return f"{option} {value}: there is no such model in the program"
    return None


def wrong_command(words):
    """What is wrong with the words of a command s3svm, or None."""
    if not words or help_of(words[0]) is None:
        return f"there is no command '{' '.join(words[:1])}'"
    known = (words[0], words[1]) if len(words) > 1 and not words[1].startswith("-") and help_of(*words[:2]) else (words[0],)
    options, rest = options_of(*known), words[len(known):]
    for i, word in enumerate(rest):
        if not re.match(r"--?[A-Za-z]", word):
            continue
        option, equals, value = word.partition("=")
        if option not in options:
            return f"'s3svm {' '.join(known)}' has no option {option}"
        wrong = wrong_value(option, options[option], value if equals else rest[i + 1] if i + 1 < len(rest) else "")
        if wrong:
            return f"s3svm {' '.join(known)} {wrong}"
    return None


def words_of(line):
    """The words of each command in a line of a shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&")
    lexer.whitespace_split, lexer.commenters = True, ""
    commands = [[]]
    for word in lexer:
        if word in ("do", "then") or not word.strip("|;&"):
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def wrong_names(block, source):
    """What is wrong with the names in a block that is not run, or None."""
    lines = [line[2:] for line in block.lines if line.startswith("$ ")] if block.language == "console" else block.lines
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.startswith("#"):
            continue
        for words in words_of(re.sub(r"(^|\s)#.*", "", line)):
            wrong = None
            if "s3svm" in words:
                wrong = wrong_command(words[words.index("s3svm") + 1:])
            elif words[:1] == ["make"]:
                targets = [w for w in words[1:] if re.fullmatch(r"[a-z-]+", w)]
                makefile = (source / "Makefile").read_text(encoding="utf-8")
                missing = [t for t in targets if not re.search(rf"^(?:[\w -]+ )?{t}\b[\w -]*:", makefile, re.M)]
                wrong = f"make has no target {missing[0]}" if missing else None
            elif words[:1] == ["build/bench/minimize"] and "--only" in words:
                section = words[words.index("--only") + 1]
                if not any(f'"{section}"' in p.read_text(encoding="utf-8") for p in (source / "bench").glob("*.c")):
                    wrong = f"the benchmarks have no section {section}"
            if wrong:
                return wrong
    return None


# ---- links ----

@lru_cache(maxsize=None)
def anchors_of(path):
    """The anchors of the headings of a document, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)", text, re.M)
    return {re.sub(r"[^\w -]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", h)).strip().lower().replace(" ", "-") for h in headings}


def wrong_links(path, name):
    """Links to files and headings that are not there."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        to = (path.parent / file).resolve() if file else path
        if not to.exists():
            wrong.append(f"{name}: there is no {target}")
        elif anchor and to.suffix == ".md" and anchor not in anchors_of(to):
            wrong.append(f"{name}: there is no heading for {target}")
    return wrong


# ---- functions in the comments of headers ----

def samples_of(path):
    """The functions that the comment at the top of a header shows, each from "static" to its closing brace."""
    comment = path.read_text(encoding="utf-8").split("*/")[0]
    lines = "\n".join(re.findall(r"^ \*     (.*)", comment, re.M))
    return re.findall(r"^static [^;={]*\)\n\{.*?^\}", lines, re.M | re.S)


def wrong_samples(source):
    """Functions in the comments of headers that do not compile, and how many do."""
    wrong, right = [], 0
    for path in sorted((source / "include").glob("*/*.h")):
        header = f"{path.parent.name}/{path.name}"
        for sample in samples_of(path):
            name = re.search(r"(\w+)\(", sample)[1]
            text = f"#include <{header}>\n\n{sample}\n\nint main(void) {{ return !{name}; }}\n"
            flags = subprocess.run(["pkg-config", "--cflags", path.parent.name], capture_output=True, text=True).stdout.split()
            done = subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Wno-address", "-Werror", "-fsyntax-only", *flags, "-x", "c", "-"],
                                  input=text, capture_output=True, text=True)
            wrong += [f"{header}: {done.stderr}"] if done.returncode else []
            right += not done.returncode
    return wrong, right


def folders_in(folder):
    return {p.name for p in pathlib.Path(folder).iterdir() if p.is_dir() and not p.is_symlink()}


def run_document(source, name, made):
    """Counts of blocks that passed, failed and were left out.  made: which document made a folder."""
    blocks, wrong = blocks_of(source / name, name)
    wrong += wrong_links(source / name, name)
    for line in wrong:
        print(f"FAILED {line}")
    passed, failed, skipped = 0, len(wrong), 0
    with tempfile.TemporaryDirectory() as folder:
        for part in ("docs", "examples", "models"):
            os.symlink(source / part, pathlib.Path(folder, part))
        for block in blocks:
            if block.skipped:
                reason = wrong_names(block, source) if block.language in ("console", "sh") else None
                skipped, failed = skipped + (reason is None), failed + (reason is not None)
                print(f"FAILED {block.where}: {reason}" if reason else f"not run {block.where}: {block.skipped}")
            elif block.file or block.language in ("console", "sh"):
                reason = run_block(block, folder)
                passed, failed = passed + (reason is None), failed + (reason is not None)
                print(f"ok {block.where}" if reason is None else f"FAILED {block.where}: {reason}")
        for one in sorted(folders_in(folder)):
            if made.setdefault(one, name) != name:
                print(f"FAILED {name}: it makes the folder '{one}', as {made[one]} does")
                failed += 1
    return passed, failed, skipped


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:] or ["README.md"] + sorted(str(p.relative_to(source)) for p in (source / "docs").rglob("*.md"))
    made = {}
    totals = [sum(counts) for counts in zip(*(run_document(source, name, made) for name in names))]
    if not sys.argv[2:]:
        for line in wrong_links(source / "CONTRIBUTING.md", "CONTRIBUTING.md") + wrong_links(source / "CHANGELOG.md", "CHANGELOG.md"):
            print(f"FAILED {line}")
            totals[1] += 1
        wrong, right = wrong_samples(source)
        for line in wrong:
            print(f"FAILED {line}")
        totals[0], totals[1] = totals[0] + right, totals[1] + len(wrong)
        print(f"{right} functions in headers compile")
        if not right:
            totals[1] += 1
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    sys.exit(1 if totals[1] or not totals[0] else 0)


if __name__ == "__main__":
    main()
