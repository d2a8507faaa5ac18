public import UsherActivation
internal import UsherJSON
internal import UsherSystem
internal import UsherText

extension DevToolsWindowSystem {
    /// Turns to the tab that shows an address, and opens one in this window where there is none.
    public func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting {
        guard address.utf8.count <= BrowserMessage.addressLimit else {
            throw .browserAddress(address, "it is longer than \(BrowserMessage.addressLimit) bytes")
        }
        let (handle, server) = try handle(of: window)
        do throws(DevToolsProblem) {
            var connection = try connect(handle.address)
            let visit = try visit(handle, server, &connection)
            return try navigate(visit, to: address, &connection)
        } catch {
            if error.meansGone, server != nil { throw .windowGone(handle.text) }
            throw error.failure(handle.address)
        }
    }

    private func navigate(
        _ visit: Visit, to address: String, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> WindowSighting {
        let choice = TabChoice(showing: address, in: visit.pages)
        var seen: DevToolsLook.Page
        if let choice, choice.isExact {
            seen = choice.page
            if seen.sight?.isVisible != true { seen = try turn(to: seen, &connection) }
        } else {
            guard TabChoice.isWeb(address) else {
                throw .other(.browserAddress(address, "its scheme is neither http nor https"))
            }
            let target: String
            if let choice {
                target = choice.page.target
                // The same page, elsewhere on it.
                if choice.page.sight?.isVisible != true { _ = try turn(to: choice.page, &connection) }
                let session = connection.sessions[target]
                let call = DevToolsConnection.Call(
                    method: "Page.navigate", parameters: ["url": .string(address)], session: session)
                _ = try connection.call([call], within: limits.answer)
            } else {
                target = try open(address, visit, &connection)
            }
            try follow([target], &connection)
            seen = try settled(target, &connection) { page in
                guard page.sight?.isVisible == true, Self.hasBegun(page) else { return false }
                return choice == nil || Self.shows(page, address)
            }
            // A new tab goes where it is sent on to; a page that is there already was to move within itself.
            if choice != nil, seen.sight?.isVisible == true, !Self.shows(seen, address) {
                return visit.sighting(seen, .hidden(seen: "the page is at \(Printable.text(seen.address)) instead"))
            }
        }
        return visit.sighting(seen, view(of: seen))
    }

    private func view(of page: DevToolsLook.Page) -> WindowSighting.View {
        guard let sight = page.sight, sight.isVisible else { return .hidden(seen: unseen(page)) }
        guard Self.hasBegun(page) else { return .hidden(seen: "the page has not begun to load") }
        guard !sight.address.hasPrefix("chrome-error:") else {
            return .hidden(seen: "the browser could not load the page")
        }
        return .shown
    }

    private static func shows(_ page: DevToolsLook.Page, _ address: String) -> Bool {
        TabChoice(showing: address, in: [page])?.isExact == true
    }

    private static func hasBegun(_ page: DevToolsLook.Page) -> Bool {
        guard let address = page.sight?.address else { return false }
        return !address.isEmpty && !address.hasPrefix("about:")
    }

    /// A new tab of this window; its target.
    private func open(
        _ address: String, _ visit: Visit, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> String {
        if visit.look.windows.count == 1 {
            let answer = try connection.call("Target.createTarget", ["url": .string(address)])
            guard let target = answer["targetId"]?.string, DevToolsHandle.isName(target) else {
                throw .garbled("a new tab without a name")
            }
            return target
        }
        // The protocol opens tabs in the window it likes; a page opens them in its own.
        guard let page = visit.front ?? visit.pages.first, let session = connection.sessions[page.target] else {
            throw .refused("no page of the window answers")
        }
        let before = Set(visit.look.pages.map(\.target))
        try follow([page.target], &connection)
        let tree = try connection.ask(session, "Page.getFrameTree")
        guard let frame = tree["frameTree"]?["frame"]?["id"]?.string else { throw .garbled("a page without a frame") }
        let world = try connection.ask(
            session, "Page.createIsolatedWorld", ["frameId": .string(frame), "worldName": "usher-open"])
        guard let context = world["executionContextId"]?.int64 else { throw .garbled("a world without a number") }
        let words = JSONValue.string(address).text()
        _ = try connection.ask(
            session, "Runtime.evaluate",
            [
                "expression": .string("window.open(\(words), \"_blank\", \"noopener\"), 0"),
                "contextId": .number(String(context)), "userGesture": true,
            ])
        let deadline = Deadline(inMilliseconds: limits.seen)
        while true {
            let look = try DevToolsLook(&connection)
            if let new = look.pages(of: visit.handle.window).first(where: { !before.contains($0.target) }) {
                return new.target
            }
            guard try connection.wait(until: deadline) else { throw .refused("no tab was opened") }
        }
    }
}
