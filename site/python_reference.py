"""The reference of the Python package from its source: what it shows, with types and docstrings.  Nothing is imported."""

import ast
import html
import re

from document import code_html

WIDTH = 100  # characters of a signature on one line


class Thing:
    """A function, a class or a constant that the package shows."""

    def __init__(self, name, node, members=()):
        self.name, self.node, self.members = name, node, list(members)
        self.doc = ast.get_docstring(node) or ""

    @property
    def is_class(self):
        return isinstance(self.node, ast.ClassDef)

    @property
    def summary(self):
        first = re.sub(r"\([^()]*\)", lambda found: found[0].replace(": ", ":\0"), self.doc.split("\n\n")[0].replace("\n", " "))
        return re.split(r"(?<=[.:]) ", first)[0].rstrip(".:").replace("\0", " ")


class Package:
    """Sections (title, things) as the docstring of the package lists them, and s3svm.torch."""

    def __init__(self, folder):
        self.folder = folder
        init = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        self.doc = ast.get_docstring(init)
        self.where = {alias.name: node.module for node in init.body if isinstance(node, ast.ImportFrom) and node.module for alias in node.names}
        public = next(ast.literal_eval(n.value) for n in init.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
        self.modules, self.sections = {}, []
        rest = set(public)
        for title, names in listed(self.doc):
            here = [name for name in dict.fromkeys(names) if name in rest]
            rest -= set(here)
            self.sections.append((title, [self.thing(name) for name in here]))
        errors = sorted(name for name in rest if name.endswith("Error") or name == "Cancelled")
        others = sorted(rest - set(errors))
        self.sections += [("Results and other classes", [self.thing(n) for n in others]), ("Errors", [self.thing(n) for n in errors])]
        torch = self.parse("torch")
        names = next(ast.literal_eval(n.value) for n in torch.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
        self.torch_doc = ast.get_docstring(torch)
        self.sections.append(("s3svm.torch", [self.thing(name, "torch", f"torch.{name}") for name in names]))
        self.sections = [(title, things) for title, things in self.sections if things]
        self.names = {thing.name: title for title, things in self.sections for thing in things}

    def parse(self, module):
        if module not in self.modules:
            self.modules[module] = ast.parse((self.folder / f"{module}.py").read_text(encoding="utf-8"))
        return self.modules[module]

    def thing(self, name, module=None, shown=None):
        tree = self.parse(module or self.where[name])
        node = next((n for n in tree.body if getattr(n, "name", None) == name), None)
        if node is None:
            raise ValueError(f"python/s3svm: {name} is neither a function nor a class of its module")
        return Thing(shown or name, node, members_of(node, tree) if isinstance(node, ast.ClassDef) else ())


def listed(doc):
    """The sections of the docstring of the package: a title, and below it, indented, names between commas, semicolons and remarks."""
    for title, body in re.findall(r"^(\S.*)\n((?: {4}.*\n)+)", doc + "\n", re.MULTILINE):
        yield title, re.findall(r"(?<![\w-])\w+(?![\w-])", re.sub(r"\([^)]*\)", "", body))


def members_of(node, tree):
    """Public methods and properties of a class, those of bases with a leading underscore among them."""
    own = [n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    names = {n.name for n in own}
    for base in node.bases:
        parent = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == getattr(base, "id", None) and n.name.startswith("_")), None)
        if parent:
            own += [n for n in members_of(parent, tree) if n.name not in names]
    return [n for n in own if not any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in n.decorator_list)]


def decorators(node):
    return {d.id for d in node.decorator_list if isinstance(d, ast.Name)}


def signature(name, node, skip_first):
    """name(arguments) -> type, over several lines where it is long."""
    words = arguments_of(node)[1 if skip_first else 0:]
    returns = f" -> {text_of(node.returns)}" if node.returns is not None and name[:1] != name[:1].upper() else ""
    line = f"{name}({', '.join(words)}){returns}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){returns}"


def text_of(annotation):
    """A type as text; quoted ones without their quotes."""
    text = ast.unparse(annotation)
    return text[1:-1] if text[:1] in "'\"" else text


def arguments_of(node):
    """Each argument as it is written, * and / among them."""
    arguments, words = node.args, []
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    for i, (argument, default) in enumerate(zip(plain, defaults), 1):
        words.append(written(argument, default))
        if i == len(arguments.posonlyargs):
            words.append("/")
    if arguments.vararg or arguments.kwonlyargs:
        words.append(f"*{ast.unparse(arguments.vararg)}" if arguments.vararg else "*")
    words += [written(argument, default) for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return words + ([f"**{ast.unparse(arguments.kwarg)}"] if arguments.kwarg else [])


def written(argument, default):
    kind = f": {text_of(argument.annotation)}" if argument.annotation else ""
    equals = " = " if kind else "="
    return argument.arg + kind + (equals + ast.unparse(default) if default is not None else "")


def constructor(node):
    """The line that makes an object; of tuples with names their fields."""
    made = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if made:
        return signature(node.name, made, True)
    if any(getattr(base, "id", "") == "NamedTuple" for base in node.bases):
        fields = [ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign)]
        return f"{node.name}({', '.join(fields)})"
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    return f"class {node.name}({bases})" if bases else f"class {node.name}"


# ---- docstrings ----

def docstring_html(text, link):
    """Paragraphs, lists of terms (a term, and below it, indented, what it is), lists, examples and code."""
    return "".join(block_html(block, link) for block in blocks_of(text.splitlines()))


def blocks_of(lines):
    """Lines between empty ones; what is indented deeper than its block belongs to it."""
    blocks, block = [], []
    for line in lines:
        if line.strip() or (block and block[-1].startswith(">>>")):
            block.append(line.rstrip())
        elif block:
            blocks.append(block)
            block = []
    return blocks + ([block] if block else [])


def block_html(lines, link):
    while lines and not lines[-1]:
        lines = lines[:-1]
    if lines[0].lstrip().startswith(">>>"):
        return code_html("\n".join(line.strip() if line.startswith("    >>>") else line for line in lines) + "\n", "pycon")
    if lines[0].startswith("    "):
        if all(line.startswith("    ") for line in lines):
            return code_html("\n".join(line[4:] for line in lines) + "\n", "python")
    if lines[0].startswith("- "):
        items = re.split(r"\n- ", "\n" + "\n".join(lines))[1:]
        return "<ul>\n" + "".join(f"<li>{inline(item, link)}</li>\n" for item in items) + "</ul>\n"
    if len(lines) > 1 and any(line.startswith("    ") for line in lines) and not lines[0].startswith(" "):
        return terms_html(lines, link)
    return f"<p>{inline(' '.join(line.strip() for line in lines), link)}</p>\n"


def terms_html(lines, link):
    parts, words = ['<dl class="terms">\n'], []
    for line in [*lines, None]:
        if line is not None and line.startswith("    "):
            words.append(line.strip())
            continue
        if words:
            parts.append(f"<dd>{inline(' '.join(words), link)}</dd>\n")
            words = []
        if line is not None:
            parts.append(f"<dt>{inline(line, link)}</dt>\n")
    if parts[-1].startswith("<dt>"):
        parts.append("<dd></dd>\n")
    return "".join(parts) + "</dl>\n"


def inline(text, link):
    """``code``, *emphasis*, :class:`names`, and names that the package shows."""
    parts = []
    for piece in re.split(r"(``.+?``|:\w+:`[^`]+`)", text):
        role = re.fullmatch(r":\w+:`~?([^`]+)`", piece)
        if piece.startswith("``"):
            parts.append(f"<code>{link(html.escape(piece[2:-2], quote=False))}</code>")
        elif role:
            parts.append(f"<code>{link(html.escape(role[1], quote=False))}</code>")
        else:
            parts.append(re.sub(r"\*(\w[^*]*\w|\w)\*", r"<em>\1</em>", html.escape(piece, quote=False)))
    return "".join(parts)


# ---- pages ----

def thing_html(thing, link):
    """A function or a class with its methods, and what search knows of it: anchor, title, words, level."""
    sections = [(thing.name, thing.name, thing.doc, 2)]
    head = constructor(thing.node) if thing.is_class else signature(thing.node.name, thing.node, False)
    parts = [heading(2, thing.name, thing.name), code_html(head + "\n", "python"), docstring_html(thing.doc, link)]
    for member in thing.members:
        name = f"{thing.name}.{member.name}"
        doc = ast.get_docstring(member) or ""
        marks = decorators(member)
        if "property" in marks:
            kind = f": {text_of(member.returns)}" if member.returns is not None else ""
            line = f"{member.name}{kind}"
        else:
            line = signature(member.name, member, "staticmethod" not in marks)
        parts += [heading(3, name, name), code_html(line + "\n", "python"), docstring_html(doc, link)]
        sections.append((name, name, doc, 3))
    return "".join(parts), sections


def heading(level, anchor, title):
    return (f'<h{level} class="names" id="{anchor}"><code>{html.escape(title)}</code>'
            f'<a class="anchor" href="#{anchor}" aria-label="Link to this section: {html.escape(title)}">#</a></h{level}>\n')
