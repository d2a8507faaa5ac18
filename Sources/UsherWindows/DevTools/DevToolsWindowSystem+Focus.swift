public import UsherActivation
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

extension DevToolsWindowSystem {
    /// The tab that shows the target comes to the front of its window, and the window to the front of the desktop.
    ///
    /// A browser that turns to another tab takes the keyboard along: with less than `focus` the tab in front stays.
    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let (handle, server) = try handle(of: request.window)
        do throws(DevToolsProblem) {
            var connection = try connect(handle.address)
            let visit = try visit(handle, server, &connection)
            return try focus(request, visit, &connection)
        } catch {
            if error.meansGone, server != nil { throw .windowGone(handle.text) }
            throw error.failure(handle.address)
        }
    }

    /// A window that is there.
    struct Visit {
        var handle: DevToolsHandle
        var browser: DevToolsBrowser
        var look: DevToolsLook

        var pages: [DevToolsLook.Page] { look.pages(of: handle.window) }
        var front: DevToolsLook.Page? { look.front(of: handle.window) }

        func sighting(_ page: DevToolsLook.Page?, _ view: WindowSighting.View) -> WindowSighting {
            WindowSighting(
                handle: handle.text, server: browser.server, title: page?.title, process: browser.process, view: view)
        }
    }

    func handle(of reference: WindowReference) throws(ActivationFailure) -> (DevToolsHandle, server: String?) {
        guard case .handle(let text, let server) = reference, let handle = DevToolsHandle(text) else {
            throw .windowSystem(
                name, "\(reference.words) is no window of a browser",
                help: "one is named like devtools:127.0.0.1:9222/3")
        }
        guard addresses.contains(handle.address) else {
            throw .windowSystem(
                name, "\(handle.address) is not among the addresses of [browser] devtools",
                help: "add it there, and start usherd anew")
        }
        return (handle, server)
    }

    func visit(
        _ handle: DevToolsHandle, _ server: String?, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> Visit {
        let browser = browser(connection, at: handle.address)
        guard server == nil || server == browser.server else { throw .other(.windowGone(handle.text)) }
        let visit = Visit(handle: handle, browser: browser, look: try DevToolsLook(&connection))
        guard !visit.pages.isEmpty, handle.tab == nil || visit.pages.contains(where: { $0.target == handle.tab }) else {
            throw .other(.windowGone(handle.text))
        }
        return visit
    }

    private func focus(
        _ request: FocusRequest, _ visit: Visit, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> WindowSighting {
        let prominence = request.policy.prominence
        let chosen = request.target.flatMap { TabChoice(showing: $0, in: visit.pages)?.page }
        let named = visit.handle.tab.flatMap { visit.look.page($0) }
        guard let page = named ?? chosen ?? visit.front ?? visit.pages.first else {
            throw .other(.windowGone(visit.handle.text))
        }
        if prominence == .none { return visit.sighting(visit.front, .untouched) }
        if let desktop { return try raise(page, visit, request, on: desktop, &connection) }
        guard prominence == .focus else {
            return visit.sighting(page, .hidden(seen: "only a desktop can raise or mark a window of a browser"))
        }
        if page.isMinimized {
            try connection.call(
                "Browser.setWindowBounds",
                [
                    "windowId": .number(String(visit.handle.window)),
                    "bounds": ["windowState": "normal"],
                ])
        }
        let seen = try turn(to: page, &connection) { $0.sight?.isFocused == true }
        guard seen.sight?.isVisible == true else { return visit.sighting(seen, .hidden(seen: unseen(seen))) }
        guard seen.sight?.isFocused == true else {
            return visit.sighting(seen, .hidden(seen: "the window did not get the keyboard"))
        }
        return visit.sighting(seen, .shown)
    }

    // MARK: - Tabs

    /// Has the browser turn to a tab; how it is seen then.
    ///
    /// - Parameter holds: what is waited for besides.
    func turn(
        to page: DevToolsLook.Page, _ connection: inout DevToolsConnection,
        until holds: (DevToolsLook.Page) -> Bool = { _ in true }
    ) throws(DevToolsProblem) -> DevToolsLook.Page {
        try follow([page.target], &connection)
        try connection.call("Target.activateTarget", ["targetId": .string(page.target)])
        return try settled(page.target, &connection) { $0.sight?.isVisible == true && holds($0) }
    }

    /// It is heard from now on when these pages change.
    func follow(_ targets: [String], _ connection: inout DevToolsConnection) throws(DevToolsProblem) {
        try connection.discover()
        try connection.attach(to: targets)
        try connection.report(targets)
    }

    /// A page as soon as it is as it is waited for, or as it is when that takes too long.
    func settled(
        _ target: String, _ connection: inout DevToolsConnection, until holds: (DevToolsLook.Page) -> Bool
    ) throws(DevToolsProblem) -> DevToolsLook.Page {
        let deadline = Deadline(inMilliseconds: limits.seen)
        while true {
            let look = try DevToolsLook(&connection)
            guard let page = look.page(target) else { throw .refused("the tab was closed meanwhile") }
            if holds(page) || deadline.isOver { return page }
            _ = try connection.wait(until: deadline)
        }
    }

    func unseen(_ page: DevToolsLook.Page) -> String {
        page.sight == nil ? "the page does not answer" : "another tab is in front"
    }
}
