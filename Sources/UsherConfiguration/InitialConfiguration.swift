/// The first configuration, as `usher init` writes it: works as it is, and says how to go on.
public enum InitialConfiguration {
    public struct File: Sendable {
        /// Relative to the configuration folder.
        public let path: String
        public let text: String
    }

    /// In the order in which they are read.
    public static let files = [
        File(path: "usher.toml", text: settings),
        File(path: "apps/first.toml", text: manifest),
    ]

    private static let settings = """
        # Settings for all apps. Lines that begin with # are examples and have no effect.
        # TCP stays closed until you remove the # of [server] and of listen.

        # [limits]
        # disconnected-sessions = 100     # windows an app had that are remembered
        # disconnected-days = 30          # and for how long

        # [log]
        # level = "notice"                # debug, info, notice, warning, error
        # format = "json"                 # or "text"; else text on a terminal, JSON elsewhere

        # [server]                        # the daemon, usherd
        # listen = ["127.0.0.1:8484"]     # TCP, closed unless asked for; the Unix socket is always there
        # token-file = "token"            # bearer tokens for it, one a line

        """

    private static let manifest = #"""
        # A first app: a window for each page of one site. Try it, in tmux:
        #
        #     usher check                                          is everything right?
        #     usher explain https://first.example/pages/hello      which window, and why?
        #     usher open https://first.example/pages/hello         open it
        #     echo '{"aps":{"alert":"Hi","target-content-id":"https://first.example/pages/hello"}}' | usher dispatch
        #
        # The second time, the window that is open comes forward instead.

        id = "example.first"                    # names the app; a push's apns-topic
        name = "First"
        domains = ["first.example"]             # identifiers under this host are this app's

        [targets]                               # what identifiers look like
        page = "https://first.example/pages/{page}"

        # A page is shown in a window of its own: a new one opens for a page that no window shows.
        [[scenes]]
        name = "page"
        target = "page"                         # the template above; $PAGE may be used in can and prefers
        can = 'SELF == $TARGET'                 # a window can show the page it was opened for,
        prefers = 'SELF == $TARGET'             # and is the best window for it
        # A command is a list, never a shell's line. The text of a sender is an argument of its own, and what is printed
        # of it cannot move the cursor. Put your program here: ["my-program", "--", "{target}"]
        launch = { tmux = ["sh", "-c", """printf '%s' "$1" | LC_ALL=C tr -c '[:print:]' '?'; read -r _""", "--", "{target}"] }
        # Without tmux, a program of its own: launch = { exec = ["my-program", "--", "{target}"] }

        [[shortcuts]]
        type = "say-hello"
        title = "Say Hello"
        target-content-id = "https://first.example/pages/hello"

        # What `usher check` proves: with these windows open, this target leads to that scene.
        [[expect]]
        target = "https://first.example/pages/hello"
        open = []
        scene = "page"
        reason = "default"

        [[expect]]
        target = "https://first.example/pages/hello"
        open = [{ scene = "page", target = "https://first.example/pages/hello" }]
        scene = "page"
        reason = "prefers"

        """#
}
