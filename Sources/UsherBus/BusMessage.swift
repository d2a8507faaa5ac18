/// A message that arrived: a signal, an answer, or a call.
public struct BusMessage: Sendable, Hashable {
    /// The unique name of the connection that sent it (`:1.42`).
    public var sender: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]

    public init(
        sender: String = "", path: String, interface: String, member: String, arguments: [BusValue] = []
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A call of a method.
public struct BusCall: Sendable, Hashable {
    public var destination: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]
    /// Whether the bus starts the program where it does not run.
    public var startsService = true
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
public enum BusName {
    /// The bus itself, as a name and as an interface.
    public static let driver = "org.freedesktop.DBus"
}
