internal import UsherActivation
internal import UsherScene
internal import UsherSystem

extension DevToolsWindowSystem {
    /// Brings the desktop's own window forward, then turns to the tab, and looks again on both sides.
    func raise(
        _ page: DevToolsLook.Page, _ visit: Visit, _ request: FocusRequest, on desktop: any WindowSystem,
        _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> WindowSighting {
        let isWhole = request.policy.prominence == .focus
        do throws(ActivationFailure) {
            let (window, alike) = try desktopWindow(of: visit, on: desktop)
            guard let window else {
                let problem =
                    alike == 0 ? "\(desktop.name) has no window of it" : "\(alike) windows of it look the same"
                return visit.sighting(page, .hidden(seen: problem))
            }
            let reference = WindowReference.handle(window.handle, server: window.server)
            let sighting = try desktop.focus(
                FocusRequest(reference, policy: request.policy, token: request.token))
            var result = visit.sighting(page, sighting.view)
            result.sparedTyping = sighting.sparedTyping
            guard case .shown = sighting.view, !sighting.sparedTyping else { return result }
            let seen: DevToolsLook.Page
            do throws(DevToolsProblem) {
                seen = try isWhole ? turn(to: page, &connection) : see(page, &connection)
            } catch {
                throw error.failure(visit.handle.address)
            }
            if seen.sight?.isVisible != true, request.policy.prominence != .urgent || !page.isMinimized {
                return visit.sighting(seen, .hidden(seen: unseen(seen)))
            }
            result.title = seen.title
            // What the desktop saw before says nothing about now.
            if isWhole, try !isActive(window.handle, on: desktop) {
                result.view = .hidden(seen: "the window lost the keyboard")
            }
            return result
        } catch {
            throw .other(error)
        }
    }

    private func see(
        _ page: DevToolsLook.Page, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> DevToolsLook.Page {
        let look = try DevToolsLook(&connection)
        return look.page(page.target) ?? page
    }

    private func isActive(_ handle: String, on desktop: any WindowSystem) throws(ActivationFailure) -> Bool {
        let deadline = Deadline(inMilliseconds: limits.desktop)
        var list = try desktop.windows()
        while true {
            if list.windows.contains(where: { $0.handle == handle && $0.activation == .foregroundActive }) {
                return true
            }
            guard !deadline.isOver else { return false }
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }

    /// The desktop's window of the browser's process that has the title of the tab in front; else how many there may be.
    private func desktopWindow(
        of visit: Visit, on desktop: any WindowSystem
    ) throws(ActivationFailure) -> (WindowList.Window?, alike: Int) {
        guard let process = visit.browser.process else { return (nil, 0) }
        let titles = (visit.front.map { [$0] } ?? visit.pages).map(\.title)
        let deadline = Deadline(inMilliseconds: limits.desktop)
        var list = try desktop.windows()
        while true {
            let own = list.windows.filter { $0.process == process }
            // One window here and there: nothing can be mistaken.
            if own.count == 1, visit.look.windows.count == 1 { return (own[0], 1) }
            let alike = own.filter { window in
                titles.contains { BrowserWindowSystem.title(window.title, isOf: $0) }
            }
            if alike.count == 1 { return (alike[0], 1) }
            if !alike.isEmpty || deadline.isOver { return (nil, alike.isEmpty ? own.count : alike.count) }
            // The title follows the tab a moment later.
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }
}
