internal import UsherActivation
internal import UsherEngine
internal import UsherScene
internal import UsherText

/// Shortcut items as lines for dmenu, rofi and their like, which give the chosen line back.
struct ShortcutMenu {
    enum Item {
        /// Declared or dynamic, and the name of its app.
        case listed(String, ShortcutAnswer)
        case desktop(DesktopShortcut)
    }

    /// Each line once, in order.
    let lines: [(text: String, item: Item)]

    init(_ items: [Item]) {
        let named = items.map { (text: Self.text(of: $0), item: $0) }
        let counts = Dictionary(named.map { ($0.text, 1) }, uniquingKeysWith: +)
        lines = named.map { line in
            // Lines with the same text are distinguished by their types.
            (counts[line.text] == 1 ? line.text : "\(line.text) [\(Self.type(of: line.item))]", line.item)
        }
    }

    /// What a chosen line means.
    func item(_ chosen: String) -> Item? {
        lines.first { $0.text.hasSameBytes(as: chosen) }?.item
    }

    private static func text(of item: Item) -> String {
        switch item {
        case .listed(let app, let shortcut):
            let subtitle = shortcut.localizedSubtitle.map { " – \($0)" } ?? ""
            return Printable.escaped("\(shortcut.localizedTitle)\(subtitle) (\(app))")
        case .desktop(let shortcut):
            return Printable.escaped("\(shortcut.action.name) (\(shortcut.entry.name))")
        }
    }

    private static func type(of item: Item) -> String {
        switch item {
        case .listed(_, let shortcut): Printable.escaped("\(shortcut.app) \(shortcut.type)")
        case .desktop(let shortcut): Printable.escaped("\(shortcut.app.id) \(shortcut.type)")
        }
    }
}
