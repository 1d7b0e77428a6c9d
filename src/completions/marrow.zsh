#compdef marrow
# Completions of marrow for zsh. They ask the command itself: marrow __complete.
_marrow() {
    local line candidate kind='' prefix='' program=${(Q)words[1]}
    local -a before whole open
    program=${program/#\~\//$HOME/}
    before=("${(@Q)words[2,CURRENT-1]}")
    # The closing quote is missing while a word is typed.
    local last=${(Q)${:-$IPREFIX$QIPREFIX$PREFIX${QIPREFIX[-1]}}}
    for line in "${(@f)$("$program" __complete words "${before[@]}" "$last" 2>/dev/null)}"; do
        case $line in
        $'\t'*)
            kind=${${line#?}%%$'\t'*}
            prefix=${line#?*$'\t'}
            ;;
        ?*)
            candidate=${${${line%%$'\t'*}//\\/\\\\}//:/\\:}
            [[ $line == *$'\t' ]] || candidate+=:${line#*$'\t'}
            if [[ ${line%%$'\t'*} == *[=:@] ]]; then open+=("$candidate"); else whole+=("$candidate"); fi
            ;;
        esac
    done
    local found=1
    (( $#whole )) && _describe -t values marrow whole && found=0
    (( $#open )) && _describe -t values marrow open -S '' && found=0
    if [[ -n $kind ]]; then
        [[ -z $prefix ]] || compset -P "${(b)prefix}"
        if [[ $kind == file ]]; then _files && found=0; else _path_files -/ && found=0; fi
    fi
    return $found
}
if [[ ${funcstack[1]} == _marrow ]]; then _marrow "$@"; else compdef _marrow marrow; fi
