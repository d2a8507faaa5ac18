public import UsherActivation
public import UsherJSON
public import UsherLog
public import UsherOperation
internal import UsherPayload
public import UsherScene
internal import UsherText

/// What a terminal is asked by: a process, a tty, or a pane of tmux.
public struct TerminalPlaceArgument: RecordValue, Hashable {
    public var process: Int?
    public var tty: String?
    public var pane: String?
    /// Where the pane's server listens; else that of `$TMUX`, else the default one.
    public var socket: String?

    public init() {}
    public init(process: Int) { self.process = process }

    public static let fields: [Field<Self>] = [
        Field("pid", \.process, in: 1...Int(Int32.max), "a process"),
        Field("tty", \.tty, "a terminal: /dev/pts/3"),
        Field("pane", \.pane, "a pane of tmux: %5"),
        Field("socket", \.socket, "with pane: the path that its tmux server listens on; else the default one"),
    ]

    /// - Parameter place: the object's JSON pointer, for errors.
    public init(reading value: JSONValue?, at place: String = "") throws(ControlError) {
        self.init()
        try readFields(of: value, at: place)
        try checkCombination(at: place)
    }

    init(_ request: TerminalRequest) {
        (process, tty, pane, socket) = (request.process, request.tty, request.pane, request.socket)
    }

    fileprivate var request: TerminalRequest {
        var request = TerminalRequest()
        (request.process, request.tty, request.pane, request.socket) = (process, tty, pane, socket)
        return request
    }

    public var isEmpty: Bool { process == nil && tty == nil && pane == nil }

    public func checkCombination(at place: String) throws(ControlError) {
        let given = [process == nil ? nil : "pid", tty == nil ? nil : "tty", pane == nil ? nil : "pane"].compactMap(
            \.self)
        if given.count > 1 { throw .argument("\(given.joined(separator: " and ")) do not go together", at: place) }
        if given.isEmpty {
            throw .argument("no terminal is named", at: place, help: "give one of pid, tty and pane")
        }
        if socket != nil, pane == nil {
            throw .argument("a socket goes with a pane", at: "\(place)/socket", help: "name the pane: %5")
        }
        if let tty, !TerminalSubject.isTTY(tty) {
            throw .argument(
                "\(QuotedText.text(tty)) is not a terminal", at: "\(place)/tty", help: "a terminal is /dev/pts/3")
        }
        if let pane, !TerminalSubject.isPane(pane) {
            throw .argument("\(QuotedText.text(pane)) is not a pane of tmux", at: "\(place)/pane", help: "a pane is %5")
        }
    }

    /// - Parameter defaultSocket: of the tmux server that is meant if none is named.
    func subject(defaultSocket: String) -> TerminalSubject? {
        if let process { return .process(Int32(process)) }
        if let tty { return .tty(tty) }
        return pane.map { .pane($0, socket: socket ?? defaultSocket) }
    }
}

/// Where a process is: its terminals and windows. Looks only.
public struct TerminalWhere: PerformedCall {
    public var place = TerminalPlaceArgument()

    public init() {}
    public init(_ place: TerminalPlaceArgument) { self.place = place }

    public typealias Answer = TerminalAnswer
    public static let name = "terminal.where"
    public static let operation = Operation<Self>(
        "the terminal, the tmux pane and the windows of a process", .read,
        TerminalPlaceArgument.fields.map { $0.within(\.place) }, http: [HTTPForm(.get, "/v1/terminals")])

    public func checkCombination(at place: String) throws(ControlError) {
        try self.place.checkCombination(at: place)
    }

    public func perform(in context: OperationContext) throws(ControlError) -> TerminalAnswer {
        TerminalAnswer(place, by: try context.engine.activator)
    }
}

/// Brings the window, the tab and the pane of a process forward, as a delivery.
public struct TerminalFocus: PerformedCall {
    public var place = TerminalPlaceArgument()
    public var detached: TerminalSettings.Detached?
    public var token: String?
    public var parent: String?
    public var waits: Bool { true }

    public init() {}
    public init(
        _ place: TerminalPlaceArgument, detached: TerminalSettings.Detached? = nil, token: String? = nil,
        parent: String? = nil
    ) {
        (self.place, self.detached, self.token, self.parent) = (place, detached, token, parent)
    }

    public typealias Answer = DecisionRecord
    public static let name = "terminal.focus"
    public static let operation = Operation<Self>(
        "brings the window, the tab and the tmux pane of a process forward; answered by the decision record", .act,
        TerminalPlaceArgument.fields.map { $0.within(\.place) } + [
            Field(
                "detached", \.detached, "what is done for a tmux session that no client shows; else as usher.toml says"),
            .token(\.token),
            Field("parent", \.parent, "the delivery whose handler asks for this: it does not wait behind that one"),
        ], http: [HTTPForm(.post, "/v1/terminals/focus", hidden: ["token", "parent"])])

    public func checkCombination(at place: String) throws(ControlError) {
        try self.place.checkCombination(at: place)
    }

    public func perform(in context: OperationContext) throws(ControlError) -> DecisionRecord {
        try context.engine.prepareToAct()
        var request = place.request
        request.detached = detached
        return try context.dispatch(.terminal(request), token: token, parent: parent)
    }
}

extension TerminalSettings.Detached: FieldChoice {}

/// Where a process is: the same from the daemon and from a look of one's own.
public struct TerminalAnswer: AnswerRecord {
    /// A terminal, and what holds the other end of it.
    public struct Step: AnswerRecord {
        public struct Holder: AnswerRecord {
            public var pid = 0
            public var name = ""

            public init() {}

            public static let fields: [Field<Self>] = [Field(always: "pid", \.pid), Field(always: "name", \.name)]
        }

        public var tty = ""
        public var holder = Holder()
        public var kind = TerminalStep.Kind.terminal

        public init() {}
        fileprivate init(_ step: TerminalStep) {
            (tty, kind) = (step.tty, step.kind)
            (holder.pid, holder.name) = (Int(step.holder.pid), step.holder.name)
        }

        public static let fields: [Field<Self>] = [
            Field(always: "tty", \.tty), Field(always: "holder", \.holder), Field(always: "kind", \.kind),
        ]
    }

    /// A tmux server on the way.
    public struct Tmux: AnswerRecord {
        public struct Client: AnswerRecord {
            public var tty = ""
            public var pid = 0
            public var rank = 0
            public var isHere = false

            public init() {}

            public static let fields: [Field<Self>] = [
                Field(always: "tty", \.tty), Field(always: "pid", \.pid),
                Field(
                    always: "rank", \.rank,
                    "0: it shows the pane's window; 1: it is attached to a session that has the window; 2: to another"),
                Field(always: "here", \.isHere, "Whether its terminal has a window here"),
            ]
        }

        public var socket = ""
        public var server = 0
        public var pane: String?
        public var sessions: [String] = []
        public var clients: [Client] = []

        public init() {}
        fileprivate init(_ place: TmuxPlace) {
            (socket, server, pane) = (place.socket, Int(place.server.pid), place.pane)
            sessions = place.sessions
            clients = place.candidates.map { candidate in
                var client = Client()
                (client.tty, client.rank, client.isHere) = (candidate.tty, candidate.rank, candidate.isHere)
                client.pid = Int(candidate.pid ?? 0)
                return client
            }
        }

        public static let fields: [Field<Self>] = [
            Field(always: "socket", \.socket), Field(always: "server", \.server, "Its process"),
            Field(always: "pane", \.pane, "null in a popup"), Field(always: "sessions", \.sessions),
            Field(always: "clients", \.clients, "In the order in which they are used"),
        ]
    }

    /// The name of an error code; nil where the place was found.
    public var error: String?
    public var process: SeenEvidence.Process?
    public var tty: String?
    public var chain: [Step] = []
    /// The name of the program that shows the terminal.
    public var terminal: String?
    public var windows: [String] = []
    public var tmux: [Tmux] = []
    public var isFound = false
    /// Why it was not found, for people; nil in an answer that was read.
    public var failure: ActivationFailure?

    public init() {}

    public init(_ argument: TerminalPlaceArgument, by activator: Activator) {
        guard let subject = argument.subject(defaultSocket: activator.tmuxSocket) else { return }
        let place = activator.place(of: subject)
        failure = place.failure
        error = failure?.code.name
        isFound = failure == nil
        process = place.process.map { .init(pid: $0.pid, start: $0.start, name: $0.name) }
        tty = place.tty
        chain = place.path.steps.map { Step($0) }
        terminal = place.path.terminal?.name
        windows = place.path.windows.map(\.handle)
        tmux = place.path.tmux.map { Tmux($0) }
    }

    public static let schema: String? = "Terminal"
    public static let fields: [Field<Self>] = [
        Field(constant: "v", 1), Field(always: "found", \.isFound),
        Field(always: "error", \.error, "Why it was not found: the name of an error code"),
        Field(always: "process", \.process), Field(always: "tty", \.tty),
        Field(always: "chain", \.chain, "The terminals from the process outwards"),
        Field(always: "terminal", \.terminal, "The program that shows it"),
        Field(always: "windows", \.windows, "All of that program"),
        Field(always: "tmux", \.tmux, "The inner server first"),
    ]
}

extension TerminalStep.Kind: FieldChoice {}
