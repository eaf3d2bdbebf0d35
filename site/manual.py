"""The manual pages of the command, as s3svm manual writes them, to HTML.  Only the requests that it uses are known."""

import html
import re
import subprocess
import tempfile
from pathlib import Path


def pages_of(command):
    """Names and texts of all manual pages: that of s3svm first, then by name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "manual", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        pages = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(folder).iterdir())}
    return {"s3svm": pages.pop("s3svm"), **pages}


def summary_of(text):
    """What a page is about: the line below NAME, behind the name."""
    return plain(re.search(r"^\.SH NAME\n.*? \\- (.*)$", text, re.MULTILINE)[1])


def plain(text):
    """Without changes of the font, and with escapes resolved."""
    return re.sub(r"\\[:&]", "", re.sub(r"\\f[BIR]", "", text)).replace(r"\-", "-").replace(r"\e", "\\")


class Page:
    """The HTML of a page as it grows: paragraphs, lists of terms, blocks."""

    def __init__(self, link):
        self.link, self.parts, self.sections = link, [], []
        self.words, self.listed = [], False

    def flush(self):
        if self.words:
            tag = "dd" if self.listed else "p"
            self.parts.append(f"<{tag}>{inline(' '.join(self.words), self.link)}</{tag}>\n")
            self.words = []

    def list_end(self):
        self.flush()
        if self.listed:
            self.parts.append("</dl>\n")
        self.listed = False

    def head(self, title):
        self.list_end()
        name = title.capitalize()
        anchor = name.lower().replace(" ", "-")
        self.sections.append((anchor, name, []))
        self.parts.append(f'<h2 id="{anchor}">{html.escape(name)}<a class="anchor" href="#{anchor}" '
                          f'aria-label="Link to this section: {html.escape(name)}">#</a></h2>\n')

    def term(self, line):
        self.flush()
        if not self.listed:
            self.parts.append('<dl class="terms">\n')
        self.listed = True
        option = re.search(r"--([\w-]+)", plain(line))
        anchor = f' id="option-{option[1]}"' if option else ""
        self.parts.append(f"<dt{anchor}>{inline(line, self.link)}</dt>\n")

    def rows(self, lines):
        """A block of rows, a name and what it means, between lines of text: a list of terms, which wraps as the window asks."""
        names = []
        for line in lines:
            row = re.match(r"  (\S+(?: \S+)*)(?:  +(\S.*))?$", line)
            if row:
                names.append(row[1])
            if names and (not row or row[2]):
                self.term(rf"\fB{' '.join(names)}\fR")
                names = []
            if not line.startswith(" ") and self.listed:
                self.list_end()
            if not row or row[2]:
                self.words.append(row[2] if row else line.strip())
        self.list_end()

    def code(self, lines):
        self.list_end()
        text = html.escape(plain("\n".join(lines)), quote=False)
        self.parts.append(f'<div class="code"><pre tabindex="0" role="group" aria-label="Text as typed"><code>{text}</code></pre></div>\n')


def inline(text, link):
    """Bold and italics; link(text) turns names in escaped text into links."""
    parts, closing = [], ""
    for piece in re.split(r"(\\f[BIR])", text):
        if not re.fullmatch(r"\\f[BIR]", piece):
            parts.append(link(html.escape(plain(piece), quote=False)))
        elif piece == r"\fR":
            parts.append(closing)
            closing = ""
        else:
            tag = "strong" if piece == r"\fB" else "em"
            parts.append(f"{closing}<{tag}>")
            closing = f"</{tag}>"
    return "".join(parts) + closing


def page_html(text, link):
    """The body of a page, and its sections: anchor, name, words."""
    page, lines, i = Page(link), text.splitlines(), 0
    while i < len(lines):
        request, _, rest = lines[i].partition(" ")
        if request == ".SH":
            page.head(rest)
        elif request == ".PP":
            page.list_end()
        elif request == ".TP":
            i += 1
            page.term(lines[i])
            page.sections[-1][2].append(plain(lines[i]))
        elif request == ".nf":
            end = lines.index(".fi", i)
            (page.code if page.sections[-1][0] == "examples" else page.rows)(lines[i + 1:end])
            page.sections[-1][2].append(plain(" ".join(lines[i + 1:end])))
            i = end
        elif not request.startswith("."):
            page.words.append(lines[i])
            page.sections[-1][2].append(plain(lines[i]))
        elif request not in (".TH", ".ad"):
            raise ValueError(f"the site does not know the request {request} of manual pages")
        i += 1
    page.list_end()
    return "".join(page.parts), page.sections
