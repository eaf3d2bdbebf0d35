#!/usr/bin/env bash
# run.sh [SITE] - builds the site into a scratch folder, or takes SITE, looks through it (check.py), and through a copy that is spoiled in every way
# that check.py looks for, of which it must find each.  Needs S3SVM and SOURCE_DIR, as tests/CMakeLists.txt sets them.
set -euo pipefail

here=$SOURCE_DIR/tests/site
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python=
for one in python3 /usr/bin/python3; do
    if "$one" -c 'import tomllib, markdown_it, pygments' 2>/dev/null; then python=$one && break; fi
done
[ -n "$python" ] || { echo "skipped: no Python with markdown-it and Pygments (Debian: python3-markdown-it python3-pygments)"; exit 77; }

"$python" -B "$here/test_parts.py"

site=${1:-$scratch/site}
[ $# -gt 0 ] || "$SOURCE_DIR/scripts/site" "$S3SVM" "$site"
"$python" -B "$here/check.py" "$site"

# A copy with one fault of each kind.
spoiled=$scratch/spoiled
cp -r "$site" "$spoiled"
cd "$spoiled"
rm guide/install.html
sed -i 's/id="2-submodularity"/id="two"/' background/math.html
sed -i 's#src="[^"]*theme.js"#src="https://example.org/theme.js"#' guide/python.html
sed -i '1i @import "other.css";' site.css
cp guide/page.html guide/alone.html
sed -i 's/<article>/<article id="main">/' guide/maps.html
sed -i 's#<article>#<article><b>#' guide/folder.html
sed -i '0,/ alt="[^"]*"/s///' guide/page.html
sed -i 's#"guide/cluster.html"#"guide/gone.html"#' search-index.js
head -c 15000000 /dev/zero >large
cd "$OLDPWD"

if "$python" -B "$here/check.py" "$spoiled" >"$scratch/said"; then
    echo "FAILED: a spoiled site passes" >&2
    exit 1
fi
while read -r wanted; do
    grep -q "^FAILED $wanted" "$scratch/said" || { echo "FAILED: of a spoiled site it does not say: $wanted" >&2; cat "$scratch/said" >&2; exit 1; }
done <<'END'
.*: there is no .*install
background/math.html: there is no anchor for #2-submodularity
guide/python.html: asks another server
site.css: fetches
guide/alone.html: no way leads here
guide/maps.html: the id main is there twice
guide/folder.html: line .* closes b
guide/page.html: a picture without words
search-index.js: there is no guide/gone.html
the site has .* bytes
END
echo "what spoils a site is found"
