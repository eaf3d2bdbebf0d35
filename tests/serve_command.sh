#!/usr/bin/env bash
# serve_command.sh - the command line of s3svm serve, and a first request by curl.  S3SVM names the command.
# shellcheck source=tests/check.sh
. "$(dirname "$0")/check.sh"

run 0 help serve
has out "Usage: s3svm serve [options]"
has out "--host ADDR"
run 2 serve --port 65536
run 2 serve --prot 1
has err "did you mean"
run 2 serve photographs
has err "unexpected argument 'photographs'"

if "$s3svm" version | grep -q 'built without libmicrohttpd'; then
    run 1 serve --port 0
    has err "built without libmicrohttpd, which the page needs (Debian: libmicrohttpd-dev)"
    finish
    exit
fi

# what cannot be served is said
run 1 serve --port 0 --data no-such-folder
has err "no-such-folder"
mkdir empty
run 1 serve --port 0 --data empty
has err "has no photographs, neither in it nor in a folder images"
holds "nothing is made in it" test -z "$(ls -A empty)"
run 1 serve --port 0 -m no-such-model
has err "no-such-model"
run 1 serve --port 0 -m denoise
has err "task"
run 1 serve --port 0 --host no.such.name.invalid
has err "--host no.such.name.invalid"

command -v curl >/dev/null || { echo "no curl"; finish; exit; }

# serve ARGUMENTS...: starts it on a free port; its line lands in address.
serve()
{
    rm -f address
    mkfifo line
    "$s3svm" serve --port 0 "$@" >line 2>err </dev/null &
    server=$!
    read -r address <line
    rm line
}

# end CODE: ends it by SIGTERM, and it returns CODE.
end()
{
    kill -TERM "$server"
    wait "$server"
    code=$?
    holds "it ends with $1, not $code" test "$code" = "$1"
}

serve
holds "'$address' is an address" grep -qxE 'http://127\.0\.0\.1:[0-9]+/' <<<"$address"
holds "the page" curl -sSf "$address" -o out
has out "<!doctype html>"
curl -sS "${address}api/pictures" -H 'X-S3SVM: 1' -H 'Content-Type: image/jpeg' \
    --data-binary "@$SOURCE_DIR/docs/segmentation/images/toy.jpg" >out
is width 640
curl -sS "${address}api/pictures" --data-binary '{"example": "fruit"}' -H 'Content-Type: application/json' >out
has out '"code": "mark"'
port=${address##*:}
run 1 serve --port "${port%/}"
has err "is in use: --port names another one"
end 0

# a model of one's own is the one to begin with
serve -m segment-amn
curl -sS "${address}api/state" >out
has out '"name": "model"'
is method '"model"'
end 0

# others need the token
serve --host 0.0.0.0
holds "'$address' has a token" grep -qE '/\?token=[0-9a-f]{32}$' <<<"$address"
port=$(sed 's/.*:\([0-9]*\)\/.*/\1/' <<<"$address")
curl -sS "http://127.0.0.1:$port/" >out
has out '"code": "token"'
end 0
finish
