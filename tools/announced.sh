#!/bin/sh
# Run a command that prints nothing for a long time, and print every 10 seconds that it is running:
#   announced.sh "checking types" mypy
work=$1
shift
started=$(date +%s)
clear=""
if [ -t 2 ]; then clear=$(printf '\r\033[K'); fi # removes a progress bar from the line
(while sleep 10 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    printf '%swheatstone: %s, %d s so far\n' "$clear" "$work" $(($(date +%s) - started)) >&2
done) &
ticker=$!
trap 'kill $ticker 2>/dev/null' EXIT
"$@"
