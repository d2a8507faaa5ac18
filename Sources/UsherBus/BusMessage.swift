internal import UsherText

/// A message that arrived: a signal, an answer, or a call.
public struct BusMessage: Sendable, Hashable {
    /// The unique name of the connection that sent it (`:1.42`).
    public var sender: String = ""
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue] = []
}

/// A call of a method.
public struct BusCall: Sendable, Hashable {
    public var destination: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]
    /// Whether the bus starts the program where it does not run.
    var startsService = true
    /// In milliseconds, from the call to its answer, a connection that has to be made included.
    public var timeLimit = 5000

    public init(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// The same: nothing is started for it, and it may take so many milliseconds.
    func ofRunning(within limit: Int) -> BusCall {
        var call = self
        (call.startsService, call.timeLimit) = (false, limit)
        return call
    }

    /// Of the bus itself.
    static func driver(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(BusName.driver, "/org/freedesktop/DBus", BusName.driver, member, arguments)
    }
}

/// An event that an observer receives.
public enum BusEvent: Sendable, Hashable {
    case signal(BusMessage)
    /// The observed well-known name has another owner now; nil if it has no owner.
    case ownerChanged(String?)
    /// The bus is gone. The next call makes a new connection, on which everything is observed as before.
    case lost
}

/// Names on the bus.
enum BusName {
    /// The bus itself, as a name and as an interface.
    static let driver = "org.freedesktop.DBus"
}

/// Which signals are observed (D-Bus Specification 0.43, match rules). nil is anything.
public struct BusMatch: Sendable, Hashable {
    /// A well-known name stands for its current owner; signals from other connections are ignored.
    public var sender: String?
    public var path: String?
    public var interface: String?
    public var member: String?
    /// What the first argument is, a string.
    var firstArgument: String?

    public init(
        sender: String? = nil, path: String? = nil, interface: String? = nil, member: String? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// The changes of owner of a name.
    static func owner(of name: String) -> BusMatch {
        BusMatch(
            sender: BusName.driver, interface: BusName.driver, member: "NameOwnerChanged", firstArgument: name)
    }

    /// The well-known name that has to be followed to know its owner. The bus itself is called by its name.
    var followedName: String? {
        guard let sender, !sender.utf8.starts(with: ":".utf8), sender != BusName.driver else { return nil }
        return sender
    }

    /// As the bus reads it.
    var rule: String {
        let conditions: [(String, String?)] = [
            ("sender", sender), ("path", path), ("interface", interface), ("member", member), ("arg0", firstArgument),
        ]
        return conditions.reduce(into: "type='signal'") { rule, condition in
            guard let value = condition.1 else { return }
            // Within apostrophes an apostrophe cannot stand: they end, it is written escaped, they begin again.
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
            rule += ",\(condition.0)='\(quoted)'"
        }
    }

    /// Whether it is meant. The bus sends each message once, whichever of our rules asked for it, and what is addressed to
    /// us comes in any case.
    func matches(_ message: BusMessage, owners: [String: String]) -> Bool {
        func agrees(_ wanted: String?, _ given: String?) -> Bool {
            guard let wanted else { return true }
            return given.map { wanted.hasSameBytes(as: $0) } ?? false
        }
        let wantedSender = followedName.map { owners[$0] ?? "" } ?? sender
        return agrees(wantedSender, message.sender) && agrees(path, message.path)
            && agrees(interface, message.interface) && agrees(member, message.member)
            && (firstArgument == nil || agrees(firstArgument, message.arguments.first?.string))
    }
}
