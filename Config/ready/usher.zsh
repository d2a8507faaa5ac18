# zsh tells Usher which directory its terminal shows, and the terminal as well (OSC 7).
#
# To install: source /path/to/Config/ready/usher.zsh         in ~/.zshrc; usher-shows stays beside it, or is in PATH
#
# The directory's address, file:///…, is then what the window prefers: `usher open file:///home/me/code` comes to the
# terminal that is there. Told in the background, at a prompt, and only when it has changed.

if [[ -o interactive && -z ${__usher_tool-} ]]; then
    __usher_tool=${${(%):-%x}:A:h}/usher-shows
    [[ -x $__usher_tool ]] || __usher_tool=usher-shows
    # A terminal that is opened from this one inherits the session, and is another window: it has another tty. One that
    # Usher did not launch is found by the process that its window belongs to.
    : ${USHER_TTY:=$TTY}
    export USHER_TTY
    zmodload zsh/datetime

    # Bytes that stand for something in an address are escaped (RFC 3986, 2.1).
    __usher_address() {
        emulate -L zsh
        setopt no_multibyte extended_glob
        REPLY=file://${1//(#m)[^a-zA-Z0-9\/._~-]/%${(l:2::0:)$(([##16]#MATCH))}}
    }

    __usher_prompt() {
        local REPLY shown='' order
        local -a place
        __usher_address $PWD
        if [[ $REPLY != ${__usher_seen-} ]]; then
            __usher_seen=$REPLY
            printf '\e]7;%s\e\\' file://$HOST${REPLY#file://}
        fi
        if [[ -n ${USHER_SESSION-} && $USHER_TTY == $TTY ]]; then
            # Another program in this window may have told something meanwhile; what was told last may be on its way.
            { IFS= read -r shown <${XDG_RUNTIME_DIR:-$HOME/.cache}/usher/ready/$USHER_SESSION } 2>/dev/null
        else
            shown=${__usher_told-} place=(--process $$)
        fi
        [[ $shown != $REPLY || $REPLY != ${__usher_told-} ]] || return 0
        __usher_told=$REPLY
        printf -v order '%.0f' $((EPOCHREALTIME * 1000000))
        $__usher_tool $place --order $order --type ${USHER_TERMINAL_TYPE-desktop.terminal.visit} --title ${(%):-%~} $REPLY ${REPLY%/}/ &!
    }
    autoload -Uz add-zsh-hook
    add-zsh-hook precmd __usher_prompt
fi
