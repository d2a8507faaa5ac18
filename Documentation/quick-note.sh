#!/usr/bin/env bash
# Quick Note, on Linux: the story of the talk in tmux panes that stand for Safari, Maps and Notes.
# usage: Documentation/quick-note.sh [PATH-TO-USHER]
#
# Everything lies in a folder of its own, with a tmux server of its own: no root, no network, nothing of yours is touched. Each
# step says what it does and looks whether that happened; the first that did not ends the script, with what was seen instead.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
program=$(realpath "${1-$here/../.build/release/usher}")

work=$(mktemp -d "${TMPDIR:-/tmp}/quick-note.XXXXXX")
cp -r "$here/quick-note" "$work/config"
mkdir "$work/bin" "$work/home"
ln -s "$program" "$work/bin/usher"
export HOME=$work/home PATH=$work/bin:$PATH TMUX_TMPDIR=$work NO_COLOR=1 TERM=xterm
export USHER_CONFIG=$work/config USHER_STATE=$work/state EDITOR=$work/config/bin/editor
unset TMUX VISUAL

stop() {
    tmux kill-server 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap stop EXIT

# Saying and looking

step() {
    printf '\n== %s\n' "$*"
}

# Runs a command as somebody at a terminal would, and shows what it says. Sets `status`.
run() {
    local line
    line=$(printf ' %q' "$@")
    echo "\$${line}"
    status=0
    script -qec "stty -echo; $line" /dev/null </dev/null >"$work/said" 2>&1 || status=$?
    tr -d '\r\004\b' <"$work/said" | sed 's/^^D//; s/^/    /'
}

fail() {
    {
        echo "FAILED  $1"
        echo "seen:"
        sed 's/^/    /' <<<"$2"
    } >&2
    exit 1
}

# Ends the script, unless the text has these words in it.
sees() {
    [[ "$2" == *"$3"* ]] || fail "$1: there should be \"$3\"" "$2"
    echo "    ok: $1"
}

# The same of what a pane shows, which may take a moment.
shows() {
    local text
    for _ in $(seq 300); do
        text=$(tmux capture-pane -p -J -t "$2")
        [[ "$text" == *"$3"* ]] && break
        sleep 0.1
    done
    sees "$1" "$text" "$3"
}

# The pane that somebody who sits there has before their eyes, and in their hands.
in_front() {
    tmux list-clients -F '#{pane_id}'
}

# Types an address into a pane, as its user does, and waits until it is there.
visit() {
    tmux select-pane -t "$1"
    tmux send-keys -t "$1" -l "$2"
    tmux send-keys -t "$1" Enter
    shows "${2##*/} is shown" "$1" "$2"
    shows "and the window told Usher" "$1" "(ready)"
}

lake=https://maps.demo.example/places/mono-lake
ghost_town=https://maps.demo.example/places/bodie
park=https://parks.demo.example/mono-lake

step "A desk: a browser, a map, and a line for suggestions; somebody looks at it"
tmux -f /dev/null new-session -d -s desk -x 120 -y 40 "$USHER_CONFIG/bin/browser" \; set -g remain-on-exit failed
browser=$(tmux list-panes -t desk -F '#{pane_id}')
maps=$(tmux split-window -h -t "$browser" -P -F '#{pane_id}' "$USHER_CONFIG/bin/maps")
bar=$(tmux split-window -v -f -l 6 -t "$browser" -P -F '#{pane_id}' "usher link suggest --watch")
tmux select-pane -t "$browser" -T Browser
script -qfec 'stty rows 40 columns 120; tmux attach -t desk' /dev/null >/dev/null 2>&1 </dev/null &
shows "the browser is there" "$browser" "(ready)"
shows "the map is there" "$maps" "(ready)"
run usher scene list
sees "Usher knows both windows" "$(usher scene list | tr -d '\n')" '"session":"maps"'

step "Browse: a page about a lake"
visit "$browser" "$park"
run usher activity list
sees "it is what the user does now" "$(usher activity list)" "$park"

step "Make a note about the page"
run usher note "Photograph the tufa towers"
note=$(usher note show current --json | sed -n 's/.*"target":"usher-note:\([0-9a-f-]*\)".*/\1/p' | head -1)
sees "the page is a link of the note" "$(usher note show current --json)" "$park"

step "Go on in Maps, and add what is shown there, twice"
visit "$maps" "$lake"
run usher link add --note current --from-current
link=$(usher link add --note current --from-current)
sees "the place is a link of the note, too" "$(usher note show current --json)" "$lake"
visit "$maps" "$ghost_town"
other=$(usher link add --note current --from-current)
sees "and a second place" "$(usher note show current --json)" "$ghost_town"
run usher note done
run usher note show "$note"

step "Leave: something else is shown everywhere"
visit "$maps" https://maps.demo.example/places/lee-vining
visit "$browser" https://parks.demo.example/yosemite
tmux send-keys -R -t "$bar" \; clear-history -t "$bar"

step "Come back: the note is suggested"
visit "$browser" "$park"
shows "the line for suggestions speaks of the note" "$bar" "Photograph the tufa towers"
run usher link suggest

step "Open the note"
run usher note open "$note"
notes=$(in_front)
shows "it is in the editor, in front" "$notes" "Photograph the tufa towers"
[[ "$notes" != "$browser" && "$notes" != "$maps" ]] || fail "notes has a pane of its own" "$notes"

step "Open the link in it: the map, not the browser, and the lake, not the village"
run usher link open "$link"
sees "the map is in front" "$(in_front)" "$maps"
shows "it shows the lake" "$maps" "$lake"

step "The place moves: the link still leads to it"
run usher content moved "$lake" https://maps.demo.example/places/mono-basin --reason "places were renamed"
visit "$maps" https://maps.demo.example/places/lee-vining
tmux select-pane -t "$browser"
run usher link open "$link"
sees "the map is in front" "$(in_front)" "$maps"
shows "it shows the place under its new name" "$maps" https://maps.demo.example/places/mono-basin
run usher explain "$lake"
sees "explain shows the hop" "$(usher explain --json "$lake")" "mono-basin"

step "Whoever comes to the new place gets the suggestion of the old one"
run usher link suggest --target https://maps.demo.example/places/mono-basin
sees "it is the same note" "$(usher link suggest --target https://maps.demo.example/places/mono-basin --json)" "$note"

step "The place is deleted: an error, and no wrong window"
run usher content deleted "$lake" --reason "the basin is closed"
tmux select-pane -t "$browser"
run usher link open "$link"
[ "$status" -eq 1 ] || fail "a deleted place ends with status 1" "$status"
said=$(usher link open "$link" --json || true)
sees "the record says that it was deleted" "$said" '"reason":"content-deleted"'
sees "when and why" "$said" "the basin is closed"
sees "the app's handler told the user" "$said" '"verb":"content-deleted"'
sees "nothing else came to the front" "$(in_front)" "$browser"

step "Maps is uninstalled: the web page of the other place"
tmux send-keys -t "$maps" Enter
for _ in $(seq 300); do
    [[ "$(usher scene list)" == *'"session":"maps"'* ]] || break
    sleep 0.1
done
rm "$USHER_CONFIG/bin/maps"
run usher link open "$other"
said=$(usher link open "$other" --json 2>/dev/null)
sees "the web page stands in" "$said" '"reason":"web-fallback"'
shows "it is in the browser" "$browser" https://parks.demo.example/bodie

printf '\nquick note: every step did what it says\n'
