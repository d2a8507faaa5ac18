internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// What a notification says of a session that waits, or whose turn is over.
struct AgentNotice {
    /// What is shown of a request at most, in characters.
    static let longest = 1000

    private var body: String

    /// nil where nothing is to be shown.
    ///
    /// - Parameter before: the session before what was reported.
    init?(of report: AgentReport, before: AgentSession?, at now: Int64, by settings: AgentSettings) {
        let isSame = before?.state == report.state && before?.kind == report.kind
        switch report.state {
        case .waiting:
            // A notification of the agent tells of the same request once more, without its tool.
            guard settings.notify.contains(.waiting), !isSame || report.tool != nil && !report.request.isEmpty else {
                return nil
            }
            let shown = settings.show == .request ? report.request.joined(separator: "\n") : ""
            let text = [report.tool, shown.isEmpty ? nil : shown].compactMap(\.self).joined(separator: ": ")
            body = text.isEmpty ? (report.kind == .permission ? "asks for permission" : "asks a question") : text
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
    func show(of agent: AgentSession, in context: OperationContext) throws(ControlError) -> String? {
        guard context.notifies() else { return nil }
        let input = Array(payload(of: agent, body: nil).text().utf8)
        var reader = PayloadReader()
        let whole = Array(payload(of: agent, body: body).text().utf8)
        let reading = Result { () throws(PayloadError) in try reader.read(whole) }
        var arrival = Arrival(reading, input: input, source: DeliverySource.agent, started: MonotonicClock.now)
        arrival.app = App.agentsID
        return try context.accept(arrival)
    }

    private func payload(of agent: AgentSession, body: String?) -> JSONValue {
        let target = "\(App.agentsScheme):\(agent.id)"
        var alert: [JSONValue.Member] = [.init("title", .string(agent.name))]
        if let body { alert.append(.init("body", .string(body))) }
        return [
            "headers": ["apns-collapse-id": .string(target)],
            "payload": ["aps": ["alert": .object(alert), "target-content-id": .string(target)]],
        ]
    }
}
