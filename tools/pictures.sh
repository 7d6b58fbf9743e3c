#!/bin/sh
# Render the pictures of README and docs again. Every picture file contains the settings that it was rendered
# with, so it is rendered from itself; pictures with panels are made by the scripts in docs/scripts.
set -eu

program=${WHEATSTONE:-.venv/bin/wheatstone}
at=$PWD/docs/images # the last step changes the folder
made=$(mktemp -d) # so that no output replaces its input
trap 'rm -r "$made"' EXIT

for name in canny disparity edges hysteresis invert mean ncc pair reasons wipe slow-motion bare-wall brushes basket; do
    $program render $at/$name.png --out "$made/$name.png"
done
$program render $at/cloud.png --size 960x600 --out "$made/cloud.png"
$program figure $at/figure.png --no-tables --out "$made/figure.png"
for name in probe race start menus; do
    $program render sgm --variant cpu --script docs/scripts/$name.txt --out $at/$name.png
done
$program lesson mean --step 5 --out "$made/mean" # one step, at its question
mv "$made/mean/step-05.png" "$made/lesson.png"
mv "$made"/*.png $at/
for name in workbench kernels; do # of CUDA variants
    if $program render sgm --variant fast --scene-size 64x48 --values "${TMPDIR:-/tmp}/gpu.npy" 2>/dev/null; then
        $program render sgm --script docs/scripts/$name.txt --out $at/$name.png
    else
        echo "$at/$name.png needs an NVIDIA GPU: not changed" >&2
    fi
done
if command -v chromium >/dev/null; then
    "$(dirname "$program")/python" -m tests.served_pictures $at
else
    echo "$at/serve.png and $at/serve-phone.png need Chromium: not changed" >&2
fi
