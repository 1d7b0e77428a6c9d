# Completions of marrow for bash. They ask the command itself: marrow __complete.
_marrow() {
    local line kind='' prefix program=${1/#\~\//$HOME/}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        $'\t'*) kind=${line#?} ;;
        ?*) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done <<<"$("$program" __complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)"
    [[ ${COMPREPLY[0]-} != *[=:@] ]] || compopt -o nospace
    [ -n "$kind" ] || return 0
    prefix=${kind#*$'\t'}
    kind=${kind%%$'\t'*}
    if [ -n "${COMPREPLY[0]-}$prefix" ]; then
        line=$(compgen -P "$prefix" -A "$kind" -- "${2#"$prefix"}") || return 0
        while IFS= read -r line; do COMPREPLY+=("$line"); done <<<"$line"
        compopt -o filenames
    elif [ "$kind" = file ]; then
        compopt -o default
    else
        compopt -o dirnames
    fi
}
complete -F _marrow marrow
