public import UsherActivation
internal import UsherText

/// A window system of a browser's pages: it starts no program, takes no keys and has no window on its way.
public protocol PageWindowSystem: WindowSystem {}

extension PageWindowSystem {
    public var isOfBrowsers: Bool { true }

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
