#!/usr/bin/env fish
# Asks fish for the completions of lines, and compares them: scripts/check_completions.sh calls it.
marrow completions fish | source
set faults 0
set count 0

# try LINE EXPECTED...: the candidates without their descriptions, in any order.
function try
    set count (math $count + 1)
    set found (complete -C $argv[1] | string replace -r '\t.*' '' | sort | string join ' / ')
    set expected (printf '%s\n' $argv[2..-1] | sort | string join ' / ')
    if test "$found" != "$expected"
        echo "completions: fish: '$argv[1]' became '$found', expected '$expected'" >&2
        set faults (math $faults + 1)
    end
end

try 'marrow ren' render
try 'true; marrow ren' render
try 'marrow render --shadi' --shading
try 'marrow render --shading=fl' --shading=flat
try 'marrow render --shading ma' matcap:
try 'marrow render --shading=matcap:pl' --shading=matcap:plain.gltf
try 'marrow render --no-lab' --no-labels
try 'marrow render --aov depth,norm' depth,normal
try 'marrow render demo:fi' demo:figure
try 'marrow render demo:figure --clip Wa' Walk Wave
try 'marrow help anim' animations-and-video
try 'marrow test --report d' 'dir one/'
try 'marrow test --report pla'
try 'marrow render --output=pla' --output=plain.gltf
try 'marrow render ~/mo' '~/model.gltf'
try 'marrow render ~/model.gltf --clip pl' plain
try 'marrow render -- --sh'
try 'marrow render --tonemap ' none aces neutral
try 'marrow render a\ m' 'a model.gltf'
try 'marrow render "a m' 'a model.gltf'
try 'marrow render a\ model.gltf --clip Z' 'Zoë\'s "Walk"'
try "marrow render 'a model.gltf' --clip '\$" '$un & go'
try 'marrow render "a model.gltf" --clip="Zo' '--clip=Zoë\'s "Walk"'
echo "completions: fish: $count lines, $faults wrong"
test $faults -eq 0
