internal import UsherActivation
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherSystem
internal import UsherText

/// `usher scene pick`: point at a window, get the lines of a manifest that mean it.
enum ScenePickCommand {
    private static let seconds = Option("seconds", "N", "how long to wait for it (30)")
    private static let format = Option(
        "format", oneOf: ["toml", "json"], "lines for a manifest, or the window; toml on a terminal, else json")

    static let description = CommandDescription(
        "scene pick", "point at a window: prints the `focus` of a manifest that matches it",
        options: [seconds, format],
        discussion: [
            "On X11 the next click chooses the window, and Escape none; on sway the next window that takes the keyboard is",
            "meant. Says when other windows are the same by these lines. They go into the file of an app, apps/NAME.toml,",
            "into the [[scenes]] whose windows they are to describe.",
        ],
        examples: [
            .init("usher scene pick", "lines for a manifest, to go on from"),
            .init("usher scene pick --format toml >>mail.toml", "at the end of a manifest"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        var limit = 30
        if let text = arguments.value(seconds) {
            guard let number = Int(text), (1...3600).contains(number) else {
                throw .usage("--seconds \(text) is not a number from 1 to 3600")
            }
            limit = number
        }
        let desktop = context.windowSystems(context.environment).1
        guard desktop.isAvailable else {
            throw .usage(
                "there is no desktop here whose windows could be pointed at",
                help: "DISPLAY or SWAYSOCK say where it is")
        }
        context.errors.note("point at a window")
        let found: WindowList.Window?
        let all: WindowList
        do throws(ActivationFailure) {
            found = try desktop.pick(until: Deadline(inMilliseconds: limit * 1000))
            all = (try? desktop.windows()) ?? WindowList(server: nil, windows: [])
        } catch {
            throw .usage(error.message, help: error.help)
        }
        guard let window = found else {
            context.errors.note("no window was chosen")
            return .finding
        }
        if arguments.value(format) ?? (context.writesJSON ? "json" : "toml") == "json" {
            context.output.write(WindowsAnswer.value(window).text() + "\n")
            if arguments.value(format) == nil, !context.asksForJSON {
                context.errors.note("this is JSON: --format toml writes lines for a manifest")
            }
        } else {
            let alike = all.windows.filter { $0.handle != window.handle && isAlike($0, window) }
            let owner = SceneWindowsCommand.owners(context)[window.handle]
            context.output.write(manifest(of: window, alike: alike, owner: owner))
            context.errors.note(
                "these lines go to the end of an app's manifest, \(folder(context))/NAME.toml; into a scene that it has, the "
                    + "`focus` alone")
        }
        return .handled
    }

    /// Where manifests are.
    private static func folder(_ context: Context) -> String {
        ((try? context.configurationPath()) ?? "~/.config/usher") + "/apps"
    }

    private static func isAlike(_ one: WindowList.Window, _ other: WindowList.Window) -> Bool {
        one.windowClass == other.windowClass && one.instance == other.instance && one.appID == other.appID
    }

    private static func manifest(of window: WindowList.Window, alike: [WindowList.Window], owner: String?) -> String {
        var rules: [String] = []
        if let id = window.appID {
            rules.append("app-id = \(pattern(id))")
        } else {
            if let name = window.windowClass { rules.append("class = \(pattern(name))") }
            if let name = window.instance, name != window.windowClass { rules.append("instance = \(pattern(name))") }
        }
        let hasTwins = !alike.isEmpty
        if hasTwins || rules.isEmpty { rules.append("title = \(pattern(window.title))") }
        var text = "# \(TerminalText.escape(window.title)) (\(window.handle))\n"
        if let owner {
            text += "# it is the window of the session \(TerminalText.escape(owner)) already: usher scene list\n"
        }
        let same = alike.count { $0.title == window.title }
        if same > 0 {
            text +=
                "# \(same) more look the same by these lines: usher scene connect --handle tells Usher which is which\n"
        } else if hasTwins {
            text += "# \(alike.count) more of this class: the title tells them apart, as long as it stays\n"
        }
        return text + "[[scenes]]\nname = \"main\"\nfocus = { \(rules.joined(separator: ", ")) }\n"
    }

    /// As a TOML string in which nothing stands for anything else.
    private static func pattern(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "*", "?": quoted += "\\\\"
            case "\\": quoted += "\\\\\\"
            case "\"": quoted += "\\"
            default: break
            }
            if scalar.value < 0x20 || scalar.value == 0x7F {
                quoted += "?"
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
