public import UsherScene
internal import UsherText

extension WindowRule {
    /// How a window differs from it, for messages: `class` is "XTerm", not "Xterm".
    public func difference(from window: WindowList.Window) -> String {
        let unlike = unlike(window).map { name, pattern, value in
            let found = value.map { "is \"\(Printable.text($0, limit: 60))\"" } ?? "is not known"
            return "`\(name)` \(found), not \"\(Printable.text(pattern.text, limit: 60))\""
        }
        return unlike.isEmpty
            ? "it is a browser's own, and no `browser` or `tab` is given" : unlike.joined(separator: ", ")
    }

    /// The keys that would describe a window, as they are written in a manifest: `class = "XTerm"`. nil where something else
    /// differs, such as a title, which may change.
    func correction(for window: WindowList.Window) -> String? {
        let lasting = ["class", "instance", "app-id"]
        var unlike = unlike(window)
        // A window of Wayland has its app id instead of class and instance.
        let absent = unlike.filter { $0.value == nil && ($0.name == "class" || $0.name == "instance") }
        if let appID = window.appID, let one = absent.first {
            unlike.removeAll { $0.name == "app-id" || absent.map(\.name).contains($0.name) }
            unlike.append(("app-id", one.pattern, appID))
        }
        guard !unlike.isEmpty, unlike.allSatisfy({ lasting.contains($0.name) && $0.value?.isEmpty == false }) else {
            return nil
        }
        return unlike.map { name, _, value in
            "\(name) = \"\(Printable.text(Self.literal(value ?? ""), limit: 200))\""
        }.joined(separator: ", ")
    }

    /// A text as a pattern in which nothing stands for anything else, as it is written between the quotes of a TOML string:
    /// the pattern's own characters are escaped in the pattern, and its backslashes again in TOML.
    package static func literal(_ text: String) -> String {
        var pattern = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "*", "?": pattern += "\\\\"
            case "\\": pattern += "\\\\\\"
            case "\"": pattern += "\\"
            default: break
            }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern
    }

    /// Of windows that are not meant the one that nearly is: what differs does so in case, or in a part.
    public func nearest(among windows: [WindowList.Window]) -> WindowList.Window? {
        windows.first { window in
            guard TmuxHandle(window.handle) == nil, (window.browser != nil) == isOfBrowsers else { return false }
            let unlike = unlike(window)
            return !unlike.isEmpty && unlike.allSatisfy { Self.isNear($0.pattern.text, $0.value) }
        }
    }

    private func unlike(_ window: WindowList.Window) -> [(name: String, pattern: Pattern, value: String?)] {
        let all: [(String, Pattern?, String?)] = [
            ("class", windowClass, window.windowClass), ("instance", instance, window.instance),
            ("app-id", appID, window.appID ?? window.windowClass), ("title", title, window.title),
            ("browser", browser, window.browser),
        ]
        var found: [(name: String, pattern: Pattern, value: String?)] = []
        for (name, pattern, value) in all {
            if let pattern, !pattern.matches(value) { found.append((name, pattern, value)) }
        }
        if let tab, !window.tabs.contains(where: { tab.matches($0.address) }) {
            found.append(("tab", tab, window.tabs.first(where: \.isActive)?.address))
        }
        return found
    }

    private static func isNear(_ pattern: String, _ value: String?) -> Bool {
        guard let value = value?.lowercased(), !value.isEmpty else { return false }
        let words = String(pattern.lowercased().filter { $0 != "*" })
        return !words.isEmpty && (value.contains(words) || words.contains(value))
    }
}
