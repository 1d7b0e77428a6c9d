# Completions of marrow for fish. They ask the command itself: marrow __complete.
function __marrow_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l last
    for quote in '' \' \" # one may be open
        set last (string unescape -- "$token$quote")
        and break
    end
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -e words[1]
    for line in ($program __complete words $words "$last" 2>/dev/null)
        set -l parts (string split -m 2 \t -- $line)
        if test -n "$parts[1]"
            printf '%s\n' $line
            continue
        end
        set -l rest (string sub -s (math 1 + (string length -- "$parts[3]")) -- "$last")
        set rest (string replace -r '^\\\\~' '~' -- (string escape -n -- "$rest"))
        # fish completes files after a command without a name.
        for name in (complete -C "'' $rest")
            if test "$parts[2]" = file; or string match -q '*/' -- $name
                printf '%s%s\n' "$parts[3]" $name
            end
        end
    end
end
complete -c marrow -f -a '(__marrow_complete)'
