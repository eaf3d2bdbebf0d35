#!/usr/bin/env python3
"""check.py SITE - looks through a site as scripts/site writes it.

Every link leads to a file and to an anchor of it; every page can be reached from the first; nothing is asked of another server; pictures have
words and sizes; ids are unique; search knows pages and anchors that are there; and it is not larger than it says it may be.
"""
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

MOST_BYTES = 14_000_000       # of all, without the page to try
MOST_BYTES_FIRST = 1_600_000  # of the first page with all that it shows
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src"), ("video", "src"), ("audio", "src")}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.fetched, self.wrong = set(), [], [], []
        self.heads, self.open, self.titles = 0, [], 0
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"<{self.open[-1]}> is not closed")
        if self.heads != 1 or self.titles != 1:
            self.wrong.append(f"{self.heads} h1 and {self.titles} titles")

    def handle_starttag(self, tag, pairs):
        values = dict(pairs)
        self.heads += tag == "h1"
        self.titles += tag == "title"
        name = values.get("id")
        if name is not None:
            if name in self.ids:
                self.wrong.append(f"the id {name} is there twice")
            self.ids.add(name)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        for each in FETCHED:
            if tag == each[0] and each[1] in values:
                self.fetched.append(values[each[1]])
        if tag == "img" and not ("alt" in values and values.get("width") and values.get("height")):
            self.wrong.append(f"a picture without words or without its size: {values.get('src')}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"line {self.getpos()[0]}: </{tag}> closes {self.open[-1] if self.open else 'nothing'}")
            if tag in self.open:
                while self.open.pop() != tag:
                    pass
        else:
            self.open.pop()


def target_of(site, page, link):
    """The file and the anchor that a link of a page leads to; None: it leads away from the site."""
    if re.match(r"[a-z][a-z+.-]*:|//", link):
        return None
    file, _, anchor = link.partition("#")
    path = (page.parent / unquote(file)).resolve() if file else page
    return path, unquote(anchor)


def wrong_links(site, pages):
    for path, page in pages.items():
        name = path.relative_to(site)
        for link in page.links:
            target = target_of(site, path, link)
            if target is None:
                if not link.startswith(("https://", "mailto:")):
                    yield f"{name}: a link of a kind that the site does not have: {link}"
                continue
            to, anchor = target
            if not to.is_file() or site not in to.parents:
                yield f"{name}: there is no {link}"
            elif anchor and to in pages and anchor not in pages[to].ids:
                yield f"{name}: there is no anchor for {link}"


def wrong_requests(site, pages):
    """What would be asked of another server, or is not there."""
    for path, page in pages.items():
        for address in page.fetched:
            target = target_of(site, path, address)
            if target is None:
                yield f"{path.relative_to(site)}: asks another server for {address}"
            elif not target[0].is_file():
                yield f"{path.relative_to(site)}: there is no {address}"
    for path in site.glob("*.css"):
        for address in re.findall(r"url\(([^)]*)\)|@import\s+(\S+)", path.read_text(encoding="utf-8")):
            yield f"{path.name}: fetches {address[0] or address[1]}"


def unreached(site, pages):
    first = site / "index.html"
    seen, waiting = {first}, [first]
    while waiting:
        path = waiting.pop()
        for link in pages[path].links:
            target = target_of(site, path, link)
            if target and target[0] in pages and target[0] not in seen:
                seen.add(target[0])
                waiting.append(target[0])
    for path in sorted(set(pages) - seen):
        yield f"{path.relative_to(site)}: no way leads here from the first page"


def wrong_index(site, pages):
    """What search would find that is not there."""
    text = (site / "search-index.js").read_text(encoding="utf-8")
    index = json.loads(re.fullmatch(r"globalThis\.siteIndex = (.*);\n", text, re.DOTALL)[1])
    if len(index["parts"]) < len(index["pages"]) or not index["pages"]:
        yield "search-index.js: knows too little"
    for number, anchor, _, _ in index["parts"]:
        path = site / index["pages"][number][0]
        if path not in pages:
            yield f"search-index.js: there is no {index['pages'][number][0]}"
        elif anchor and anchor not in pages[path].ids:
            yield f"search-index.js: there is no {index['pages'][number][0]}#{anchor}"


def wrong_sizes(site, pages):
    total = sum(p.stat().st_size for p in site.rglob("*") if p.is_file() and site / "try" not in p.parents)
    first = site / "index.html"
    shown = {target_of(site, first, address)[0] for address in pages[first].fetched}
    opening = first.stat().st_size + sum(p.stat().st_size for p in shown)
    print(f"{len(pages)} pages, {total / 1e6:.2f} MB; the first page with all that it shows {opening / 1e6:.2f} MB")
    if total > MOST_BYTES:
        yield f"the site has {total} bytes, and may have {MOST_BYTES}"
    if opening > MOST_BYTES_FIRST:
        yield f"the first page has {opening} bytes, and may have {MOST_BYTES_FIRST}"


def main():
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html")) if site / "try" not in path.parents}
    wrong = [f"{path.relative_to(site)}: {what}" for path, page in pages.items() for what in page.wrong]
    for look in (wrong_links, wrong_requests, unreached, wrong_index, wrong_sizes):
        wrong += look(site, pages)
    for line in wrong:
        print(f"FAILED {line}")
    print(f"{sum(len(page.links) for page in pages.values())} links, {len(wrong)} wrong")
    sys.exit(1 if wrong or not pages else 0)


if __name__ == "__main__":
    main()
