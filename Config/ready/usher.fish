# fish tells Usher which directory its terminal shows, and the terminal as well (OSC 7).
#
# To install: ln -s /path/to/Config/ready/usher.fish ~/.config/fish/conf.d/usher.fish; usher-shows stays beside the file
# that the link leads to, or is in PATH
#
# The directory's address, file:///…, is then what the window prefers: `usher open file:///home/me/code` comes to the
# terminal that is there. Told in the background, at a prompt, and only when it has changed.

if status is-interactive; and not set -q __usher_tool
    set -g __usher_tool (dirname (realpath (status filename)))/usher-shows
    test -x $__usher_tool; or set -g __usher_tool usher-shows
    # A terminal that is opened from this one inherits the session, and is another window: it has another tty. One that
    # Usher did not launch is found by the process that its window belongs to.
    set -q USHER_TTY; or set -gx USHER_TTY (tty)
    set -g __usher_tty (tty)

    function __usher_prompt --on-event fish_prompt
        set -l address file://(string escape --style=url -- $PWD)
        if test "$address" != "$__usher_seen"
            set -g __usher_seen $address
            # fish itself does so in some terminals.
            printf '\e]7;%s\e\\' (string replace file:// file://$hostname $address)
        end
        set -l shown
        set -l place
        if set -q USHER_SESSION; and test "$USHER_TTY" = "$__usher_tty"
            set -l folder $HOME/.cache
            set -q XDG_RUNTIME_DIR; and set folder $XDG_RUNTIME_DIR
            # Another program in this window may have told something meanwhile; what was told last may be on its way.
            test -r $folder/usher/ready/$USHER_SESSION; and read shown <$folder/usher/ready/$USHER_SESSION
        else
            set shown $__usher_told
            set place --process $fish_pid
        end
        test "$shown" = "$address"; and test "$__usher_told" = "$address"; and return
        set -g __usher_told $address
        set -l type desktop.terminal.visit
        set -q USHER_TERMINAL_TYPE; and set type $USHER_TERMINAL_TYPE
        $__usher_tool $place --order (date +%s%6N) --type $type --title (prompt_pwd) $address (string trim --right --chars=/ $address)/ &
        disown
    end
end
