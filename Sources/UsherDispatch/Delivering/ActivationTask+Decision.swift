public import UsherActivation
internal import UsherResolution
internal import UsherScene

extension ActivationTask {
    /// What handlers are told about a decision.
    init(_ decision: Decision, delivery: String, nonce: String, payload: [UInt8]) {
        let request = decision.inquiry.request
        self.init(
            delivery: delivery, nonce: nonce, app: decision.resolution.app ?? "", action: decision.action,
            reason: decision.resolution.reason)
        scene = decision.scene?.name
        session = decision.session?.id
        handle = decision.session?.handle
        handleServer = decision.session?.handleServer
        target = request.target?.text
        resolved = decision.resolution.resolved?.text
        title = decision.inquiry.title
        subtitle = decision.inquiry.subtitle
        body = decision.inquiry.body
        if case .openWeb(let page) = decision.resolution.verdict { url = page } else { url = request.page }
        shortcutType = request.shortcutType
        activityType = request.activityType
        self.payload = payload
    }
}

extension Decision {
    /// What would be done, step by step, in words. Runs nothing.
    public func plan(with activator: Activator) -> [String] {
        var task = ActivationTask(self, delivery: "{delivery}", nonce: "", payload: [])
        task.session = task.session ?? "{session}"
        var steps: [ActivationStep] = []
        switch action {
        case .launch:
            guard let launch = scene?.launch else { return ["nothing: the scene has no launch"] }
            steps.append(.launch(launch))
            if !launch.carriesTarget, let show = scene?.show, task.target != nil { steps.append(.show(show)) }
        case .focus:
            steps.append(.focus(scene?.focus))
            if let show = scene?.show, task.target != nil { steps.append(.show(show)) }
        case .openWeb, .background, .notify, .none:
            if let command { steps.append(.run(command, verb: verb)) }
        }
        return steps.flatMap { activator.plan(task, $0) }
    }
}
