#!/usr/bin/env python3
"""build.py --command S3SVM --output FOLDER [--try FOLDER] - writes the static site.

The documents of the repository are its source: docs/*.md and the notebooks, listed in pages.toml; besides them the manual that the command
prints, and the references of C and Python, from the headers and the docstrings.  Nothing is fetched, and no page asks for anything outside
of the folder.  --try names the page with its engine as WebAssembly (make web), where it was built: it becomes the folder try/.
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from string import Template

from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

import c_reference
import manual
import notebook
import pictures
import python_reference
from document import Renderer, Section, anchor_of, code_html, relative, split_target
from formulas import Formulas

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SCENES = ("fruit", "mug", "toy")  # renderings that the first page cuts out
PICTURES = {".png", ".jpg", ".svg"}
SHOWN_MOST = 200_000  # bytes of a source file that is shown as a page; larger ones are saved
NAVIGATION = (("Guide", "guide/install.html"), ("Reference", "reference/manual/index.html"), ("Maths", "background/math.html"),
              ("Results", "background/experiments.html"), ("Compare", "background/comparison.html"))


class Page:
    """A page of the site; where: its section of the menu, or "" for what stands in none."""

    def __init__(self, address, title, where="", source=None, parent=None):
        self.address, self.title, self.where, self.source, self.parent = address, title, where, source, parent
        self.html, self.heading, self.sections = "", title, []
        self.children = []
        self.searched = True

    def take(self, rendered):
        self.html, self.sections = rendered.html, rendered.sections
        self.heading = rendered.title or self.title

    @property
    def description(self):
        text = next((s.text for s in self.sections if s.text), self.heading)
        return text if len(text) <= 160 else text[:157].rsplit(" ", 1)[0] + " …"


class Site:
    def __init__(self, command, output, trial):
        self.command, self.output, self.trial = command, output, trial
        self.version = subprocess.run([command, "version"], check=True, capture_output=True, text=True).stdout.split()[1]
        self.menu, self.by_source, self.extra = [], {}, {}
        self.media = {}
        self.c = c_reference.Reference(ROOT / "include")
        self.python = python_reference.Package(ROOT / "python/s3svm")
        self.manual = manual.pages_of(command)

    # ---- what pages there are ----

    def plan(self):
        for section in tomllib.loads((HERE / "pages.toml").read_text(encoding="utf-8"))["section"]:
            pages = [self.planned(section, entry) for entry in section["pages"]]
            self.menu.append((section, pages))
        for section, pages in self.menu:
            if section.get("more"):
                listed = {page.source for _, others in self.menu for page in others}
                pages += [self.document_page(section, source, None) for source in self.documents() if source not in listed]
        self.source_at("LICENSE")

    def documents(self):
        return sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))

    def planned(self, section, entry):
        if "from" in entry:
            return self.document_page(section, entry["from"], entry["title"])
        return {"manual": self.manual_page, "python": self.python_page, "c": self.c_page}[entry["made"]](section, entry["title"])

    def document_page(self, section, source, title):
        path = ROOT / source
        if title is None:
            title = re.search(r"^# (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[1]
        stem = "notes" if source.endswith("README.md") else path.stem.lower()
        if source.startswith("docs/notes/") and stem != "notes":
            stem = f"notes-{stem}"
        page = Page(f"{section['folder']}/{stem}.html", title, section["title"], source)
        self.by_source[source] = page
        return page

    def manual_page(self, section, title):
        page = Page("reference/manual/index.html", title, section["title"])
        page.children = [Page(f"reference/manual/{name}.html", name.replace("s3svm-", "", 1).replace("-", " ") if name.count("-") > 1
                              and f"s3svm-{name.split('-')[1]}" in self.manual else name.replace("s3svm-", "", 1), page.where, parent=page)
                         for name in self.manual if name != "s3svm"]
        return page

    def python_page(self, section, title):
        page = Page("reference/python/index.html", title, section["title"])
        page.children = [Page(f"reference/python/{anchor_of(name)}.html", name, page.where, parent=page) for name, _ in self.python.sections]
        return page

    def c_page(self, section, title):
        page = Page("reference/c/index.html", title, section["title"])
        page.children = [Page(f"reference/c/{header.name[:-2].replace('/', '-')}.html", f"<{header.name}>", page.where, parent=page)
                         for header in self.c.all()]
        return page

    def all_pages(self):
        for _, pages in self.menu:
            for page in pages:
                yield page
                yield from page.children

    def made(self, address):
        return next(page for page in self.all_pages() if page.address == address)

    # ---- links ----

    def resolve(self, source, page, target):
        """The address, on a page, of what a document links to."""
        file, anchor = split_target(target)
        if file is None:
            return target
        tail = f"#{anchor}" if anchor else ""
        if not file:
            return tail
        return relative(self.address_of(beside(source, file)), page.address) + tail

    def title_of(self, source, target):
        """The title of the page of a document, or None."""
        file, _ = split_target(target)
        page = self.by_source.get(beside(source, file)) if file else None
        return page and page.title

    def address_of(self, path):
        """Where a file or folder of the repository stands on the site."""
        if path in self.by_source:
            return self.by_source[path].address
        if path == "README.md":
            return "index.html"
        if path in ("include/sos", "include/s3svm"):
            return "reference/c/index.html"
        if path.startswith("include/"):
            return f"reference/c/{path[len('include/'):-2].replace('/', '-')}.html"
        if not (ROOT / path).exists():
            raise ValueError(f"a document links to {path}, which there is not")
        if Path(path).suffix in PICTURES:
            return self.picture_at(path)
        return self.source_at(path)

    def picture_at(self, path):
        self.media[f"media/{path}"] = ROOT / path
        return f"media/{path}"

    def source_at(self, path):
        """The address of a page that shows a file or lists a folder of the repository."""
        full = ROOT / path
        if full.is_file() and full.stat().st_size > SHOWN_MOST:
            self.media[f"source/{path}"] = full
            return f"source/{path}"
        if path not in self.extra:
            page = Page(f"source/{path}/index.html" if full.is_dir() else f"source/{path}.html", path, source=path)
            page.searched = False
            self.extra[path] = page
            page.html = self.folder_html(page, path) if full.is_dir() else self.file_html(path)
        return self.extra[path].address

    def folder_html(self, page, path):
        names = sorted(p.name for p in (ROOT / path).iterdir() if p.is_file() and not p.name.startswith("."))
        items = "".join(f'<li><a href="{relative(self.address_of(f"{path}/{name}"), page.address)}"><code>{html.escape(name)}</code></a></li>\n'
                        for name in names)
        return f"<h1><code>{html.escape(path)}/</code></h1>\n<ul>\n{items}</ul>\n"

    def file_html(self, path):
        try:
            language = get_lexer_for_filename(path).aliases[0]
        except ClassNotFound:
            language = "text"
        return f"<h1><code>{html.escape(path)}</code></h1>\n" + code_html((ROOT / path).read_text(encoding="utf-8"), language, path)

    def picture_of(self, source, page, target):
        """Address, width and height of a picture that a document shows."""
        path = beside(source, target)
        return (relative(self.picture_at(path), page.address), *pictures.size_of(ROOT / path))

    # ---- what is on them ----

    def renderer(self, page, formulas=None):
        source = page.source
        return Renderer(lambda target: self.resolve(source, page, target), lambda target: self.picture_of(source, page, target), formulas,
                        lambda target: self.title_of(source, target))

    def fill(self):
        for source, page in self.by_source.items():
            text = (ROOT / source).read_text(encoding="utf-8")
            if source.endswith(".ipynb"):
                page.take(notebook.render(text, self.renderer(page)))
            else:
                formulas = Formulas(text, anchor_of) if source == "docs/math.md" else None
                page.take(self.renderer(page, formulas).render(text))
        self.fill_manual(self.made("reference/manual/index.html"))
        self.fill_python(self.made("reference/python/index.html"))
        self.fill_c(self.made("reference/c/index.html"))

    def fill_manual(self, index):
        pages = {"s3svm": index, **dict(zip([n for n in self.manual if n != "s3svm"], index.children))}
        for name, page in pages.items():
            def link(text, here=page):
                """A piece that is the name of another page, as s3svm-train(1), becomes a link."""
                other = pages.get(text)
                return text if other in (None, here) else f'<a href="{relative(other.address, here.address)}">{text}</a>'

            body, sections = manual.page_html(self.manual[name], link)
            page.heading = name.replace("-", " ") if name.count("-") else name
            lead = manual.summary_of(self.manual[name])
            body = re.sub(r'<h2 id="name">.*?</h2>\n<p>.*?</p>\n', "", body, count=1, flags=re.DOTALL)
            page.html = f'<h1><code>{html.escape(page.heading)}</code></h1>\n<p class="lead">{html.escape(lead[:1].upper() + lead[1:])}.</p>\n{body}'
            page.sections = [section_of("", page.heading, 1, lead)]
            page.sections += [section_of(anchor, title, 2, " ".join(words)) for anchor, title, words in sections if anchor != "name"]

    def fill_python(self, index):
        addresses = {thing.name: child.address for child, (_, things) in zip(index.children, self.python.sections) for thing in things}
        members = {f"{t.name}.{m.name}": addresses[t.name] for _, things in self.python.sections for t in things for m in t.members}
        known = {**members, **addresses}

        def linker(page):
            def link(text):
                def to(found):
                    return f'<a href="{relative(known[found[0]], page.address)}#{found[0]}">{found[0]}</a>' if found[0] in known else found[0]
                return re.sub(r"(?<![\w.])[A-Z]\w*(?:\.\w+)?", to, text)
            return link

        for child, (title, things) in zip(index.children, self.python.sections):
            parts, child.sections = [f"<h1>{html.escape(title)}</h1>\n"], [section_of("", title, 1, "")]
            if title == "s3svm.torch":
                parts.append(python_reference.docstring_html(self.python.torch_doc, linker(child)))
            for thing in things:
                body, sections = python_reference.thing_html(thing, linker(child))
                parts.append(body)
                child.sections += [section_of(anchor, name, level, doc) for anchor, name, doc, level in sections]
            child.html, child.heading = "".join(parts), title
        lead = re.split(r"\n\n(?=\S.*\n {4})", self.python.doc)[0]
        parts = ["<h1>The Python package</h1>\n", python_reference.docstring_html(lead, linker(index))]
        for child, (title, things) in zip(index.children, self.python.sections):
            rows = "".join(f'<tr><td><a href="{relative(child.address, index.address)}#{t.name}"><code>{t.name}</code></a></td>'
                           f"<td>{python_reference.inline(t.summary, linker(index))}</td></tr>\n" for t in things)
            parts.append(f'<h2 id="{anchor_of(title)}"><a href="{relative(child.address, index.address)}">{html.escape(title)}</a></h2>\n'
                         + names_html(title, rows))
        guide = relative(self.by_source["docs/python.md"].address, index.address)
        index.html = "".join(parts) + f'<p>The guide, with examples: <a href="{guide}">Python</a>.</p>\n'
        index.heading = "The Python package"
        index.sections = [section_of("", index.heading, 1, lead)]

    def fill_c(self, index):
        by_name = dict(zip([h.name for h in self.c.all()], index.children))
        maths = self.by_source["docs/math.md"]
        numbers = Formulas((ROOT / "docs/math.md").read_text(encoding="utf-8"), anchor_of).sections
        parts = ["<h1>The C libraries</h1>\n", '<p class="lead">The public headers, which are the reference. <code>libsos</code> minimises and learns '
                 "energies; <code>libs3svm</code> is pictures and tasks.</p>\n"]
        index.sections = [section_of("", "The C libraries", 1, "libsos and libs3svm: the public headers")]
        for lib, headers in self.c.headers.items():
            rows = "".join(f'<tr><td><a href="{relative(by_name[h.name].address, index.address)}"><code>&lt;{h.name}&gt;</code></a></td>'
                           f"<td>{html.escape(h.summary)}</td></tr>\n" for h in headers)
            name = f"lib{lib}"
            parts.append(f'<h2 id="{name}">{name}</h2>\n' + names_html(name, rows))
            index.sections.append(section_of(name, name, 2, " ".join(h.summary for h in headers)))
        index.html, index.heading = "".join(parts), "The C libraries"
        for header in self.c.all():
            page = by_name[header.name]

            def address(name, anchor, here=page):
                other = by_name[name]
                return f"#{anchor}" if other is here else f"{relative(other.address, here.address)}#{anchor}"

            def cite(text, here=page):
                """(math.md, 7.2) becomes a link."""
                def to(found):
                    number = numbers.get(found[1])
                    return f'<a href="{relative(maths.address, here.address)}#{number}">{found[0]}</a>' if number else found[0]
                return re.sub(r"math\.md, (\d+(?:\.\d+)?)", to, text)

            body, sections = self.c.body(header, address, cite)
            page.heading = f"<{header.name}>"
            page.html = f'<h1><code>&lt;{header.name}&gt;</code></h1>\n<div class="lead-block">{body}</div>\n'
            page.sections = [section_of("", page.heading, 1, " ".join(header.comment))]
            page.sections += [section_of(anchor, title, level, words) for anchor, title, words, level in sections]

    # ---- writing ----

    def write(self):
        """All pages, or nothing: into a folder beside, which then takes the place of the old one."""
        self.output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.output.parent, prefix=".site-") as scratch:
            new = Path(scratch) / "new"
            self.write_into(new)
            if self.output.exists():
                self.output.rename(Path(scratch) / "old")
            new.rename(self.output)

    def write_into(self, folder):
        shutil.copytree(HERE / "static", folder)
        shutil.copy(ROOT / "programs/page/icon.svg", folder / "icon.svg")
        template = Template((HERE / "page.html").read_text(encoding="utf-8"))
        pages = list(self.all_pages())
        for page in [*pages, *self.extra.values()]:
            self.put(folder, page.address, template.substitute(self.parts_of(page, pages)))
        self.write_home(folder)
        self.put(folder, "search-index.js", self.index(pages))
        for address, path in self.media.items():
            (folder / address).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / address)
        if self.trial:
            shutil.copytree(self.trial, folder / "try")

    def put(self, folder, address, text):
        path = folder / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def frame(self, page):
        """What every page has: the head and the foot, whose links depend on where it is."""
        def to(address):
            return relative(address, page.address)

        links = [(title, address) for title, address in NAVIGATION]
        if self.trial:
            links.insert(0, ("Try it", "try/index.html"))
        items = "".join(f'<li><a href="{to(address)}"{" aria-current=page" if address == page.address else ""}>{title}</a></li>' for title, address in links)
        return {"root": to("."), "links": items, "version": self.version, "cite": to(self.by_source["docs/cite.md"].address),
                "licence": to(self.source_at("LICENSE")), "description": html.escape(page.description)}

    def parts_of(self, page, pages):
        at = pages.index(page) if page in pages else None
        before = pages[at - 1] if at else None
        after = pages[at + 1] if at is not None and at + 1 < len(pages) else None
        turn = "".join(f'<a class="{kind}" rel="{kind}" href="{relative(other.address, page.address)}"><span>{words}</span> {html.escape(other.title)}</a>'
                       for kind, words, other in (("prev", "Before", before), ("next", "Next", after)) if other)
        source = f'<p class="source">In the repository: <code>{html.escape(page.source)}</code></p>' if page.source in self.by_source else ""
        return {**self.frame(page), "title": html.escape(page.heading), "menu": self.menu_html(page), "contents": contents_html(page),
                "body": page.html, "turn": f'<nav class="turn" aria-label="Pages before and after">{turn}</nav>' if turn else "", "source": source}

    def menu_html(self, page):
        parts = []
        for section, pages in self.menu:
            items = []
            for other in pages:
                inner = ""
                if other.children and page in (other, *other.children):
                    inner = "<ul>" + "".join(menu_item(child, page) for child in other.children) + "</ul>"
                items.append(menu_item(other, page, inner))
            parts.append(f"<h2>{html.escape(section['title'])}</h2>\n<ul>{''.join(items)}</ul>\n")
        return "".join(parts)

    def index(self, pages):
        """What search looks through: pages [address, title], and parts [page, anchor, title, text]."""
        listed, parts = [], []
        for page in pages:
            if not page.searched:
                continue
            listed.append([page.address, page.heading, page.where])
            for section in page.sections:
                if section.text or section.title:
                    parts.append([len(listed) - 1, section.anchor, section.title or page.heading, section.text])
        data = json.dumps({"pages": listed, "parts": parts}, ensure_ascii=False, separators=(",", ":"))
        return f"globalThis.siteIndex = {data};\n"

    # ---- the first page ----

    def write_home(self, folder):
        page = Page("index.html", "s3svm", source="README.md")
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        page.sections = [section_of("", "", 1, re.sub(r"[`*]", "", readme.split("\n\n")[1].replace("\n", " ")))]
        table = re.search(r"(?:^\|.*\n)+", readme, re.MULTILINE)[0]
        example = re.search(r"## The same in Python\n+```python\n(.*?\n\n.*?)\n\n", readme, re.DOTALL)[1]
        self.cut_out(folder / "media/home")
        words = {**self.frame(page), "results": self.renderer(page).render(table).html, "example": code_html(example + "\n", "python"),
                 "trial_call": '<a class="call" href="try/index.html">Try it in the browser</a> ' if self.trial else "",
                 "trial": Template((HERE / ("try.html" if self.trial else "no-try.html")).read_text(encoding="utf-8")).substitute(
                     page=self.home_picture("docs/page/outline.png"), guide=self.by_source["docs/page.md"].address),
                 **{f"strokes_{name}": strokes_of(HERE / f"marks/{name}.json") for name in SCENES},
                 "restored": self.home_picture("docs/page/restore.png"), "phone": self.home_picture("docs/page/phone.png"),
                 "dialogue": self.home_picture("docs/page/dialogue.png"), "traced": self.home_picture("docs/page/trace.png")}
        self.put(folder, "index.html", Template((HERE / "home.html").read_text(encoding="utf-8")).substitute(words))

    def home_picture(self, path):
        width, height = pictures.size_of(ROOT / path)
        return f'src="{self.picture_at(path)}" width="{width}" height="{height}" loading="lazy"'

    def cut_out(self, folder):
        """The pictures of the first page, by the command that it shows."""
        folder.mkdir(parents=True)
        scenes = ROOT / "docs/segmentation"
        for name in SCENES:
            subprocess.run([self.command, "segment", scenes / f"images/{name}.jpg", "--marks", HERE / f"marks/{name}.json", "--connected",
                            "--overlay", folder / f"{name}.jpg", "--cutout", folder / f"{name}.png"], check=True, stdout=subprocess.DEVNULL)


def beside(source, path):
    """The path from the root of what a document names from where it stands."""
    return os.path.normpath(os.path.join(os.path.dirname(source), path))


def strokes_of(path):
    """How many marks there are in a list."""
    return sum(len(step) for step in json.loads(path.read_text(encoding="utf-8"))["steps"])


def section_of(anchor, title, level, text):
    section = Section(anchor, title, level)
    section.words.append(text)
    return section


def names_html(title, rows):
    """A table of names and what they are."""
    return f'<div class="table" tabindex="0" role="group" aria-label="{html.escape(title)}"><table class="names"><tbody>\n{rows}</tbody></table></div>\n'


def menu_item(other, page, inner=""):
    current = ' aria-current="page"' if other is page else ""
    return f'<li><a href="{relative(other.address, page.address)}"{current}>{html.escape(other.title)}</a>{inner}</li>'


def contents_html(page):
    """The headings of a page, where there are some."""
    parts = [s for s in page.sections if s.level in (2, 3) and s.anchor]
    if len(parts) > 40:
        parts = [s for s in parts if s.level == 2]
    if len(parts) < 2:
        return ""
    items = "".join(f'<li class="level{s.level}"><a href="#{s.anchor}">{html.escape(s.title)}</a></li>' for s in parts)
    return f'<nav class="contents" aria-labelledby="on-this-page"><h2 id="on-this-page">On this page</h2><ul>{items}</ul></nav>'


def main():
    parser = argparse.ArgumentParser(description="Writes the static site.")
    parser.add_argument("--command", type=Path, required=True, help="the command s3svm, which prints its manual and cuts out")
    parser.add_argument("--output", type=Path, required=True, help="the folder that is written anew")
    parser.add_argument("--try", dest="trial", type=Path, help="the page with its engine, as make web builds it")
    options = parser.parse_args()
    trial = options.trial if options.trial and (options.trial / "index.html").exists() else None
    site = Site(options.command.resolve(), options.output.resolve(), trial)
    site.plan()
    site.fill()
    site.write()
    files = [p for p in options.output.rglob("*") if p.is_file()]
    print(f"{options.output}: {sum(p.suffix == '.html' for p in files)} pages, {sum(p.stat().st_size for p in files) / 1e6:.1f} MB in {len(files)} files")
    if not trial:
        print("without the page to try: make web builds it")


if __name__ == "__main__":
    sys.exit(main())
