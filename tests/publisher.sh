#!/usr/bin/env bash
# publisher.sh - scripts/publisher writes who publishes to all files that name them, finds one that disagrees, and takes it out again.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=(debian/control debian/changelog CITATION.cff pyproject.toml programs/web/package/package.json scripts/publisher)
cd "$SOURCE_DIR"
[ -e debian ] || { echo "skipped: a source without debian/"; exit 77; }
command -v perl >/dev/null || { echo "skipped: no perl"; exit 77; }
cp --parents "${files[@]}" "$work"
[ ! -e debian/watch ] || cp --parents debian/watch "$work"
cd "$work"
publisher() { scripts/publisher "$@"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

mv debian elsewhere
publisher check # as in the source tarball
mv elsewhere debian
publisher check
publisher set homepage= downloads= # whatever is known of this tree
cp -r . "$work.before"
trap 'rm -rf "$work" "$work.before"' EXIT
who=$(publisher maintainer)
[ -z "$(publisher homepage)$(publisher downloads)" ] || fail "a homepage is left"
[[ $(publisher missing) = *homepage=* ]] || fail "that there is no homepage is not said"

publisher set "maintainer=Ann O'Nymous & Co <ann@host.test>" homepage=https://host.test/s3svm downloads=https://host.test/files/
[ "$(publisher)" = "maintainer=Ann O'Nymous & Co <ann@host.test>
homepage=https://host.test/s3svm
downloads=https://host.test/files" ] || fail "it says: $(publisher)"
[ -z "$(publisher missing)" ] || fail "something is missing: $(publisher missing)"
for file in debian/control CITATION.cff pyproject.toml programs/web/package/package.json; do
    [ "$(grep -c 'https://host.test/s3svm' $file)" = 1 ] || fail "$file has not the homepage"
done
[ "$(grep -c "ann@host.test" debian/changelog)" = 1 ] || fail "older versions have another maintainer"
perl -MJSON::PP -e 'local $/; decode_json(<>)' programs/web/package/package.json || fail "package.json is no JSON"
# What uscan finds on a page of files: this version and older ones, and nothing else.
pattern=$(sed -n 's|^ https://host.test/files/||p' debian/watch)
for name in s3svm-1.0.0-rc.1.tar.xz s3svm-1.2.30.tar.xz; do
    NAME=$name PATTERN=$pattern perl -e 'exit $ENV{NAME} !~ /^$ENV{PATTERN}$/' || fail "$name is not found by debian/watch"
done
for name in s3svm-1.0.0-rc.1-site.tar.xz s3svm-1.0.0.tar.gz; do
    NAME=$name PATTERN=$pattern perl -e 'exit $ENV{NAME} =~ /^$ENV{PATTERN}$/' || fail "$name is found by debian/watch"
done

sed -i 's|^Homepage: .*|Homepage: https://other.test|' debian/control
! publisher check 2>said || fail "files that disagree pass"
grep -q "debian/control says 'https://other.test'" said || fail "it does not say which: $(cat said)"
rm said
publisher set homepage=https://host.test/two # mends it
for wrong in maintainer=nobody homepage=host.test 'downloads=https://a b' mail=a@b; do
    ! publisher set "$wrong" 2>/dev/null || fail "'$wrong' is taken"
done

publisher set "maintainer=$who" homepage= downloads=
diff -r . "$work.before" || fail "something is left"
echo "publisher: written, compared, taken out again"
