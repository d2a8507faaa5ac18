internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherSystem
internal import UsherText

/// `remind`, `reminder` and `signal` commands, for every interface (socket, HTTP, command line).
struct ReminderOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// In bytes: a notification shows less.
    private static let longestText = 4096

    func remind(_ call: Remind) throws(ControlError) -> JSONValue {
        let now = Instant.now
        guard call.text.contains(where: { !$0.isWhitespace }) else {
            throw .argument("the text is empty", at: "/text", help: "it is what the notification says")
        }
        guard call.text.utf8.count <= Self.longestText, !call.text.utf8.contains(0) else {
            throw .argument(
                "the text has \(call.text.utf8.count) bytes, and may have \(Self.longestText), without NUL", at: "/text"
            )
        }
        let condition = try Self.condition(of: call, now: now)
        let link = try link()
        let made = try service.storing { () throws(StoreError) in
            try service.store.addReminder(call.text, when: condition, about: link)
        }
        service.remindersChanged?()
        return Self.answer(made)
    }

    func list() throws(ControlError) -> JSONValue {
        .array(try service.storing { () throws(StoreError) in try service.store.reminders() }.map(Self.answer))
    }

    func delete(_ call: ReminderDelete) throws(ControlError) -> JSONValue {
        let found = try service.storing { () throws(StoreError) in try service.store.deleteReminder(id: call.reminder) }
        guard let found else {
            throw ControlError(
                .reminderNoSuch, "there is no reminder \(QuotedText.text(call.reminder))", at: "/reminder",
                help: "usher reminder list shows what there is")
        }
        service.remindersChanged?()
        return Self.answer(found)
    }

    /// `{"signal","time"}`.
    func signal(_ call: NoteSignal) throws(ControlError) -> JSONValue {
        try Self.check(signal: call.signal, at: "/signal")
        let time = try call.at.map { text throws(ControlError) in try TimeArgument.instant(text, at: "/at") }
        let instant = time ?? Instant.now
        try service.storing { () throws(StoreError) in
            try service.store.note(signal: call.signal, at: instant.microseconds)
        }
        service.remindersChanged?()
        return ["signal": .string(call.signal), "time": .string(instant.text)]
    }

    // MARK: Parts

    private static func condition(
        of call: Remind, now: Instant
    ) throws(ControlError) -> Store.Reminder.Condition {
        let given = [call.at, call.delay, call.whenOpens, call.when].compactMap { $0 }
        guard given.count == 1 else {
            throw ControlError(
                .remindWhen,
                given.isEmpty ? "the reminder waits for nothing" : "the reminder waits for \(given.count) things",
                help: "give one of --at TIME, --in DURATION, --when-opens TARGET and --when SIGNAL")
        }
        if let text = call.at {
            let time = try TimeArgument.instant(text, at: "/at")
            guard time >= now else {
                throw ControlError(.remindPast, "\(time.text) has passed", at: "/at", help: "now is \(now.text)")
            }
            return .time(time.microseconds)
        }
        if let text = call.delay {
            return .time(try TimeArgument.instant(in: text, after: now, at: "/in").microseconds)
        }
        if let target = call.whenOpens {
            return .opening(
                try LinkSource.identifier(.targetContentIdentifier, target, at: "/when_opens").identifier.text)
        }
        try check(signal: call.when ?? "", at: "/when")
        return .signal(call.when ?? "")
    }

    static func check(signal name: String, at place: String) throws(ControlError) {
        let isName =
            !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            }
        guard isName else {
            throw ControlError(
                .signalName, "\(QuotedText.text(name)) is no name of a signal", at: place,
                help: "it is up to 64 letters from a to z, digits and hyphens: headphones, bluetooth, car, home, work")
        }
    }

    /// What the user looks at: the system's current activity, or a document that was in front later.
    private func link() throws(ControlError) -> Store.Reminder.Link {
        let current = try CurrentActivities(service)
        let activity = try current.system()
        if let document = try current.document(after: activity), let target = document.target {
            return Store.Reminder.Link(app: document.app, target: target.text)
        }
        return Store.Reminder.Link(
            app: activity?.app, target: activity?.subject, webpage: activity?.webpage, activity: activity?.id)
    }

    private static func answer(_ reminder: Store.Reminder) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        var (time, target, signal): (JSONValue, JSONValue, JSONValue) = (.null, .null, .null)
        switch reminder.condition {
        case .time(let value): time = .string(Instant(microseconds: value).text)
        case .opening(let value): target = .string(value)
        case .signal(let value): signal = .string(value)
        }
        return [
            "id": .string(reminder.id), "text": .string(reminder.text), "at": time, "when_opens": target,
            "when": signal, "target": text(reminder.link.target), "activity": text(reminder.link.activity),
            "state": .string(reminder.state.rawValue),
            "created": .string(Instant(microseconds: reminder.created).text),
        ]
    }
}
