internal import UsherJSON
public import UsherScene
internal import UsherSystem

extension Activator {
    /// Opens a web page that no window shows. The program gets the page in `USHER_OPEN_WEB`.
    ///
    /// A program that still runs after `launch-grace` has succeeded: it may have become the browser.
    public func open(_ task: ActivationTask, _ opener: PageOpener) -> ActivationReport {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        do throws(ActivationFailure) {
            switch try resolved(opener) {
            case .exec(let command):
                return startAndWatch(
                    task, command, verb: Action.openWeb.rawValue, ready: nil, grace: LaunchHandler.defaultGrace)
            case .desktop(let command, let action):
                let handler = LaunchHandler(method: .desktop(action: action), command: command)
                return startApplication(task, handler, verb: Action.openWeb.rawValue).report
            case .system: return ActivationReport(.noBrowser)
            }
        } catch {
            return ActivationReport(error)
        }
    }

    /// What would open the page, in words.
    func line(_ task: ActivationTask, _ opener: PageOpener) throws(ActivationFailure) -> String {
        switch try resolved(opener) {
        case .exec(let command): return "run \(try summary(task, command))"
        case .desktop(let command, let action): return try entrySummary(task, command, action)
        case .system: throw .noBrowser
        }
    }

    /// The opener itself, or what stands for the system's: the browser that was the handler before
    /// `usher link-handler install`, else `xdg-open`, unless that is not there or would ask Usher again.
    private func resolved(_ opener: PageOpener) throws(ActivationFailure) -> PageOpener {
        guard case .system = opener else { return opener }
        let place = SourceLocation(path: "built-in", line: 1, column: 1)
        if let browser = savedBrowser, applications?.isInstalled(entry: browser) != false {
            return .desktop(Command(arguments: [browser, "{url}"], location: place), action: nil)
        }
        let command = Command(arguments: ["xdg-open", "{url}"], location: place)
        if isHandlerOfLinks || !programs.isInstalled(command.arguments[0]) { throw .noBrowser }
        return .exec(command)
    }

    /// The desktop entry of the browser that `usher link-handler install` has replaced.
    private var savedBrowser: String? {
        guard let stateDirectory,
            let bytes = FileSystem.contents(of: stateDirectory + "/link-handler.json", limit: 65_536),
            let saved = try? JSONValue(parsing: bytes), let browser = saved["browser"]?.string, !browser.isEmpty
        else { return nil }
        return browser
    }

    /// Whether the desktop gives web links to Usher (`mimeapps.list`, the MIME Applications specification).
    private var isHandlerOfLinks: Bool {
        func value(_ name: String) -> String? { environment.base.first { $0.name == name }?.value }
        guard let folder = value("XDG_CONFIG_HOME") ?? value("HOME").map({ $0 + "/.config" }),
            let bytes = FileSystem.contents(of: folder + "/mimeapps.list", limit: 1 << 20)
        else { return false }
        var isInDefaults = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.first == UInt8(ascii: "[") { isInDefaults = line.starts(with: "[Default Applications]".utf8) }
            guard isInDefaults, line.starts(with: "x-scheme-handler/https=".utf8) else { continue }
            return line.dropFirst("x-scheme-handler/https=".utf8.count).starts(with: "usher-link-handler.desktop".utf8)
        }
        return false
    }
}

/// The web pages that a process was opened for.
public enum OpenedPages {
    /// Of a program that opens a page: the page.
    public static let variable = "USHER_OPEN_WEB"

    /// Those of a process and of the processes that it descends from.
    public static func pages(above process: Int32) -> [String] {
        var pages: [String] = []
        for ancestor in ProcessTable.lineage(of: process) {
            guard let page = ProcessTable.value(of: variable, in: ancestor), !pages.contains(page) else { continue }
            pages.append(page)
        }
        return pages
    }
}

extension ActivationFailure {
    static let noBrowser = ActivationFailure(
        .webNoBrowser, "no browser is known that could open the page",
        help: "name one in usher.toml: [browser] open = { exec = [\"firefox\", \"{url}\"] }; or run "
            + "usher link-handler install --browser ENTRY.desktop")
}
