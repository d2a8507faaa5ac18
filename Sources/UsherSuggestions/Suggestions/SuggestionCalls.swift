internal import UsherActivation
internal import UsherActivities
public import UsherEngine
internal import UsherJSON
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

public struct ContactImport: ContentCall {
    public var file = ""

    public init() {}
    public init(file: String) { self.file = file }

    public typealias Answer = ContactImportAnswer
    public static let name = "contact.import"
    public static let operation = Operation<Self>(
        "takes in the contacts of a file of vCards: 2.1, 3.0 and 4.0", .edit,
        [Field("file", \.file, "an absolute path")])

    /// Address books with a photo for each contact are large.
    private static let longestFile = 512 << 20

    public func perform(in context: OperationContext) throws(ControlError) -> ContactImportAnswer {
        guard self.file.utf8.first == UInt8(ascii: "/") else {
            throw .argument("file is no absolute path", at: "/file")
        }
        let bytes: [UInt8]
        do throws(FileSystem.Failure) {
            bytes = try FileSystem.read(self.file, limit: Self.longestFile)
        } catch {
            throw .argument("\(self.file) cannot be read: \(error.text)", at: "/file")
        }
        let file = ContactFile(vCards: bytes)
        let contacts = file.contacts.map { contact in
            Store.NewContact(
                uid: contact.uid, name: contact.name, document: contact.jsonText)
        }
        let settings = context.store.suggestionSettings
        let isOff = !settings.takesIn || !settings.includesContacts
        let counts =
            contacts.isEmpty || isOff
            ? (imported: 0, replaced: 0)
            : try context.storing(try context.store.importContacts(contacts))
        var answer = ContactImportAnswer()
        (answer.cards, answer.imported, answer.replaced) = (file.cards, counts.imported, counts.replaced)
        answer.skipped = file.skipped + (isOff ? contacts.count : 0)
        answer.errors = file.errors.map(ContactImportAnswer.Mistake.init)
        if isOff, !contacts.isEmpty {
            let switches = "`enabled`, `kinds` and `contacts` of [suggestions]"
            answer.warnings = ["contacts are off, and none is taken in: see \(switches)"]
        }
        return answer
    }
}

public struct ContactList: ContentCall {
    public init() {}

    public typealias Answer = [Contact]
    public static let name = "contact.list"
    public static let operation = Operation<Self>(
        "the contacts, by name", .read, [], http: [HTTPForm(.get, "/v1/contacts")])

    public func perform(in context: OperationContext) throws(ControlError) -> [Contact] {
        try context.storing(try context.store.contacts()).compactMap { Contact($0) }
    }
}

/// Something that a person did with an app, as the app donates it.
public struct Donation: RecordValue {
    public var app = ""
    public var intent = ""
    public var participants: [String] = []
    public var target: String?
    public var direction: String?
    public var outcome: String?
    public var activity: String?
    public var id: String?
    public var time: String?

    public init() {}

    public static let fields: [Field<Donation>] = [
        Field("app", \.app, "the app that it was done with"),
        Field("intent", \.intent, "what was done: sendMessage, startAudioCall and so on"),
        Field("participants", \.participants, "with whom: names, or `tel:` and `mailto:` addresses"),
        Field("target", \.target, "the identifier of the content"),
        Field("direction", \.direction, oneOf: ["outgoing", "incoming"], "who began it; outgoing if it is not given"),
        Field("outcome", \.outcome, oneOf: ["success", "failure"], "what came of it; success if it is not given"),
        Field("activity", \.activity, "the activity in which it was done, by its id, or `current`: the system's"),
        Field("id", \.id, "the donor's own: the same again is the same interaction"),
        Field("time", \.time, "when, by RFC 3339; now if it is not given"),
    ]
}

public struct InteractionDonate: ContentCall {
    public var interactions: [Donation] = []

    public init() {}
    public init(_ interactions: [Donation]) { self.interactions = interactions }

    public typealias Answer = [InteractionAnswer]
    public static let name = "interaction.donate"
    public static let operation = Operation<Self>(
        "takes in what people did with apps, all of it or nothing", .edit,
        [Field("interactions", \.interactions, "one or more", isRequired: true)],
        http: [
            HTTPForm(
                .post, "/v1/interactions", refusals: [404],
                examples: [
                    (
                        "message",
                        #"{"interactions":[{"app":"example.chat","intent":"sendMessage","participants":["Crusty"]}]}"#
                    )
                ])
        ])

    /// An element for each donation.
    public func perform(in context: OperationContext) throws(ControlError) -> [InteractionAnswer] {
        let now = Instant.now
        var interactions: [Store.StoredInteraction] = []
        var problems: [ControlError.Problem] = []
        for (index, donation) in self.interactions.enumerated() {
            do throws(ControlError) {
                interactions.append(try Self.interaction(donation, now: now, at: "/interactions/\(index)", in: context))
            } catch {
                problems.append(.init(index: index, error))
            }
        }
        if let first = problems.first {
            var error = first.error
            if self.interactions.count > 1 {
                error.message = "interaction \(first.index + 1): \(error.message); nothing was taken in"
            }
            (error.problems, error.problemCount) = (Array(problems.prefix(1000)), problems.count)
            throw error
        }
        let donated = interactions
        return try context.storing(try context.store.donate(donated)).map(InteractionAnswer.init)
    }

    /// A clock may be this much behind the donor's, in microseconds.
    private static let tolerance: Int64 = 60_000_000

    /// What is kept of a donation.
    private static func interaction(
        _ donation: Donation, now: Instant, at place: String, in context: OperationContext
    ) throws(ControlError) -> Store.StoredInteraction {
        guard let intent = Intent(rawValue: donation.intent) else {
            throw .unknown(
                .interactionIntent, "intent", donation.intent, among: Intent.allCases.map(\.rawValue),
                at: place + "/intent")
        }
        let participants = donation.participants.filter { $0.contains { !$0.isWhitespace } }
        if intent.needsParticipant, participants.isEmpty {
            throw ControlError(
                .interactionNoParticipant, "\(intent.rawValue) needs a participant", at: place + "/participants",
                help: "--participant NAME|HANDLE says with whom it was")
        }
        let target = donation.target.flatMap { $0.isEmpty ? nil : $0 }
        if intent == .playMedia, target == nil {
            throw ControlError(
                .interactionNoTarget, "\(intent.rawValue) needs a target", at: place + "/target",
                help: "--target ID says what was played")
        }
        if let target {
            _ = try TargetContentIdentifier(argument: target, "a targetContentIdentifier", at: place + "/target")
        }
        guard context.configuration.app(id: donation.app) != nil else {
            throw .unknown(
                .interactionNoSuchApp, "app", donation.app, among: context.configuration.manifestApps.map(\.id),
                at: place + "/app", otherwise: "install its manifest: only apps with a manifest donate")
        }
        let time = try donation.time.map { text throws(ControlError) in
            try TimeArgument.instant(text, at: place + "/time")
        }
        if let time, time.microseconds > now.microseconds + Self.tolerance {
            throw ControlError(
                .interactionFuture, "\(time.text) is more than a minute ahead", at: place + "/time",
                help: "now is \(now.text)")
        }
        let activity = try donation.activity.map { id throws(ControlError) in
            try Self.activity(id, at: place + "/activity", in: context)
        }
        return Store.StoredInteraction(
            id: donation.id.flatMap { $0.isEmpty ? nil : $0 } ?? UUIDv7.next(), app: donation.app,
            intent: intent.rawValue,
            participants: JSONValue.array(participants.map { .string($0) }).text(escaping: .minimal), target: target,
            direction: donation.direction ?? Interaction.Direction.outgoing.rawValue,
            outcome: donation.outcome ?? Interaction.Outcome.success.rawValue, activity: activity,
            // In whole milliseconds, as it is shown.
            time: time?.microseconds ?? now.microseconds / 1000 * 1000)
    }

    /// The whole id of an activity: by the beginning of it, or `current`.
    private static func activity(
        _ name: String, at place: String, in context: OperationContext
    ) throws(ControlError) -> String {
        if name == "current" {
            let activities = try CurrentActivities(context)
            guard let current = try activities.system() else { throw activities.nothing() }
            return current.id
        }
        let id = try context.store.identifier(name, .activity, at: place)
        guard try context.storing(try context.store.activity(id: id)) != nil else { throw .noActivity(name) }
        return id
    }
}

public struct InteractionList: ContentCall {
    public static let limits = 1...100_000
    public var app: String?
    public var limit: Int?

    public init() {}

    public typealias Answer = [InteractionAnswer]
    public static let name = "interaction.list"
    public static let operation = Operation<Self>(
        "what people did with apps, the newest first", .read,
        [
            Field("app", \.app, "with this app only"), Field("limit", \.limit, in: limits, "at most so many (100000)"),
        ],
        http: [HTTPForm(.get, "/v1/interactions")])

    public func perform(in context: OperationContext) throws(ControlError) -> [InteractionAnswer] {
        let limit = self.limit ?? InteractionList.limits.upperBound
        let found = try context.storing(try context.store.interactions(limit: limit, app: self.app))
        return found.map(InteractionAnswer.init)
    }
}

public struct InteractionForget: ContentCall {
    public var interactions: [String] = []

    public init() {}
    public init(_ interactions: [String]) { self.interactions = interactions }

    public typealias Answer = ForgottenInteractionsAnswer
    public static let name = "interaction.forget"
    public static let operation = Operation<Self>(
        "forgets interactions, all of these or none", .edit,
        [Field("interactions", \.interactions, "their ids")],
        http: [HTTPForm(.delete, "/v1/interactions/{interactions}")])

    public func perform(in context: OperationContext) throws(ControlError) -> ForgottenInteractionsAnswer {
        guard !self.interactions.isEmpty else { throw .argument("interactions is empty", at: "/interactions") }
        let (count, missing) = try context.storing(try context.store.forgetInteractions(self.interactions))
        guard let unknown = missing.first else { return ForgottenInteractionsAnswer(count) }
        throw ControlError(
            .interactionNoSuch, "there is no interaction \(QuotedText.text(unknown)): nothing was forgotten",
            at: "/interactions", help: "usher interaction list shows what there is")
    }
}

public struct NoteSignal: ContentCall {
    public var signal = ""
    public var at: String?

    public init() {}
    public init(_ signal: String, at: String? = nil) { (self.signal, self.at) = (signal, at) }

    public typealias Answer = SignalAnswer
    public static let name = "signal.send"
    public static let operation = Operation<Self>(
        "records a signal: an event outside the apps, such as headphones that were plugged in", .edit,
        [
            Field("signal", \.signal, "its name: letters from a to z, digits and hyphens"),
            Field("at", \.at, "when, by RFC 3339; now if it is not given"),
        ],
        http: [HTTPForm(.post, "/v1/signals", examples: [("car", #"{"signal":"car"}"#)])])

    public func perform(in context: OperationContext) throws(ControlError) -> SignalAnswer {
        try SignalName.check(self.signal, at: "/signal")
        let time = try self.at.map { text throws(ControlError) in try TimeArgument.instant(text, at: "/at") }
        let instant = time ?? Instant.now
        try context.storing(try context.store.note(signal: self.signal, at: instant.microseconds))
        context.contentsChanged()
        return SignalAnswer(signal, at: instant)
    }
}

public struct Remind: ContentCall {
    public var text = ""
    public var at: String?
    public var delay: String?
    public var whenOpens: String?
    public var when: String?

    public init() {}

    public typealias Answer = ReminderAnswer
    public static let name = "reminder.new"
    public static let operation = Operation<Self>(
        "makes a reminder of what the user looks at", .edit,
        [
            Field("text", \.text, "what the notification says"),
            Field("at", \.at, "then: RFC 3339, 09:00, tomorrow 09:00, friday 09:00"),
            Field("in", \.delay, "so long from now: 90s, 15m, 2h, 7d"),
            Field("when_opens", \.whenOpens, "when this content is opened next"),
            Field("when", \.when, "on the next signal of this name"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/reminders", made: .init(["id"], "/v1/reminders/"),
                examples: [("later", #"{"text":"Call Crusty","in":"2h"}"#)])
        ])

    /// In bytes: a notification shows less.
    private static let longestText = 4096

    public func perform(in context: OperationContext) throws(ControlError) -> ReminderAnswer {
        let now = Instant.now
        guard self.text.contains(where: { !$0.isWhitespace }) else {
            throw .argument("the text is empty", at: "/text", help: "it is what the notification says")
        }
        guard self.text.utf8.count <= Self.longestText, !self.text.utf8.contains(0) else {
            throw .argument(
                "the text has \(self.text.utf8.count) bytes, and may have \(Self.longestText), without NUL", at: "/text"
            )
        }
        let condition = try self.condition(now: now)
        var warnings: [String] = []
        let link = try Self.link(in: context, &warnings)
        let made = try context.storing(try context.store.addReminder(self.text, when: condition, about: link))
        context.contentsChanged()
        var answer = ReminderAnswer(made)
        answer.warnings = warnings
        return answer
    }

    private func condition(now: Instant) throws(ControlError) -> Store.Reminder.Condition {
        let given = [self.at, self.delay, self.whenOpens, self.when].compactMap { $0 }
        guard given.count == 1 else {
            throw ControlError(
                .remindWhen,
                given.isEmpty ? "the reminder waits for nothing" : "the reminder waits for \(given.count) things",
                help: "give one of --at TIME, --in DURATION, --when-opens TARGET and --when SIGNAL")
        }
        if let text = self.at {
            let time = try TimeArgument.next(
                text, after: now, past: .remindPast, wrong: .controlArgument, at: "/at")
            return .time(time.microseconds)
        }
        if let text = self.delay {
            return .time(
                try TimeArgument.instant(in: text, after: now, wrong: .controlArgument, at: "/in").microseconds)
        }
        if let target = self.whenOpens {
            let name = "a targetContentIdentifier"
            return .opening(try TargetContentIdentifier(argument: target, name, at: "/when_opens").text)
        }
        try SignalName.check(self.when ?? "", at: "/when")
        return .signal(self.when ?? "")
    }

    /// What the user looks at: an activity, or a document that was in front later.
    private static func link(
        in context: OperationContext, _ warnings: inout [String]
    ) throws(ControlError) -> Store.Reminder.Link {
        let current = try CurrentActivities(context)
        let content = try current.content()
        if let document = content.document, let target = document.target {
            return Store.Reminder.Link(app: document.app, target: target.text)
        }
        let activity = content.activity
        if activity == nil, let obstacle = current.obstacle() {
            warnings.append("the reminder has no link: \(obstacle.message) [\(obstacle.code)]")
        }
        return Store.Reminder.Link(
            app: activity?.app, target: activity?.subject, webpage: activity?.webpage, activity: activity?.id)
    }
}

public struct ReminderList: ContentCall {
    public init() {}

    public typealias Answer = [ReminderAnswer]
    public static let name = "reminder.list"
    public static let operation = Operation<Self>(
        "the reminders, the oldest first", .read, [],
        http: [HTTPForm(.get, "/v1/reminders")])

    public func perform(in context: OperationContext) throws(ControlError) -> [ReminderAnswer] {
        try context.storing(try context.store.reminders()).map(ReminderAnswer.init)
    }
}

public struct ReminderDelete: ContentCall {
    public var reminder = ""

    public init() {}
    public init(_ reminder: String) { self.reminder = reminder }

    public typealias Answer = ReminderAnswer
    public static let name = "reminder.delete"
    public static let operation = Operation<Self>(
        "removes a reminder", .edit,
        [Field("reminder", \.reminder, "its id, or the beginning of it", identifies: .reminder)],
        http: [HTTPForm(.delete, "/v1/reminders/{reminder}")])

    public func perform(in context: OperationContext) throws(ControlError) -> ReminderAnswer {
        let found = try context.storing(try context.store.deleteReminder(id: self.reminder))
        guard let found else {
            throw ControlError(
                .reminderNoSuch, "there is no reminder \(QuotedText.text(self.reminder))", at: "/reminder",
                help: "usher reminder list shows what there is")
        }
        context.contentsChanged()
        return ReminderAnswer(found)
    }
}

public struct Suggest: ContentCall {
    public static let limits = 1...100_000
    public var kind = ""
    public var person: String?
    public var contentType: String?
    public var prefix: String?
    public var context: String?
    public var forApp: String?
    public var perform: String?
    public var signal: String?
    public var at: String?
    public var limit: Int?
    public var why = false

    public init() {}
    public init(_ kind: String) { self.kind = kind }

    public typealias Answer = [SuggestedItem]
    public static let name = "suggestion.list"
    public static let operation = Operation<Self>(
        "suggests places, texts, contacts, media and apps from recent use", .read,
        [
            Field("kind", \.kind, "`place`, `text`, `contact`, `media` or `app`"),
            Field("name", \.person, "of a person, or a number or address: the apps that were used with that person"),
            Field("content_type", \.contentType, "what the text field is for (UITextContentType)"),
            Field("prefix", \.prefix, "what it begins with, case and accents apart"),
            Field("context", \.context, "the text before the cursor: it may end in a phrase"),
            Field("for", \.forApp, "the app that it is offered to, which declares the kind"),
            Field("perform", \.perform, "apps that can do this: `call`, `directions` and so on"),
            Field("signal", \.signal, "only what followed this signal within ten minutes"),
            Field("at", \.at, "as at this time, as in 2027-01-31T12:00:00Z; now if it is not given"),
            Field("limit", \.limit, in: limits, "at most so many (5)"),
            Field("why", \.why, "the events behind each, and what was left out"),
        ],
        http: [HTTPForm(.get, "/v1/suggestions/{kind}")])

    /// The best first.
    public func perform(in context: OperationContext) throws(ControlError) -> [SuggestedItem] {
        let query = try self.query()
        let input = try context.storing(try SuggestionSource(context.store, context.configuration).input(for: query))
        do throws(SuggestionRefusal) {
            return try Suggestions.answer(to: query, from: input)
        } catch {
            throw ControlError(error.code, error.message, at: error.place, help: error.help)
        }
    }

    private func query() throws(ControlError) -> SuggestionQuery {
        guard let kind = SuggestionKind(rawValue: self.kind) else {
            throw .unknown(.suggestKind, "kind", self.kind, among: SuggestionKind.allCases.map(\.rawValue), at: "/kind")
        }
        let time = try self.at.map { text throws(ControlError) in try TimeArgument.instant(text, at: "/at") }
        var query = SuggestionQuery(kind, now: time ?? .now)
        func require(_ wanted: SuggestionKind, for argument: String, _ isGiven: Bool) throws(ControlError) {
            guard isGiven, kind != wanted else { return }
            throw .argument(
                "\(argument) goes with \(wanted.rawValue), and not with \(kind.rawValue)", at: "/" + argument)
        }
        try require(.contact, for: "name", self.person != nil)
        try require(.text, for: "content_type", self.contentType != nil)
        try require(.text, for: "context", self.context != nil)
        try require(.app, for: "perform", self.perform != nil)
        query.name = self.person
        if let type = self.contentType {
            query.contentType = TextContentType(rawValue: type)
            guard query.contentType != nil else {
                throw .unknown(
                    .suggestContentType, "content type", type, among: TextContentType.allCases.map(\.rawValue),
                    at: "/content_type")
            }
        }
        query.context = self.context
        query.prefix = self.prefix
        query.forApp = self.forApp
        if let verb = self.perform {
            query.verb = PerformVerb(rawValue: verb)
            guard query.verb != nil else {
                throw .unknown(
                    .suggestPerform, "verb", verb, among: PerformVerb.allCases.map(\.rawValue), at: "/perform")
            }
        }
        if let signal = self.signal { try SignalName.check(signal, at: "/signal") }
        query.signal = self.signal
        query.limit = self.limit ?? SuggestionQuery.defaultLimit
        query.showsWhy = self.why
        return query
    }
}

public struct Forget: ContentCall {
    public var app: String?
    public var source: String?
    public var since: String?
    public var all = false
    public var dryRun = false
    public var onlyReads: Bool { dryRun }

    public init() {}

    public typealias Answer = ForgottenAnswer
    public static let name = "suggestion.forget"
    public static let operation = Operation<Self>(
        "forgets what suggestions are made of; several options all have to hold", .edit,
        [
            Field("app", \.app, "what is of this app"), Field("source", \.source, "what is of this app, or this host"),
            Field("since", \.since, "what is from then on: RFC 3339, 09:00, friday 09:00, or so long ago: 90s, 2h"),
            Field("all", \.all, "everything"), Field("dry_run", \.dryRun, "only say how much it is"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/forget",
                examples: [("hour", #"{"since":"1h"}"#), ("app", #"{"app":"example.chat","dry_run":true}"#)])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> ForgottenAnswer {
        guard self.all || self.app != nil || self.source != nil || self.since != nil else {
            throw ControlError(
                .forgetWhat, "it is not said what is to be forgotten",
                help: "give --app ID, --source APP|HOST, --since TIME|DURATION or --all")
        }
        let since = try self.since.map { text throws(ControlError) in
            try TimeArgument.instant(orBefore: Instant.now, text, at: "/since")
        }
        let what = Store.Forgetting(app: self.app, source: self.source, since: since?.microseconds)
        let forgotten = try context.storing { () throws(StoreError) in
            if !self.dryRun {
                // What a window shows stays. Without a daemon it is not known yet that one is gone.
                for (session, process) in try context.store.sessionProcesses() where !process.isRunning {
                    _ = try SessionLoss.lose(session, of: process, in: context.sessions)
                }
            }
            var found = try context.store.forget(what, isRehearsal: true)
            guard !self.dryRun else { return found }
            try Self.end(found, in: context)
            let identifiers = found.identifiers
            found = try context.store.forget(what)
            Self.removeFiles(of: what, found, identifiers, in: context)
            return found
        }
        if !self.dryRun { context.contentsChanged() }
        return ForgottenAnswer(forgotten, warnings: Self.warnings(of: forgotten, isRehearsal: dryRun))
    }

    /// Ends what would carry it out or restore it later.
    private static func end(_ found: Store.Forgotten, in context: OperationContext) throws(StoreError) {
        for id in found.unfinished { _ = try context.sessions.discard(delivery: id) }
        for id in found.sessions {
            guard let session = try context.sessions.session(id: id), session.state == .disconnected else { continue }
            _ = try context.sessions.end(session: id, ifStill: session)
        }
    }

    /// What stays, and how it goes.
    private static func warnings(of forgotten: Store.Forgotten, isRehearsal: Bool) -> [String] {
        var warnings: [String] = []
        func add(_ count: Int, _ one: String, _ many: String, _ remedy: String) {
            if count > 0 { warnings.append((count == 1 ? "1 \(one)" : "\(count) \(many)") + remedy) }
        }
        if !isRehearsal {
            add(
                forgotten.unfinished.count, "delivery is being carried out and stays",
                "deliveries are being carried out and stay", ": forget again after that")
        }
        add(
            forgotten.openSessions, "window keeps its target and title", "windows keep their targets and titles",
            ": close them, and forget again")
        add(
            forgotten.otherDeliveries, "other request stays in the journal", "other requests stay in the journal",
            ": usher deliveries drop removes them")
        return warnings
    }

    /// Removes the files that handlers got of it.
    private static func removeFiles(
        of what: Store.Forgetting, _ forgotten: Store.Forgotten, _ identifiers: Set<String>,
        in context: OperationContext
    ) {
        context.activator?.payloadFiles?.remove(except: forgotten.openNonces) { path, changed in
            if what.isGeneral { return Int64(changed) >= (what.since ?? 0) / 1_000_000 }
            guard let bytes = FileSystem.contents(of: path, limit: 16 << 20),
                let document = try? JSONValue(parsing: bytes)
            else { return false }
            return document.contains { what.isNamed($0) || identifiers.contains($0) }
        }
    }
}

extension JSONValue {
    /// Whether one of its texts, at any depth, is meant.
    fileprivate func contains(_ isMeant: (String) -> Bool) -> Bool {
        if let string { return isMeant(string) }
        if let elements { return elements.contains { $0.contains(isMeant) } }
        return members?.contains { $0.value.contains(isMeant) } ?? false
    }
}

extension SuggestionRefusal {
    /// The argument that is wrong.
    fileprivate var place: String {
        switch self {
        case .contentType: "/content_type"
        case .undeclared: "/for"
        }
    }
}
