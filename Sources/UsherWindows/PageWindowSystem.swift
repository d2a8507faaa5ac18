public import UsherActivation
internal import UsherText

/// A window system of a browser's pages: it starts no program, takes no keys and has no window on its way.
public protocol PageWindowSystem: WindowSystem {}

extension PageWindowSystem {
    public var isOfBrowsers: Bool { true }

    /// What browsers can do; `text` says which they are.
    func support(by text: String) -> WindowSupport {
        WindowSupport(
            "\(name) (\(text))",
            [
                .list: .yes, .focus: .yes, .verify: .yes, .watch: .yes,
                .launch: .no("programs open no windows in a browser: `show = { tab = … }` opens a tab"),
                .token: .no("browsers take none"),
            ])
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw .windowSystem(name, "no program runs in a browser's window", help: "launch the browser with exec")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw .windowSystem(name, "nothing is typed into a browser's window", help: "`show = { tab = … }` shows a page")
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "\(name): bring \(Printable.text(window.text)) forward, read it back"
        case .navigate(let window, let address):
            "\(name): show \(Printable.text(address)) in \(Printable.text(window.text)), read it back"
        case .launch, .type: "nothing: browsers only show pages"
        }
    }
}

/// The texts of handles of pages: `PREFIX:BROWSER/WINDOW`, a window, or `PREFIX:BROWSER/WINDOW/TAB`, a tab of it.
enum PageHandle {
    static func parts(of text: String, after prefix: String) -> (browser: Substring, window: Int64, tab: Substring?)? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        let parts = text.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let window = number(parts[1]) else { return nil }
        return (parts[0], window, parts.count == 3 ? parts[2] : nil)
    }

    /// As browsers write theirs: no sign, no zeros in front.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard let first = text.utf8.first, first &- 0x30 < 10, first != 0x30 || text.utf8.count == 1 else { return nil }
        return Int64(text)
    }
}
