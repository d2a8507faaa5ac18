internal import UsherScene
internal import UsherText

extension Logger {
    /// Logs what was decided for a delivery, and what came of it: one line of the event `decision`, with the same members for each
    /// source. The level is error if the record has an error.
    public func log(_ record: DecisionRecord) {
        let level: LogLevel? = record.error == nil ? nil : .error
        guard takes(.decision, at: level) else { return }
        log(
            .decision, at: level,
            [
                "delivery.id": .text(record.id), "sender.id": .text(record.senderID), "source": .text(record.source),
                "hook": .text(record.hook), "app": .text(record.app), "scene": .text(record.scene),
                "session": .text(record.session), "target": .text(record.target),
                "action": .text(record.action.rawValue), "reason": .text(record.reason.rawValue),
                "policy": .text(record.policy?.rawValue), "outcome": .text(record.outcome.rawValue),
                "rule": .text(record.rule?.description),
                "latency.decide_us": .number(record.decideTime?.microseconds),
                "latency.act_us": .number(record.actTime?.microseconds), "error.code": .text(record.error?.code.code),
                "error.name": .text(record.error?.code.name), "error.message": .text(record.error?.message),
            ])
    }
}

extension LogValue {
    fileprivate static func text(_ value: String?) -> LogValue { value.map(LogValue.text) ?? .null }
    fileprivate static func number(_ value: Int64?) -> LogValue { value.map(LogValue.number) ?? .null }
}
