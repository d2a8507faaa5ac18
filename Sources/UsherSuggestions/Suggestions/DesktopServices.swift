public import UsherActivation
public import UsherJSON
public import UsherOperation
internal import UsherScene

/// What suggestions need of the desktop: the same from the daemon and from a look of one's own.
public struct DesktopServicesAnswer: AnswerRecord {
    /// The other process that answers searches.
    public var searchProcess: Int?
    public var sessionBus = Service()
    public var reminders = Service()
    public var search = Service()
    public var media = Service()

    /// One of the desktop's services.
    public struct Service: FieldValue {
        /// nil where it is there.
        public var lack: String?

        public static var shape: ValueShape { ValueShape(.json) }
        public static func read(_ value: JSONValue, _ name: String, at place: String) -> Service {
            Service(lack: value.string)
        }

        public func write(to json: inout JSONWriter) {
            if let lack { json.value(lack) } else { json.value(true) }
        }
    }

    public init() {}

    /// - Parameter daemon: the process that is to answer searches; nil where one is started when it is needed.
    public init(_ applications: (any DesktopApplications)?, daemon: Int32?) {
        do throws(ActivationFailure) {
            guard let applications else { throw .windowSystem("usherd", "there is no desktop session here") }
            if try !applications.isProvided(name: DesktopServiceName.notifications) {
                reminders.lack = "no notification server is on the session bus: reminders wait until there is one"
            }
            if let daemon {
                let owner = try applications.owner(of: DesktopServiceName.search)
                if let owner, owner != daemon {
                    searchProcess = Int(owner)
                    search.lack = "process \(owner) has the name \(DesktopServiceName.search)"
                } else if owner == nil {
                    search.lack = "usherd does not have the name \(DesktopServiceName.search): its log says why"
                }
            } else if try !applications.isProvided(name: DesktopServiceName.search) {
                search.lack =
                    "usherd does not run, and the session bus cannot start it: make install puts"
                    + " \(DesktopServiceName.search).service where it looks"
            }
        } catch {
            sessionBus.lack = error.message
            (reminders, search, media) = (sessionBus, sessionBus, sessionBus)
        }
    }

    public static let fields: [Field<Self>] = [
        Field(always: "session_bus", \.sessionBus), Field(always: "reminders", \.reminders),
        Field(always: "search", \.search), Field(always: "media", \.media),
        Field(always: "search_process", \.searchProcess),
    ]

    /// The services by name, in the order in which they are shown.
    public var services: [(name: String, service: Service)] {
        [("session_bus", sessionBus), ("reminders", reminders), ("search", search), ("media", media)]
    }
}
