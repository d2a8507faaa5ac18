internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// What a notification says of a session that waits, or whose turn is over.
struct AgentNotice {
    /// What is shown of a request at most, in characters.
    static let longest = 1000

    /// The hook that is told the answer.
    struct Waiting {
        var wait: AnswerWait
        var finished: @Sendable (DecisionRecord.Answer) -> Void
    }

    private var body: String
    /// The same for the journal: prompts and requests are not stored.
    private var storedBody: String
    /// Which buttons it has beside a click; nil: none.
    private var category: String?

    /// nil where nothing is to be shown.
    ///
    /// - Parameters:
    ///   - before: the session before what was reported.
    ///   - isAwaited: whether a hook waits for the answer.
    init?(
        of report: AgentReport, before: AgentSession?, at now: Int64, by settings: AgentSettings, isAwaited: Bool
    ) {
        let isSame = before?.state == report.state && before?.kind == report.kind
        switch report.state {
        case .waiting:
            // A notification of the agent tells of the same request once more, without its tool.
            let isNew = !isSame || isAwaited || report.tool != nil && !report.request.isEmpty
            guard settings.notify.contains(.waiting), isNew else { return nil }
            let shown = settings.show == .request ? report.request.joined(separator: "\n") : ""
            let text = [report.tool, shown.isEmpty ? nil : shown].compactMap(\.self).joined(separator: ": ")
            storedBody = report.kind == .permission ? "asks for permission" : "asks a question"
            body = text.isEmpty ? storedBody : text
            // What is not shown whole is not allowed: a long name is cut, and a request may be one that Usher cannot read.
            let isWhole =
                settings.show == .request && !report.request.isEmpty
                && report.tool.map { $0.utf8.count < Self.longest } ?? !shown.isEmpty
                && body.unicodeScalars.count <= Self.longest
            if isAwaited { category = isWhole ? App.agentPermission : App.agentDenial }
        case .done:
            guard settings.notify.contains(.done), !isSame, !report.isSeen, let turn = before?.turn,
                now - turn >= Int64(settings.doneAfter) * 1000
            else { return nil }
            (storedBody, body) = ("is done", "is done")
        case .working, .ended: return nil
        }
        body = Printable.text(body, limit: Self.longest, keeping: "\n")
    }

    /// Shows it in the place of the session's last one. Returns its delivery; nil where none is shown.
    ///
    /// - Parameter former: the delivery of what it replaces, which is taken away if this one is not shown.
    func show(
        of agent: AgentSession, in context: OperationContext, _ waiting: Waiting?, insteadOf former: String?
    ) throws(ControlError) -> String? {
        // What the journal has may be shown later, and is not the whole request.
        let stored = category == App.agentPermission ? App.agentDenial : category
        let input = Array(payload(of: agent, storedBody, stored).text().utf8)
        var reader = PayloadReader()
        let whole = Array(payload(of: agent, body, category).text().utf8)
        let reading = Result { () throws(PayloadError) in try reader.read(whole) }
        var arrival = Arrival(reading, input: input, source: DeliverySource.agent, started: MonotonicClock.now)
        arrival.app = App.agentsID
        arrival.wait = waiting?.wait
        arrival.events.left = { waiting?.finished(.notShown) }
        arrival.events.finished = { [withdraw = context.withdraw] record in
            let isShown =
                record.answer.map { $0 != .notShown } ?? (record.action == .notify && record.outcome != .failed)
            // It has not taken the place of an older one.
            if !isShown, let former { withdraw(former) }
            waiting?.finished(record.answer ?? .notShown)
        }
        do throws(ControlError) {
            if context.notifies(), let delivery = try context.accept(arrival) { return delivery }
        } catch {
            if let former { context.withdraw(former) }
            throw error
        }
        if let former { context.withdraw(former) }
        return nil
    }

    private func payload(of agent: AgentSession, _ body: String, _ category: String?) -> JSONValue {
        let target = "\(App.agentsScheme):\(agent.id)"
        var aps: [JSONValue.Member] = [
            .init("alert", ["title": .string(agent.name), "body": .string(body)]),
            .init("target-content-id", .string(target)),
        ]
        if let category { aps.append(.init("category", .string(category))) }
        return ["aps": .object(aps)]
    }
}
