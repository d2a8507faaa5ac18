/// Scripts that complete command lines. They ask `usher completion SHELL LINE`, whose first line says whether names of files
/// are meant, too: `files` or `words`. A candidate a line follows.
enum CompletionScript {
    /// bash replaces only what stands behind the last `:` or `=` of a word.
    static let bash = """
        # bash completion for usher; written by `usher completion bash`.
        _usher() {
            local IFS=$'\\n' line=${COMP_LINE:0:COMP_POINT} part=${COMP_WORDS[COMP_CWORD]} answer before=
            [[ $line ]] || line="${COMP_WORDS[*]:0:COMP_CWORD+1}"
            mapfile -t answer < <(usher completion bash "$line" 2>/dev/null)
            local word=${line##*[[:space:]]} breaks=${COMP_WORDBREAKS//[!:=]/}
            [[ $breaks && $word == *[$breaks]* ]] && before=${word%"${word##*[$breaks]}"}
            COMPREPLY=("${answer[@]:1}")
            COMPREPLY=("${COMPREPLY[@]#"$before"}")
            [[ ${answer[0]} == files ]] || return 0
            compopt -o filenames -o default 2>/dev/null
            [[ $part == [:=] ]] && part=
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$part")
        }
        complete -F _usher usher

        """

    static let zsh = """
        #compdef usher
        # zsh completion for usher; written by `usher completion zsh`.
        _usher() {
            local -a answer values
            answer=("${(@f)$(usher completion zsh "${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null)}")
            values=("${(@)answer[2,-1]}")
            if [[ $PREFIX == --*=* ]]; then
                IPREFIX+=${PREFIX%%=*}=
                PREFIX=${PREFIX#*=}
            fi
            local missed=1
            (( $#values )) && _describe value values && missed=0
            [[ $answer[1] == files ]] && _files && missed=0
            return missed
        }
        if [[ $funcstack[1] == _usher ]]; then _usher "$@"; else compdef _usher usher; fi

        """

    static let fish = """
        # fish completion for usher; written by `usher completion fish`.
        function __usher_complete
            set -l answer (usher completion fish (commandline -cp | string collect) 2>/dev/null)
            set -l kind $answer[1]
            set -e answer[1]
            for value in $answer
                echo $value
            end
            if test "$kind" = files
                set -l word (commandline -ct)
                set -l before (string match -r -- '^--[^=]*=' $word)
                for path in (__fish_complete_path (string replace -- "$before" '' $word))
                    echo "$before$path"
                end
            end
        end
        complete -c usher -f -a '(__usher_complete)'

        """
}
