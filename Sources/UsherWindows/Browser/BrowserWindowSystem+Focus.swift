public import UsherActivation
internal import UsherScene
internal import UsherSystem

extension BrowserWindowSystem {
    /// The tab that shows the target comes to the front of its window, and the window to the front of the desktop.
    ///
    /// `shown` means that the browser says so and the desktop, where there is one, says so too.
    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let place = try place(of: request.window)
        var wish = BrowserRequest(
            window: place.handle.window, tab: place.handle.tab, address: request.target, prominence: .raise,
            wait: limits.seen)
        if request.policy.prominence == .none {
            return sighting(place, title: place.window.front?.title, view: .untouched)
        }
        // The desktop knows better who may have the keyboard: with one, the browser only turns to the tab.
        if desktop == nil { wish.prominence = request.policy.prominence }
        let answer = try ask(place, wish)
        guard let desktop else { return sighting(place, answer, view: view(answer, request.policy)) }
        return try raise(place, answer, request, on: desktop)
    }

    /// Turns to the tab that shows an address, and opens one where there is none. The window stays where it is.
    public func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting {
        guard address.utf8.count <= BrowserMessage.addressLimit else {
            throw .browserAddress(address, "it is longer than \(BrowserMessage.addressLimit) bytes")
        }
        let place = try place(of: window)
        let answer = try ask(
            place,
            BrowserRequest(
                window: place.handle.window, address: address, opens: true, prominence: .raise, wait: limits.seen))
        guard answer.isActive else { return sighting(place, answer, view: .hidden(seen: "another tab is in front")) }
        guard answer.isLoaded else {
            return sighting(place, answer, view: .hidden(seen: "the page has not begun to load"))
        }
        return sighting(place, answer, view: .shown)
    }

    // MARK: - Asking

    struct Place {
        var token: UInt64
        var client: BrowserClient
        var handle: BrowserHandle
        var window: BrowserWindow
    }

    func place(of reference: WindowReference) throws(ActivationFailure) -> Place {
        guard case .handle(let text, let server) = reference, let handle = BrowserHandle(text) else {
            throw .windowSystem(
                name, "\(reference.text) is no window of a browser", help: "one is named like browser:firefox/3")
        }
        guard let (token, client) = hub.client(named: handle.client) else {
            // A browser that has ended took its windows with it.
            if let server, !BrowserClient.isAlive(server) { throw .windowGone(text) }
            throw .browserNotConnected(handle.client)
        }
        guard server == nil || server == client.server, let (window, _) = find(handle, in: client) else {
            throw .windowGone(text)
        }
        return Place(token: token, client: client, handle: handle, window: window)
    }

    func ask(_ place: Place, _ request: BrowserRequest) throws(ActivationFailure) -> BrowserAnswer {
        let limit = request.wait + limits.answer
        switch hub.ask(place.token, request, until: Deadline(inMilliseconds: limit)) {
        case .lost: throw .browserLost(place.handle.client)
        case .silence: throw .browserSilent(place.handle.client, milliseconds: limit)
        case .answer(let answer):
            switch answer.error {
            case nil: return answer
            case "gone": throw .windowGone(place.handle.text)
            case "address": throw .browserAddress(request.address ?? "", answer.message)
            default: throw .browserRefused(place.handle.client, answer.message)
            }
        }
    }

    // MARK: - What is seen

    private func view(_ answer: BrowserAnswer, _ policy: FocusPolicy) -> WindowSighting.View {
        guard answer.isActive else { return .hidden(seen: "another tab is in front") }
        switch policy.prominence {
        case .focus: return answer.isFocused ? .shown : .hidden(seen: "the window did not get the keyboard")
        // Without a desktop nobody can tell what is in front of it.
        case .raise: return answer.isFocused ? .shown : .hidden(seen: "only a desktop can raise a window of a browser")
        case .urgent, .none: return .shown
        }
    }

    func sighting(
        _ place: Place, _ answer: BrowserAnswer, view: WindowSighting.View
    ) -> WindowSighting {
        sighting(place, title: answer.title, view: view)
    }

    private func sighting(_ place: Place, title: String?, view: WindowSighting.View) -> WindowSighting {
        WindowSighting(
            handle: place.handle.text, server: place.client.server ?? "", title: title, process: place.client.process,
            view: view)
    }
}
