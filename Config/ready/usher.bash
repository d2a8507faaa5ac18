# bash tells Usher which directory its terminal shows, and the terminal as well (OSC 7).
#
# To install: source /path/to/Config/ready/usher.bash        in ~/.bashrc; usher-shows stays beside it, or is in PATH
#
# The directory's address, file:///…, is then what the window prefers: `usher open file:///home/me/code` comes to the
# terminal that is there. Told in the background, at a prompt, and only when it has changed.

if [[ $- == *i* && -z ${__usher_tool-} ]]; then
    __usher_tool=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/usher-shows
    [[ -x $__usher_tool ]] || __usher_tool=usher-shows
    # A terminal that is opened from this one inherits the session, and is another window: it has another tty. One that
    # Usher did not launch is found by the process that its window belongs to.
    : "${USHER_TTY:=$(tty)}"
    export USHER_TTY

    # Bytes that stand for something in an address are escaped (RFC 3986, 2.1).
    __usher_address() {
        local LC_ALL=C path=$1 byte place
        REPLY=file://
        for ((place = 0; place < ${#path}; place++)); do
            byte=${path:place:1}
            case $byte in
            [a-zA-Z0-9/._~-]) REPLY+=$byte ;;
            # Some versions give a byte a sign.
            *) printf -v byte %d "'$byte" && printf -v byte '%%%02X' $((byte & 255)) && REPLY+=$byte ;;
            esac
        done
    }

    __usher_prompt() {
        local status=$? REPLY shown='' order place=()
        __usher_address "$PWD"
        if [[ $REPLY != "${__usher_seen-}" ]]; then
            __usher_seen=$REPLY
            printf '\e]7;%s\e\\' "${REPLY/#file:\/\//file://${HOSTNAME}}"
        fi
        if [[ -n ${USHER_SESSION-} && $USHER_TTY == "$(tty)" ]]; then
            # Another program in this window may have told something meanwhile; what was told last may be on its way.
            IFS= read -r shown 2>/dev/null <"${XDG_RUNTIME_DIR:-$HOME/.cache}/usher/ready/$USHER_SESSION"
        else
            shown=${__usher_told-} place=(--process $$)
        fi
        if [[ $shown != "$REPLY" || $REPLY != "${__usher_told-}" ]]; then
            __usher_told=$REPLY
            order=${EPOCHREALTIME//[!0-9]/}
            ("$__usher_tool" "${place[@]}" --order "$order" --type "${USHER_TERMINAL_TYPE-desktop.terminal.visit}" \
                --title "${PWD/#$HOME/\~}" "$REPLY" "${REPLY%/}/" &)
        fi
        return "$status"
    }
    PROMPT_COMMAND="__usher_prompt${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
fi
