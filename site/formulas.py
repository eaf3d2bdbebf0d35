"""The formulas of docs/math.md, which are written in letters of the keyboard, as formulas.

The source says sum_{i in S} alpha_i <= 2^(k-1); the page shows a sum sign, Greek letters, and what stands below and above.  Columns of a
block keep their places, and its numbers, as (3.6a), can be linked to.
"""

import html
import re

GREEK = dict(zip("alpha beta gamma delta epsilon eta kappa lambda mu nu phi psi rho sigma tau theta xi Delta Gamma Lambda Phi Psi Sigma Xi".split(),
                 "αβγδεηκλμνφψρστθξΔΓΛΦΨΣΞ"))
SIGNS = {"<=>": "⇔", "=>": "⇒", "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "...": "…"}
NUMBER = r"\d+(?:\.\d+)?[a-z]"
PRIME = "'"
COLUMN = 0.5  # em: the width of a column of the source
GAP = 4       # columns that are left of more that are blank in a whole block
TOKEN = re.compile(r"""
    (?P<sign><=>|=>|<=|>=|!=|->|\.\.\.)
  | (?P<reference>(?<![\w)\]}])\((?:\d+(?:\.\d+)?[a-z]?)\))
  | (?P<sum>\bsum(?=_|\s))
  | (?P<greek>(?<![A-Za-z])(?:%s)(?![A-Za-z])'{0,2})
  | (?P<index>(?<=[\w)\]|'])_(?:\{[^{}]*\}|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*))
  | (?P<power>(?<=[\w)}|])\^(?:\{[^{}]*\}|\([^()]*\)|[-−]?[A-Za-z0-9]+))
  | (?P<word>[A-Za-z][A-Za-z]+)
  | (?P<letter>(?<![\w'’])[A-Za-z](?![A-Za-z]|['’][A-Za-z])'{0,2})
  | (?P<member>(?<=[\w)}]\ )in(?=\ [A-Z{]))
""" % "|".join(GREEK), re.VERBOSE)
ARTICLES = {"a", "A", "I"}
AFTER_NAMES = {"and", "or", "is", "in", "to", "of", "be", "are", "with", "contains", "has"}  # no article stands before these


class Formulas:
    """Typesets blocks and prose; text is the document, whose numbers and sections its references lead to."""

    def __init__(self, text, anchor_of):
        self.numbers = set(re.findall(rf"^ {{4}}.*\s\(({NUMBER})\)$", text, re.MULTILINE))
        self.sections = {found[1]: anchor_of(found[0]) for found in
                         (re.match(r"((\d+(?:\.\d+)?)\.? .*)", h).groups() for h in re.findall(r"^#+ (\d.*)", text, re.MULTILINE))}

    def block(self, text):
        lines = [re.fullmatch(rf"(.*?)\s*(?:\s\(({NUMBER})\))?", line).groups() for line in text.rstrip("\n").split("\n")]
        bodies = narrowed([body for body, _ in lines])
        columns = columns_of(bodies)
        rows = [segments_of(body, columns) for body in bodies]
        begins = [column for segments in rows for column, _ in segments]
        shared = {column for column in begins if begins.count(column) > 1}
        made = "".join(self.line(segments, number, shared) for segments, (_, number) in zip(rows, lines))
        return f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{made}</div>\n'

    def line(self, segments, number, shared):
        parts = []
        for i, (column, text) in enumerate(segments):
            width = segments[i + 1][0] - column if i + 1 < len(segments) else 0
            if any(later in shared for later, _ in segments[i + 1:]):  # the next one stands below or above another
                style = f"min-width:{width * COLUMN:g}em"
            else:
                style = f"padding-right:{max(width - len(text), 0) * COLUMN:g}em"
            parts.append(f'<span style="{style}">{self.typeset(text, True)}</span>')
        indent = f'<span style="min-width:{segments[0][0] * COLUMN:g}em"></span>' if segments and segments[0][0] else ""
        tag = f'<span class="number">({number})</span>' if number else ""
        anchor = f' id="eq-{number}"' if number else ""
        return f'<div class="line"{anchor}><div class="body">{indent}{"".join(parts)}</div>{tag}</div>'

    def prose(self, text):
        return self.typeset(text, False)

    def typeset(self, text, is_block):
        text, parts, at = minus(text, is_block), [], 0
        for found in TOKEN.finditer(text):
            parts.append(signs(text[at:found.start()]))
            parts.append(self.token(found, is_block, text))
            at = found.end()
        parts.append(signs(text[at:]))
        return "".join(parts)

    def token(self, found, is_block, text):
        kind, word = found.lastgroup, found[0]
        if kind == "sign":
            return SIGNS[word]
        if kind == "reference":
            return self.reference(word[1:-1])
        if kind == "sum":
            return "∑" if is_block or text[found.end():found.end() + 1] == "_" else word
        if kind == "greek":
            return f"<i>{GREEK[word.rstrip(PRIME)]}</i>{primes(word)}"
        if kind in ("index", "power"):
            tag = "sub" if kind == "index" else "sup"
            inner = word[2:-1] if word[1] in "{(" else word[1:]
            return f"<{tag}>{self.typeset(inner, True)}</{tag}>"
        if kind == "word" and word == "in" and is_member(text, found, is_block):
            return "∈"
        if kind == "letter" and (word not in ARTICLES or not is_article(text, found)):
            return f"<i>{word.rstrip(PRIME)}</i>{primes(word)}"
        return html.escape(word)

    def reference(self, number):
        if number in self.numbers:
            return f'(<a href="#eq-{number}">{number}</a>)'
        if number in self.sections:
            return f'(<a href="#{self.sections[number]}">{number}</a>)'
        return f"({number})"


def is_member(text, found, is_block):
    """Whether the word "in" says that something is a member of a set."""
    before, after = text[:found.start()].rstrip(), text[found.end():].lstrip()
    single = re.search(r"(?:^|[^A-Za-z])[a-zA-Z](?:_\w+)?$", before)
    if is_block:
        return bool(single and re.match(r"[A-Z{(\[]|dep\b", after))
    return bool(single and not re.search(r"\b[aAI]$", before) and re.match(r"(?:[A-Z](?![a-z])|\{)", after))


def primes(word):
    """The primes of a name, as they are printed."""
    return "′" * word.count(PRIME)


def is_article(text, found):
    """Whether a letter is the article that it may be: a word follows, and none that only follows names."""
    rest = text[found.end():]
    word = re.match(r" ([a-z]{2,}|$)", rest + " ")
    return (not rest or bool(word)) and (not word or word[1] not in AFTER_NAMES)


def minus(text, is_block):
    """Hyphens that are minus signs: in formulas all but those of words and arrows, in prose those between names or numbers, or before one."""
    if is_block:
        return re.sub(r"-(?!>)(?<![A-Za-z]{2}-(?=[A-Za-z]{2}))", "−", text)
    text = re.sub(r"(?<=\s)-(?=\s[\w(])|(?<=[\s(=])-(?=[\w(])", "−", text)
    return re.sub(r"(?<![A-Za-z])([A-Za-z]|\d+|\))-([A-Za-z]|\d+)(?![A-Za-z])", r"\1−\2", text)


def signs(text):
    """What is no token: a product between blanks."""
    return re.sub(r" \* ", " · ", html.escape(text, quote=False))


def narrowed(lines):
    """The lines without what is blank in all of them, but for GAP columns of it."""
    kept, blank = [], 0
    for column in range(max(map(len, lines))):
        blank = 0 if any(line[column:column + 1].strip() for line in lines) else blank + 1
        if blank <= GAP:
            kept.append(column)
    return ["".join(line[column:column + 1] for column in kept) for line in lines]


def columns_of(lines):
    """Where segments begin in some line of a block: after two blanks and more."""
    return {found.end() for line in lines for found in re.finditer(r"(?:^|\S) {2,}(?=\S)", line)}


def segments_of(line, columns):
    """(column, text) of the segments of a line, which begin after several blanks, or after one where segments of other lines do."""
    segments = []
    for found in re.finditer(r"\S+", line):
        start = found.start()
        gap = start - (segments[-1][0] + len(segments[-1][1])) if segments else 2
        if not segments or gap >= 2 or start in columns:
            segments.append((start, found[0]))
        else:
            column, text = segments[-1]
            segments[-1] = (column, line[column:found.end()])
    return segments
