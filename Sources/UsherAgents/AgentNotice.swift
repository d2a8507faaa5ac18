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
            body = text.isEmpty ? (report.kind == .permission ? "asks for permission" : "asks a question") : text
            // What is not shown whole is not allowed: a long name is cut.
            let isWhole =
                settings.show == .request && report.tool.map { $0.utf8.count < Self.longest } ?? !shown.isEmpty
                && body.unicodeScalars.count <= Self.longest
            if isAwaited { category = isWhole ? App.agentPermission : App.agentDenial }
        case .done:
            guard settings.notify.contains(.done), !isSame, !report.isSeen, let turn = before?.turn,
                now - turn >= Int64(settings.doneAfter) * 1000
            else { return nil }
            body = "is done"
        case .working, .ended: return nil
        }
        body = Printable.text(body, limit: Self.longest, keeping: "\n")
    }

    /// Shows it in the place of the session's last one. Returns its delivery; nil where none is shown.
    ///
    /// The journal gets it without its body: prompts and requests are not stored.
    ///
    /// - Parameter former: the delivery of what it replaces.
    func show(
        of agent: AgentSession, in context: OperationContext, _ waiting: Waiting?, insteadOf former: String?
    ) throws(ControlError) -> String? {
        guard context.notifies() else { return nil }
        let input = Array(payload(of: agent, body: nil).text().utf8)
        var reader = PayloadReader()
        let whole = Array(payload(of: agent, body: body).text().utf8)
        let reading = Result { () throws(PayloadError) in try reader.read(whole) }
        var arrival = Arrival(reading, input: input, source: DeliverySource.agent, started: MonotonicClock.now)
        arrival.app = App.agentsID
        if let waiting {
            arrival.wait = waiting.wait
            arrival.events.left = { waiting.finished(.notShown) }
            arrival.events.finished = { [withdraw = context.withdraw] record in
                let answer = record.answer ?? .notShown
                // It has not taken the place of an older one.
                if answer == .notShown, let former { withdraw(former) }
                waiting.finished(answer)
            }
        }
        return try context.accept(arrival)
    }

    private func payload(of agent: AgentSession, body: String?) -> JSONValue {
        let target = "\(App.agentsScheme):\(agent.id)"
        var alert: [JSONValue.Member] = [.init("title", .string(agent.name))]
        if let body { alert.append(.init("body", .string(body))) }
        var aps: [JSONValue.Member] = [
            .init("alert", .object(alert)), .init("target-content-id", .string(target)),
        ]
        if let category { aps.append(.init("category", .string(category))) }
        return ["aps": .object(aps)]
    }
}
