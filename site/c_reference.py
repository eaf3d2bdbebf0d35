"""The reference of the C libraries from their public headers: what is declared, with the comment above it."""

import html
import re

from document import Anchors, anchor_of, code_html

NAME = r"(?:sos|s3svm|SOS|S3SVM)_\w+"


class Block:
    """A comment and the declarations below it; a block without declarations begins a part, or is prose."""

    def __init__(self, comment, code):
        self.comment, self.code = comment, code
        self.part = title_of_part(comment) if not code else None
        self.names = declared(code)
        self.anchor = ""


class Header:
    def __init__(self, path):
        self.name = f"{path.parent.name}/{path.name}"
        text = path.read_text(encoding="utf-8")
        opening, body = re.match(r"/\*(.*?)\*/\n(.*)", text, re.DOTALL).groups()
        self.comment = lines_of(opening)
        self.comment[0] = re.sub(r"^\S+\.h - ", "", self.comment[0])
        self.blocks = blocks_of(body)
        anchors = Anchors()
        for block in self.blocks:
            block.anchor = anchors.take(block.names[0] if block.names else anchor_of(block.part or ""))

    @property
    def summary(self):
        """The first sentence of the header's comment."""
        text = " ".join(self.comment[:self.comment.index("")] if "" in self.comment else self.comment)
        return re.split(r"(?<=[.:])\s{2,}|:\s|:$", text)[0].strip().rstrip(".:")


def lines_of(comment):
    """The lines of a comment without what frames it."""
    lines = [re.sub(r"^ ?\* ?", "", line).rstrip() for line in comment.strip().splitlines()]
    return lines if lines else [""]


def title_of_part(comment):
    found = re.fullmatch(r"-{3,} (.*?) -{3,}|-{3,} ?(.*)", comment[0]) if len(comment) == 1 else None
    return (found[1] or found[2]) if found else None


def blocks_of(body):
    """The blocks of a header, without its guard, its includes and what is for C++."""
    body = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", body, flags=re.MULTILINE | re.DOTALL)
    body = re.sub(r"^#if defined\(__GNUC__\).*?^#endif\n", "", body, flags=re.MULTILINE | re.DOTALL)
    body = re.sub(r"^/\* clang-format (?:off|on) \*/\n", "", body, flags=re.MULTILINE)
    body = re.sub(r"^#(include|ifndef|endif|if|else).*\n|^#define \w+_H\n", "", body, flags=re.MULTILINE)
    blocks, comment, code, depth = [], [], [], 0
    lines = iter(body.splitlines())

    def end():
        nonlocal comment, code
        if comment or code:
            blocks.append(Block(comment, "\n".join(code)))
        comment, code = [], []

    for line in lines:
        if depth == 0 and line.startswith("/*"):
            end()
            text = [line[2:]]
            while "*/" not in text[-1]:
                text.append(next(lines))
            text[-1] = text[-1].split("*/")[0]
            comment = lines_of("\n".join(text))
        elif depth == 0 and not line.strip():
            end()
        else:
            code.append(line)
            depth += line.count("{") - line.count("}")
    end()
    return blocks


def declared(code):
    """The names that a block declares, functions and types first, then constants."""
    functions = re.findall(rf"^(?:.*\bSOS_API\b|static inline\b)[^;{{(]*?({NAME})\(", code, re.MULTILINE)
    types = re.findall(rf"^typedef (?:struct|enum|union) ({NAME})", code, re.MULTILINE)
    types += re.findall(rf"^typedef [^{{;]*?({NAME})\(", code, re.MULTILINE) + re.findall(rf"^struct ({NAME});", code, re.MULTILINE)
    types += [n for n in re.findall(rf"^typedef [^{{;(]*?({NAME});", code, re.MULTILINE)]
    constants = re.findall(rf"^#define ({NAME})", code, re.MULTILINE) + re.findall(rf"\bextern\b[^;]*?({NAME})[\[;]", code)
    for body in re.findall(r"enum(?: \w+)? \{(.*?)\n?\}", re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL), re.DOTALL):
        constants += re.findall(rf"(?:^|,)\s*({NAME})", body)
    return list(dict.fromkeys([*functions, *types, *constants]))


def shown(code):
    """Declarations without what only the compiler wants to know, their further lines below the first argument as before."""
    lines, shift = [], 0
    for line in code.splitlines():
        if line.startswith(" ") and shift and not line.strip().startswith("/*"):
            line = re.sub(rf"^ {{0,{shift}}}", "", line)
        else:
            short = re.sub(r"\bSOS_(?:MUST_USE|API) ", "", line)
            shift = len(line) - len(short)
            line = short
        lines.append(re.sub(r" +\\$", " \\\\", line))
    return "\n".join(lines) + "\n"


def members_of(code):
    """The code of a struct or an enum without comments, and its members with theirs: (names, comment)."""
    plain, members = [], []
    for found in re.finditer(r"([^\n]*?)[ ]*/\*(.*?)\*/|([^\n]+)", code, re.DOTALL):
        line, comment = (found[1], re.sub(r"\s+", " ", found[2]).strip()) if found[2] is not None else (found[3], "")
        if line.strip():
            plain.append(line.rstrip())
        names = re.sub(r"\s*=[^,]*", "", line).strip().rstrip(",;")
        if comment and names not in ("", "}") and not comment.startswith("0 (status.h)"):
            members.append((names, comment))
    return "\n".join(plain), members


class Reference:
    """All headers; resolve gives addresses of names and of what comments cite."""

    def __init__(self, folder):
        self.headers = {lib: [Header(p) for p in sorted((folder / lib).glob("*.h"))] for lib in ("sos", "s3svm")}
        self.home = {}
        for header in self.all():
            for block in header.blocks:
                for name in block.names:
                    self.home.setdefault(name, (header.name, block.anchor))

    def all(self):
        return [header for headers in self.headers.values() for header in headers]

    def linked(self, markup, header, address):
        """HTML with names made links; address(header name, anchor) says where to."""
        def link(found):
            name = found[0]
            if name not in self.home:
                return name
            return f'<a href="{address(*self.home[name])}">{name}</a>'
        return re.sub(rf"\b{NAME}\b", link, markup)

    def body(self, header, address, cite):
        """The HTML of a header's page, and its sections: anchor, title, words, level."""
        opening = [re.sub(r"^[a-z](?=[a-z]* [a-z])", lambda found: found[0].upper(), header.comment[0]), *header.comment[1:]]
        parts = [prose(opening, lambda text: cite(self.linked(text, header, address)))]
        sections, level = [], 2
        for block in header.blocks:
            if block.part:
                parts.append(f'<h2 id="{block.anchor}">{html.escape(block.part.capitalize())}</h2>\n')
                sections.append((block.anchor, block.part.capitalize(), "", 2))
                level = 3
                continue
            if block.names:
                heads = [n for n in block.names if n[:1].islower()] or block.names[:3]
                title = ", ".join(heads)
                parts.append(f'<h{level} class="names" id="{block.anchor}">' + ", ".join(f"<code>{n}</code>" for n in heads) +
                             f'<a class="anchor" href="#{block.anchor}" aria-label="Link to this section: {title}">#</a></h{level}>\n')
                parts.append("".join(f'<span id="{n}"></span>' for n in block.names if n != block.anchor and self.home[n] == (header.name, block.anchor)))
                sections.append((block.anchor, title, " ".join(block.comment) + " " + re.sub(r"\s+", " ", block.code), level))
            code, members = members_of(block.code) if re.search(r"\{\n", block.code) else (block.code, [])
            if code:
                parts.append(self.linked(code_html(shown(code), "c"), header, address))
            parts.append(prose(block.comment, lambda text: cite(self.linked(text, header, address))))
            if members:
                rows = "".join(f"<dt><code>{html.escape(names)}</code></dt>\n<dd>{cite(self.linked(html.escape(comment), header, address))}</dd>\n"
                               for names, comment in members)
                parts.append(f'<dl class="terms members">\n{rows}</dl>\n')
        return "".join(parts), sections


def prose(lines, link):
    """The text of a comment: paragraphs, and blocks that are indented by four."""
    parts, words, code = [], [], []

    def end():
        nonlocal words, code
        if words:
            parts.append(f"<p>{link(html.escape(' '.join(words), quote=False))}</p>\n")
        if code:
            text = html.escape("\n".join(code).rstrip(), quote=False)
            parts.append(f'<div class="code"><pre tabindex="0" role="group" aria-label="Text as typed"><code>{link(text)}</code></pre></div>\n')
        words, code = [], []

    for line in lines:
        if line.startswith("    "):
            if words:
                end()
            code.append(line[4:])
        elif not line:
            if code:
                code.append("")
            else:
                end()
        else:
            if code:
                end()
            words.append(line.strip())
    end()
    return "".join(parts)
