public import UsherActivation
public import UsherScene
internal import UsherText

// What the windows of sessions show by the `content` of their scenes, read when it is needed: see `WindowContent`.

extension Activator {
    /// Notes in the evidence of a session what its window gives of its content.
    ///
    /// - Parameter others: targets that are right as well, beside that of the session.
    /// - Returns: why it is another one. What gives no target is not another one.
    public func readContent(
        of session: SceneSession, in configuration: Configuration, or others: [TargetContentIdentifier] = [],
        into evidence: inout SeenEvidence
    ) -> ActivationFailure? {
        guard let scene = configuration.app(id: session.app)?.scene(named: session.scene), !scene.content.isEmpty else {
            return nil
        }
        let target = content(of: session, scene, evidence)
        evidence.content = target?.text
        evidence.unknown.removeAll { $0 == .content }
        guard let target else {
            evidence.unknown.insert(.content, at: evidence.unknown.firstIndex(of: .window) ?? evidence.unknown.count)
            return nil
        }
        guard let own = session.target, target != own, !others.contains(target) else { return nil }
        return ActivationFailure(
            .seenOtherTarget, "the window shows \(Printable.text(target.text)), not \(Printable.text(own.text))")
    }

    private func content(
        of session: SceneSession, _ scene: SceneConfiguration, _ evidence: SeenEvidence
    ) -> TargetContentIdentifier? {
        let isPlace = VisitWatch.isPlace(session)
        let needsTitle = scene.content.contains { if case .title = $0.source { true } else { false } }
        guard let handle = session.handle else { return nil }
        var listed: WindowList.Window?
        if !isPlace || needsTitle, let list = try? windowSystem.windows() {
            let isProcess = ProcessHandle(handle) != nil
            listed = list.windows.first {
                isProcess ? $0.handle == evidence.window : $0.holds(handle, of: session.handleServer)
            }
        }
        guard isPlace else {
            return listed.flatMap { WindowContent($0, home: home).target(by: scene, app: session.app) }
        }
        guard let process = evidence.process?.pid else { return nil }
        var content = WindowContent(
            title: listed?.title ?? "", windowClass: listed.flatMap { $0.windowClass ?? $0.appID }, home: home)
        content.panes = [process]
        if ProcessHandle(handle) != nil { content.process = process }
        return content.target(by: scene, app: session.app)
    }
}

/// A window that the user opened, or a program in a terminal, which shows a target.
struct ShownContent: Sendable {
    var app: App
    var scene: SceneConfiguration
    var target: TargetContentIdentifier
    var handle: String
    var handleServer: String?
    var title: String?
}

extension Activator {
    /// The window, the pane or the program in a terminal whose content gives one of these targets; what is in front goes
    /// before the others. nil where nothing shows them.
    func content(
        showing targets: [TargetContentIdentifier], by scene: SceneConfiguration, of app: App
    ) -> ShownContent? {
        guard !scene.content.isEmpty, !targets.isEmpty, let list = try? windowSystem.windows() else { return nil }
        let front = list.windows.filter { $0.activation == .foregroundActive }
        for window in front + list.windows.filter({ $0.activation != .foregroundActive }) where window.browser == nil {
            func target(_ content: WindowContent) -> TargetContentIdentifier? {
                content.target(by: scene, app: app.id).flatMap { targets.contains($0) ? $0 : nil }
            }
            func shown(_ target: TargetContentIdentifier, in window: WindowList.Window) -> ShownContent {
                ShownContent(
                    app: app, scene: scene, target: target, handle: window.handle, handleServer: window.notedServer,
                    title: window.title.isEmpty ? nil : window.title)
            }
            if window.isOfTmux {
                if case .tmux(let session, _) = scene.focus?.method, session != window.group { continue }
                guard scene.readsTmux else { continue }
                for pane in window.parts.count > 1 ? window.parts.compactMap({ window.pane($0) }) : [window] {
                    if let found = target(WindowContent(pane, home: home)) { return shown(found, in: pane) }
                }
                continue
            }
            if let rule = scene.focus?.rule, !rule.matches(window) { continue }
            // Which of a terminal's windows and tabs has a program, only the program says.
            for program in window.process.map({ ProcessTable.foregrounds(ofTerminalsOf: $0) }) ?? [] {
                var content = WindowContent(title: "", windowClass: nil, home: home)
                content.process = program
                guard let found = target(content), let handle = ProcessHandle("process:\(program)")?.running else {
                    continue
                }
                // A window that is the scene's stays when the program ends.
                let isAlone = list.windows.count { $0.process == window.process } == 1
                if scene.focus?.rule != nil, isAlone, target(WindowContent(window, home: home)) != nil {
                    return shown(found, in: window)
                }
                return ShownContent(app: app, scene: scene, target: found, handle: handle.text)
            }
            if let found = target(WindowContent(window, home: home)) { return shown(found, in: window) }
        }
        return nil
    }
}
