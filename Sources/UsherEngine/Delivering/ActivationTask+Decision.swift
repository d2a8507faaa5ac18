public import UsherActivation
internal import UsherResolution
internal import UsherScene
internal import UsherText

extension ActivationTask {
    /// The values of a decision that handlers are given.
    init(_ decision: Decision, delivery: String, nonce: String, payload: [UInt8]) {
        let request = decision.payloadRequest.request
        self.init(
            delivery: delivery, nonce: nonce, app: decision.resolution.app ?? "", action: decision.action,
            reason: decision.resolution.reason)
        terminal = decision.resolution.configuration.value.terminal
        if decision.payloadRequest.press?.again == .terminal { terminal.detached = .open }
        scene = decision.scene?.name
        session = decision.session?.id
        handle = decision.session?.handle
        handleServer = decision.session?.handleServer
        // A window that is only to come forward, and is launched again for that, shows what it showed.
        target = decision.payloadRequest.isFocusAlone ? decision.session?.target?.text : request.target?.text
        resolved = decision.resolution.resolved?.text
        title = decision.payloadRequest.title
        subtitle = decision.payloadRequest.subtitle
        body = decision.payloadRequest.body
        url = decision.resolution.page ?? request.page
        shortcutType = request.shortcutType
        activityType = request.activityType
        isActivity = decision.payloadRequest.activity != nil
        notificationAction = decision.payloadRequest.press?.id
        self.payload = payload
        // Why there is no window: the handler for deleted content is given the reason, too.
        error = decision.resolution.failure.map { ActivationFailure($0.code, $0.message, help: $0.help) }
    }
}

extension Decision {
    /// What would be done, step by step, in words. Runs nothing.
    public func plan(with activator: Activator) -> [String] {
        if policy == .rate, let note = notes.last { return ["nothing: \(note.message)"] }
        var task = ActivationTask(self, delivery: "{delivery}", nonce: "", payload: [])
        task.session = task.session ?? "{session}"
        var steps: [ActivationStep] = []
        if isOutdated, let upgrade = continuation?.upgrade { steps.append(.run(upgrade, verb: "upgrade")) }
        switch action {
        case .launch:
            guard let launch = scene?.launch else {
                guard let scene, let rule = scene.focus?.rule else { return ["nothing: the scene has no launch"] }
                let absence = activator.absence(of: scene.name, rule, held: HeldWindows())
                return ["nothing: \(absence.message)\(absence.help.map { " (\($0))" } ?? "")"]
            }
            steps.append(.launch(launch))
            steps += telling(isShown: launch.carriesTarget)
        case .focus where payloadRequest.terminal != nil: return ["bring the terminal forward, read it back"]
        case .focus:
            do throws(ActivationFailure) {
                task = try activator.settled(task, scene?.focus)
            } catch {
                let isGone = error.code == .windowGone
                return [
                    isGone ? "\(error.message): it is decided again, without this window" : "refused: \(error.message)"
                ]
            }
            steps.append(.focus(scene?.focus))
            steps += telling(isShown: false)
        case .notify:
            return ["show a notification; a click on it is decided anew"]
        case .openWeb: return activator.plan(task, .open(pageOpener))
        case .background, .none:
            if let command { steps.append(.run(command, verb: verb)) }
            if resolution.failure != nil, let didFail = continuation?.didFail { steps.append(.show(didFail)) }
        }
        return steps.flatMap { activator.plan(task, $0) }
    }

    /// The steps that make an existing window show the target.
    ///
    /// - Parameter isShown: it was launched with the target.
    private func telling(isShown: Bool) -> [ActivationStep] {
        var steps: [ActivationStep] = []
        if let first = continuation?.willContinue { steps.append(.show(first)) }
        if let handler = continuation?.continue {
            steps.append(.show(handler))
        } else if !isShown, let show {
            steps.append(.show(show))
        }
        return steps
    }
}
