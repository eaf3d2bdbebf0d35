"""Markdown to the HTML of a page: headings with anchors as GitHub makes them, links to pages, figures, coloured code."""

import html
import posixpath
import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

FORMATTER = HtmlFormatter(nowrap=True)
DOCUMENT = r"^(?:[\w-]+/)*[\w-]+\.md(?=,|$)"  # the name of a document as the text of a link
SHORT = 28  # letters of code that are not broken across lines
LANGUAGES = {"sh": "bash", "": "text"}


def anchor_of(heading):
    """The anchor of a heading, given as Markdown."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-")


class Anchors:
    """The anchors of one page, of which none is given twice."""

    def __init__(self):
        self.counts = {}

    def take(self, anchor):
        count = self.counts.get(anchor, 0)
        self.counts[anchor] = count + 1
        return f"{anchor}-{count}" if count else anchor


def code_html(text, language, caption=None):
    """A block of code; caption: the name of its file."""
    try:
        lexer = get_lexer_by_name(LANGUAGES.get(language, language), stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    label = caption or {"console": "Terminal", "sh": "Shell", "c": "C"}.get(language, language.capitalize() or "Text")
    head = f'<div class="code-name">{html.escape(caption)}</div>' if caption else ""
    return (f'<div class="code" data-language="{html.escape(language)}">{head}'
            f'<pre tabindex="0" role="group" aria-label="{html.escape(label)}"><code>{highlight(text, lexer, FORMATTER)}</code></pre></div>\n')


class Section:
    """What search knows of a part of a page: the heading's anchor and title, and the plain text below it."""

    def __init__(self, anchor, title, level):
        self.anchor, self.title, self.level, self.words = anchor, title, level, []

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words)).strip()


class Rendered:
    """The HTML of a document, its title as HTML and as text, and its sections, the one before the first heading below the title first."""

    def __init__(self):
        self.html, self.title, self.heading = "", "", ""
        self.sections = [Section("", "", 1)]


class Renderer:
    """Renders documents.  resolve(target) gives where a link leads, picture(target) the address and the size of a picture, title_of(target) the
    title of the page that a link leads to, which stands in the place of the name of a file."""

    def __init__(self, resolve, picture, formulas=None, title_of=None):
        self.resolve, self.picture, self.formulas, self.title_of = resolve, picture, formulas, title_of
        self.parser = MarkdownIt("commonmark", {"html": True}).enable("table")

    def render(self, text):
        page, anchors = Rendered(), Anchors()
        tokens = self.parser.parse(text)
        output, figure, i = [], False, 0
        comment = ""
        while i < len(tokens):
            token = tokens[i]
            step = 1
            if token.type == "html_block":
                comment = token.content.strip()
                if not comment.startswith("<!--"):
                    output.append(token.content)
            elif token.type == "heading_open":
                output.append(self.heading(tokens[i + 1], int(token.tag[1]), page, anchors))
                step = 3
            elif token.type in ("fence", "code_block"):
                output.append(self.block(token, comment))
                page.sections[-1].words.append(token.content)
            elif token.type == "paragraph_open" and is_picture(tokens[i + 1]):
                caption = caption_of(tokens, i + 3)
                output.append(self.figure(tokens[i + 1].children[0], caption))
                page.sections[-1].words.append(tokens[i + 1].children[0].content)
                step = 3
                if caption:
                    page.sections[-1].words.append(plain(caption))
                    step = 6
            elif token.type == "table_open":
                output.append('<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n')
            elif token.type == "table_close":
                output.append("</table></div>\n")
            elif token.type == "inline":
                output.append(self.inline(token))
                page.sections[-1].words.append(plain(token))
            else:
                output.append(self.parser.renderer.render([token], self.parser.options, {}))
            if token.type != "html_block":
                comment = ""
            i += step
        page.html = re.sub(r"<th[^>]*>\s*</th>", "<td></td>", "".join(output))
        return page

    def heading(self, token, level, page, anchors):
        anchor, inner, text = anchors.take(anchor_of(token.content)), self.inline(token), plain(token)
        if level == 1 and not page.title:
            page.title, page.heading = text, inner
            page.sections[0].anchor, page.sections[0].title = anchor, text
            return f'<h1 id="{anchor}">{inner}</h1>\n'
        page.sections.append(Section(anchor, text, level))
        return (f'<h{level} id="{anchor}">{inner}<a class="anchor" href="#{anchor}" aria-label="Link to this section: {html.escape(text)}">#</a>'
                f"</h{level}>\n")

    def block(self, token, comment):
        if token.type == "code_block" and self.formulas:
            return self.formulas.block(token.content)
        named = re.fullmatch(r"<!-- file: (.+?) -->", comment)
        return code_html(token.content, token.info.strip() if token.type == "fence" else "", named[1] if named else None)

    def figure(self, token, caption):
        image = self.image(token)
        below = f"<figcaption>{self.inline(caption)}</figcaption>" if caption else ""
        return f"<figure>{image}{below}</figure>\n"

    def image(self, token):
        source, width, height = self.picture(token.attrs["src"])
        return f'<img src="{html.escape(source)}" alt="{html.escape(token.content)}" width="{width}" height="{height}" loading="lazy">'

    def inline(self, token):
        """The children of an inline token, links and pictures changed."""
        parts, named = [], None
        for child in token.children:
            if child.type == "link_open":
                parts.append(f'<a href="{html.escape(self.resolve(child.attrs["href"]))}">')
                named = self.title_of(child.attrs["href"]) if self.title_of else None
            elif child.type == "link_close":
                parts.append("</a>")
                named = None
            elif child.type == "text" and named and re.match(DOCUMENT, child.content):
                parts.append(html.escape(re.sub(DOCUMENT, named, child.content), quote=False))
            elif child.type == "image":
                parts.append(self.image(child))
            elif child.type == "code_inline":
                parts.append(f'<code{" class=short" if len(child.content) <= SHORT else ""}>{html.escape(child.content, quote=False)}</code>')
            elif child.type == "text" and self.formulas:
                parts.append(self.formulas.prose(child.content))
            elif child.type == "html_inline":
                parts.append("" if child.content.startswith("<!--") else html.escape(child.content))
            else:
                parts.append(self.parser.renderer.renderInline([child], self.parser.options, {}))
        return re.sub(r"(?<=\d) (?=%)", "\u00a0", "".join(parts))  # a sign stays with its number


def is_picture(token):
    return token.type == "inline" and len(token.children) == 1 and token.children[0].type == "image"


def caption_of(tokens, i):
    """The inline token of a paragraph that is emphasised as a whole, without the emphasis; None: there is no such paragraph at i."""
    if i + 1 >= len(tokens) or tokens[i].type != "paragraph_open":
        return None
    children = [c for c in tokens[i + 1].children if c.type != "text" or c.content]
    if len(children) < 3 or children[0].type != "em_open" or children[-1].type != "em_close" or children[0].level != children[-1].level:
        return None
    if any(c.type == "em_close" and c.level == children[0].level for c in children[1:-1]):
        return None
    caption = Token("inline", "", 0)
    caption.children = children[1:-1]
    return caption


def plain(token):
    """The text of an inline token."""
    words = []
    for child in token.children:
        if child.type in ("text", "code_inline", "image"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            words.append(" ")
    return "".join(words)


def split_target(target):
    """File and anchor of a link; None for the file of a link within the page or to elsewhere."""
    if re.match(r"[a-z][a-z+.-]*:", target):
        return None, ""
    file, _, anchor = target.partition("#")
    return file, anchor


def relative(to, start):
    """The address of a file of the site as seen from another."""
    return posixpath.relpath(to, posixpath.dirname(start) or ".")
