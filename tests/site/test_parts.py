"""Parts of the program that writes the site, on small pieces: Markdown, formulas, headers, docstrings, manual pages."""

import ast
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "site"))

import c_reference  # noqa: E402
import document  # noqa: E402
import formulas  # noqa: E402
import manual  # noqa: E402
import pictures  # noqa: E402
import python_reference  # noqa: E402


def rendered(text):
    return document.Renderer(lambda target: f"to/{target}", lambda target: (f"at/{target}", 40, 30)).render(text)


class Documents(unittest.TestCase):
    def test_anchors_are_those_of_github(self):
        for heading, anchor in (("5.4 Warm starts", "54-warm-starts"), ("Long training, and `--stream`", "long-training-and---stream"),
                                ("[Clusters](cluster.md) of cores", "clusters-of-cores"), ("What's exact?", "whats-exact")):
            self.assertEqual(document.anchor_of(heading), anchor)

    def test_the_same_heading_twice_has_two_anchors(self):
        page = rendered("# A\n\n## B\n\n## B\n")
        self.assertIn('<h2 id="b">', page.html)
        self.assertIn('<h2 id="b-1">', page.html)
        self.assertEqual([s.anchor for s in page.sections], ["a", "b", "b-1"])

    def test_a_picture_and_emphasis_below_it_are_a_figure(self):
        page = rendered("![a pear](pear.png)\n\n*A pear, `seen`.*\n\nText.\n")
        self.assertIn('<img src="at/pear.png" alt="a pear" width="40" height="30" loading="lazy"><figcaption>A pear, <code class=short>seen</code>.'
                      "</figcaption>", page.html)
        self.assertIn("Text.</p>", page.html)

    def test_emphasis_of_a_part_is_no_caption(self):
        self.assertNotIn("figcaption", rendered("![a pear](pear.png)\n\n*A pear*, seen, *twice*\n").html)

    def test_comments_are_not_shown_but_name_files(self):
        page = rendered("<!-- file: quick.c -->\n```c\nint main(void);\n```\n\n<!-- not run: installs -->\n```sh\nmake\n```\n")
        self.assertNotIn("<!--", page.html)
        self.assertIn('<div class="code-name">quick.c</div>', page.html)
        self.assertEqual(page.html.count("code-name"), 1)

    def test_a_sign_stays_with_its_number(self):
        self.assertIn("9.7\u00a0% of all", rendered("9.7 % of all").html)

    def test_text_is_escaped_in_code_and_prose(self):
        self.assertIn("&lt;sos/energy.h&gt; &amp;", rendered("`<sos/energy.h>` & so\n").html.replace("</code>", ""))

    def test_sections_hold_what_search_finds(self):
        page = rendered("# Title\n\nFirst.\n\n## Second\n\n| a | b |\n| --- | --- |\n| c | `d` |\n")
        self.assertEqual([(s.title, s.text) for s in page.sections], [("Title", "First."), ("Second", "a b c d")])

    def test_names_of_documents_become_titles(self):
        page = document.Renderer(str, None, None, lambda target: "The maths" if target.startswith("math.md") else None)
        self.assertIn(">The maths, 3.4<", page.render("[math.md, 3.4](math.md#34)").html)
        self.assertIn(">the maths<", page.render("[the maths](math.md)").html)
        self.assertIn(">README.md<", page.render("[README.md](README.md)").html)

    def test_addresses_are_relative(self):
        self.assertEqual(document.relative("guide/install.html", "reference/c/index.html"), "../../guide/install.html")
        self.assertEqual(document.relative(".", "index.html"), ".")


class FormulasOfMath(unittest.TestCase):
    TEXT = "# M\n\n### 3.4 Capacity\n\n    c(i,j) = min { r(S) : i in S, j not in S },          (3.4a)\n"

    def setUp(self):
        self.formulas = formulas.Formulas(self.TEXT, document.anchor_of)

    def test_signs_letters_and_what_stands_below(self):
        for text, wanted in (("alpha_C,v", "<i>α</i><sub><i>C</i>,<i>v</i></sub>"), ("2^(k-2)", "2<sup><i>k</i>−2</sup>"),
                             ("sum_{i in S}", "∑<sub><i>i</i> ∈ <i>S</i></sub>"), ("x -> y", "<i>x</i> → <i>y</i>"),
                             ("f' <= -b", "<i>f</i>′ ≤ −<i>b</i>"), ("f(C-i)", "<i>f</i>(<i>C</i>−<i>i</i>)"), ("a base", "a base")):
            self.assertEqual(self.formulas.typeset(text, True), wanted)

    def test_words_of_prose_stay_words(self):
        for text in ("A base is a vector in the cone", "the source's share", "no longer well-known", "<none>"):
            self.assertEqual(self.formulas.prose(text), text.replace("<", "&lt;").replace(">", "&gt;"))

    def test_names_that_may_be_articles(self):
        self.assertEqual(self.formulas.prose("if A and B are two, a -> d"), "if <i>A</i> and <i>B</i> are two, <i>a</i> → <i>d</i>")

    def test_numbers_and_sections_are_links(self):
        self.assertEqual(self.formulas.prose("by (3.4a) and (3.4), not (9.9)"),
                         'by (<a href="#eq-3.4a">3.4a</a>) and (<a href="#34-capacity">3.4</a>), not (9.9)')

    def test_arguments_are_no_numbers(self):
        self.assertNotIn("href", self.formulas.prose("f(3.4a) and u_i(3.4), x^2(3.4)"))

    def test_what_is_blank_in_all_lines_takes_little_room(self):
        self.assertEqual(formulas.narrowed(["a = b         c", "", "long          d"]), ["a = b    c", "", "long     d"])

    def test_a_block_keeps_columns_and_number(self):
        block = self.formulas.block("u_i  = x\nbase = y          (3.4a)\n")
        self.assertIn('id="eq-3.4a"', block)
        self.assertEqual(block.count('<span style="min-width:2.5em">'), 2)


class Headers(unittest.TestCase):
    HEADER = """/* toy.h - toys (math.md, 3.4).  More.
 *
 *     toy_make(1);
 */
#ifndef SOS_TOY_H
#define SOS_TOY_H

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_toy {
    int size;   /* in
                   metres */
    bool blue;
} sos_toy;

/* Makes a toy of <size>. */
SOS_MUST_USE SOS_API sos_status sos_toy_make(int size,
                                             sos_toy **out);
SOS_API void sos_toy_free(sos_toy *t); /* NULL is allowed */

/* ---- colours ---- */

enum { SOS_RED, SOS_BLUE = 3 };

#ifdef __cplusplus
}
#endif

#endif
"""

    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sos" / "toy.h"
            path.parent.mkdir()
            path.write_text(self.HEADER, encoding="utf-8")
            (Path(folder) / "s3svm").mkdir()
            self.reference = c_reference.Reference(Path(folder))
        self.header = self.reference.headers["sos"][0]

    def test_what_is_declared(self):
        self.assertEqual([b.names for b in self.header.blocks], [["sos_toy"], ["sos_toy_make", "sos_toy_free"], [], ["SOS_RED", "SOS_BLUE"]])
        self.assertEqual(self.header.summary, "toys (math.md, 3.4)")
        self.assertEqual(self.header.blocks[2].part, "colours")

    def test_the_page(self):
        body, sections = self.reference.body(self.header, lambda name, anchor: f"#{anchor}", lambda text: text)
        self.assertIn("<dt><code>int size</code></dt>\n<dd>in metres</dd>", body)
        self.assertIn("Makes a toy of &lt;size&gt;.", body)
        self.assertNotIn("SOS_API", body)
        self.assertIn('<a href="#sos_toy">sos_toy</a>', body)
        self.assertEqual([s[1] for s in sections], ["sos_toy", "sos_toy_make, sos_toy_free", "Colours", "SOS_RED, SOS_BLUE"])

    def test_further_lines_stay_below_the_first_argument(self):
        self.assertEqual(c_reference.shown("SOS_MUST_USE SOS_API int f(int a,\n                           int b);"), "int f(int a,\n      int b);\n")

    def test_every_name_that_the_libraries_export_has_a_place(self):
        exported = set(re.findall(r"^lib\w+ ((?:sos|s3svm)_\w+)@", (ROOT / "tests/install/interface.txt").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertGreater(len(exported), 100)
        self.assertEqual(sorted(exported - set(c_reference.Reference(ROOT / "include").home)), [])


class Docstrings(unittest.TestCase):
    def test_signatures(self):
        node = ast.parse("def f(a: int, b: 'T' = None, *, c=3, d: Callable[[int], str]=lambda x, y=2: x, **more) -> \"list[int]\": pass").body[0]
        self.assertEqual(python_reference.signature("f", node, False),
                         "f(a: int, b: T = None, *, c=3, d: Callable[[int], str] = lambda x, y=2: x, **more) -> list[int]")
        self.assertEqual(python_reference.signature("f", ast.parse("def f(self, a): pass").body[0], True), "f(a)")

    def test_terms_lists_code_and_examples(self):
        text = "Does it.\n\na, b\n    what a :class:`Thing` is\n\n- one\n- two\n\n>>> f(1)\n2\n"
        made = python_reference.docstring_html(text, lambda words: words)
        self.assertIn("<dt>a, b</dt>\n<dd>what a <code>Thing</code> is</dd>", made)
        self.assertIn("<li>one</li>\n<li>two</li>", made)
        self.assertIn("&gt;&gt;&gt; ", made)

    def test_everything_that_the_package_shows_has_a_place(self):
        package = python_reference.Package(ROOT / "python/s3svm")
        source = (ROOT / "python/s3svm/__init__.py").read_text(encoding="utf-8")
        public = next(ast.literal_eval(n.value) for n in ast.parse(source).body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
        self.assertEqual(sorted(set(public) - set(package.names)), [])


class ManualPages(unittest.TestCase):
    PAGE = ('.TH "TOY" 1 "" "toy" "toy"\n.ad l\n.SH NAME\ntoy\\-make \\- make a toy\n.SH OPTIONS\n.TP\n\\fB\\-s\\fR, \\fB\\-\\-size\\fR \\fIN\\fR\n'
            "how <large>\n.SH EXAMPLES\n.nf\n  toy \\-s 3\n.fi\n")

    def test_a_page(self):
        body, sections = manual.page_html(self.PAGE, lambda text: text)
        self.assertEqual(manual.summary_of(self.PAGE), "make a toy")
        self.assertIn('<dt id="option-size"><strong>-s</strong>, <strong>--size</strong> <em>N</em></dt>\n<dd>how &lt;large&gt;</dd>', body)
        self.assertIn("  toy -s 3", body)
        self.assertEqual([s[0] for s in sections], ["name", "options", "examples"])

    def test_rows_of_a_description_are_terms(self):
        body, _ = manual.page_html(".SH DESCRIPTION\n.nf\nKinds are:\n  one      the first\n           of all\n  two, three,\n  four\n           the rest\n"
                                   "And that is all.\n.fi\n.PP\nMore.\n", lambda text: text)
        self.assertIn("<p>Kinds are:</p>\n", body)
        self.assertIn("<dt><strong>one</strong></dt>\n<dd>the first of all</dd>\n<dt><strong>two, three, four</strong></dt>\n<dd>the rest</dd>\n</dl>\n"
                      "<p>And that is all.</p>\n<p>More.</p>", body)

    def test_a_request_that_is_not_known_is_an_error(self):
        with self.assertRaisesRegex(ValueError, r"\.RS"):
            manual.page_html(".SH NAME\n.RS\n", lambda text: text)


class Sizes(unittest.TestCase):
    def test_of_all_pictures_of_documents(self):
        for path in [*(ROOT / "docs").rglob("*.png"), *(ROOT / "docs").rglob("*.jpg"), *(ROOT / "docs").rglob("*.svg")]:
            width, height = pictures.size_of(path)
            self.assertTrue(16 <= width <= 4000 and 16 <= height <= 4000, path)
        self.assertEqual(pictures.size_of(ROOT / "docs/segmentation/fruit.jpg"), (1298, 240))


if __name__ == "__main__":
    unittest.main()
