#!/bin/sh
# Make the pictures of README and docs anew. Every picture carries all settings that it was made with,
# so it is rendered from itself; those with panels are played by the scripts in docs/scripts.
set -eu

program=${WHEATSTONE:-.venv/bin/wheatstone}
at=docs/images

for name in canny disparity edges hysteresis invert mean ncc pair reasons wipe slow-motion bare-wall brushes basket; do
    $program render $at/$name.png --out $at/$name.png
done
$program render $at/cloud.png --size 960x600 --out $at/cloud.png
$program figure $at/figure.png --no-tables --out $at/figure.png
for name in probe race start menus; do
    $program render sgm --variant cpu --script docs/scripts/$name.txt --out $at/$name.png
done
lesson=$(mktemp -d) # one step, at its question
$program lesson mean --step 5 --out "$lesson/mean"
cp "$lesson/mean/step-05.png" $at/lesson.png
rm -r "$lesson"
for name in workbench kernels; do # of CUDA variants
    if $program render sgm --variant fast --scene-size 64x48 --values "${TMPDIR:-/tmp}/gpu.npy" 2>/dev/null; then
        $program render sgm --script docs/scripts/$name.txt --out $at/$name.png
    else
        echo "$at/$name.png needs an NVIDIA GPU: left as it is" >&2
    fi
done
if command -v chromium >/dev/null; then
    "$(dirname "$program")/python" -m tests.served_pictures $at
else
    echo "$at/serve.png and $at/serve-phone.png need Chromium: left as they are" >&2
fi
