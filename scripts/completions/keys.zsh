#!/usr/bin/env zsh
# Types lines, and a key that completes them, into an interactive shell, and compares what they become.
#
#   keys.zsh bash|bash-completion|zsh|zsh-fpath      scripts/check_completions.sh calls it
#
# bash: the script is sourced. bash-completion: that package finds it, as after `make install`. zsh: the
# script is sourced. zsh-fpath: compinit finds it in a folder of $fpath.
zmodload zsh/zpty
emulate -R zsh
integer faults=0 count=0
round=$1

# Sends text, then waits for what a command or a key prints at the end.
send() {
    local text
    zpty -w shell "$1"
    zpty -r shell text '*READY*' || { print -u2 "completions: $round: the shell ended"; exit 1 }
}

case $round in
bash*)
    zpty shell bash --norc --noprofile -i
    send 'PS1=; set +H; bind "set bell-style none"; show() { printf "\n<<%s>>\n" "$READLINE_LINE"; READLINE_LINE=; }
        bind -x "\"\C-x\C-p\": show"; echo READ''"Y"'
    ;;
zsh*)
    zpty shell zsh -f -i
    send 'PS1= RPS1=; unsetopt beep; show() { zle -I; print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show
        bindkey -e; bindkey "^X^P" show
        every() { _main_complete; compstate[insert]=all }; zle -C every complete-word every
        bindkey "^[*" every; echo READ''"Y"'
    ;;
esac
case $round in
bash) send 'source <(marrow completions bash); echo READ''"Y"' ;;
bash-completion)
    send 'to=$HOME/.local/share/bash-completion/completions; mkdir -p $to
        marrow completions bash >$to/marrow; . /usr/share/bash-completion/bash_completion; echo READ''"Y"'
    ;;
zsh) send 'autoload -Uz compinit; compinit -D; source <(marrow completions zsh); echo READ''"Y"' ;;
zsh-fpath)
    send 'mkdir -p $HOME/site; marrow completions zsh >$HOME/site/_marrow
        fpath=($HOME/site $fpath); autoload -Uz compinit; compinit -D; echo READ''"Y"'
    ;;
esac

# try KEY LINE EXPECTED: Ctrl-X Ctrl-P prints the line and empties it, once the key is done. No key here
# means anything to a terminal that waits for whole lines, as it may until the next line begins.
try() {
    local text
    zpty -n -w shell "$2$1"$'\C-x\C-p'
    zpty -r shell text '*<<*>>*' || { print -u2 "completions: $round: the shell ended"; exit 1 }
    text=${${text##*<<}%%>>*}
    # The order of all candidates is the shell's own.
    local -a sorted=(${(o)=text})
    [[ $1 != $every ]] || text="$sorted"
    (( ++count ))
    if [[ $text != "$3" ]]; then
        print -ru2 -- "completions: $round: '$2' became '$text', expected '$3'"
        (( ++faults ))
    fi
}
tab=$'\t' every=$'\e*'

try $tab 'marrow ren' 'marrow render '
try $tab 'true; marrow ren' 'true; marrow render '
try $tab 'marrow render --shadi' 'marrow render --shading '
try $tab 'marrow render --shading=fl' 'marrow render --shading=flat '
try $tab 'marrow render --shading ma' 'marrow render --shading matcap:'
try $tab 'marrow render --shading=matcap:pl' 'marrow render --shading=matcap:plain.gltf '
try $tab 'marrow render --no-lab' 'marrow render --no-labels '
try $tab 'marrow render --aov depth,norm' 'marrow render --aov depth,normal '
try $tab 'marrow render demo:fi' 'marrow render demo:figure '
try $tab 'marrow render demo:figure --clip Wav' 'marrow render demo:figure --clip Wave '
try $tab 'marrow help anim' 'marrow help animations-and-video '
try $tab 'marrow test --report pla' 'marrow test --report pla' # a file is not a folder
try $tab 'marrow render --output=pla' 'marrow render --output=plain.gltf '
try $tab 'marrow render pla' 'marrow render plain.gltf '
try $tab 'marrow render ~/mo' 'marrow render ~/model.gltf '
try $tab 'marrow render ~/model.gltf --clip pl' 'marrow render ~/model.gltf --clip plain '
try $tab 'marrow render -- --sh' 'marrow render -- --sh'
try $every 'marrow render --tonemap ' '--tonemap aces marrow neutral none render'
try $tab 'marrow render a\ m' 'marrow render a\ model.gltf '
try $tab 'marrow render "a m' 'marrow render "a model.gltf" '
try $tab 'marrow render a\ model.gltf --clip Z' 'marrow render a\ model.gltf --clip Zoë\'\''s\ \"Walk\" '
try $tab "marrow render 'a model.gltf' --clip '\$" "marrow render 'a model.gltf' --clip '\$un & go' "
# zsh quotes the whole word anew
quoted="'\$un & go'"
[[ $round != zsh* ]] || quoted='\$un\ \&\ go'
try $tab "marrow render 'a model.gltf' --clip='\$" "marrow render 'a model.gltf' --clip=$quoted "
try $tab "marrow render 'a model.gltf' --clip \\\$" "marrow render 'a model.gltf' --clip \\\$un\\ \\&\\ go "
try $tab 'marrow render "a model.gltf" --clip "Zo' 'marrow render "a model.gltf" --clip "Zoë'\''s \"Walk\"" '
zpty -d shell
print "completions: $round: $count lines, $faults wrong"
exit $(( faults > 0 ))
