#!/bin/sh
# Run a command that is silent for long, and say every 10 seconds that it still runs:
#   announced.sh "checking types" mypy
work=$1
shift
started=$(date +%s)
(while sleep 10 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    printf 'wheatstone: %s: %d s\n' "$work" $(($(date +%s) - started)) >&2
done) &
ticker=$!
trap 'kill $ticker 2>/dev/null' EXIT
"$@"
