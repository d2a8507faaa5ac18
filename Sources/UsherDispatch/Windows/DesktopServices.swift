public import UsherActivation
public import UsherJSON

/// What suggestions need of the desktop: the same from the daemon and from a look of one's own.
public enum DesktopServicesAnswer {
    /// What may be there, in the order in which it is shown.
    public static let services = ["session_bus", "reminders", "search", "media"]

    /// An object with a member for each of `services`: true, or why it is not there. `search_process` is the other
    /// process that answers searches, else null.
    ///
    /// - Parameter daemon: the process that is to answer searches; nil where one is started when it is needed.
    public static func value(_ applications: (any DesktopApplications)?, daemon: Int32?) -> JSONValue {
        var (bus, reminders, search): (JSONValue, JSONValue, JSONValue) = (true, true, true)
        var other: Int32?
        do throws(ActivationFailure) {
            guard let applications else { throw .windowSystem("usherd", "there is no desktop session here") }
            if try !applications.isProvided(name: DesktopServiceName.notifications) {
                reminders = "no notification server is on the session bus: reminders wait until there is one"
            }
            if let daemon {
                let owner = try applications.owner(of: DesktopServiceName.search)
                if let owner, owner != daemon {
                    other = owner
                    search = .string("process \(owner) has the name \(DesktopServiceName.search)")
                } else if owner == nil {
                    search = .string("usherd does not have the name \(DesktopServiceName.search): its log says why")
                }
            } else if try !applications.isProvided(name: DesktopServiceName.search) {
                search = .string(
                    "usherd does not run, and the session bus cannot start it: make install puts"
                        + " \(DesktopServiceName.search).service where it looks")
            }
        } catch {
            bus = .string(error.message)
            (reminders, search) = (bus, bus)
        }
        return .object([
            .init("session_bus", bus), .init("reminders", reminders), .init("search", search), .init("media", bus),
            .init("search_process", WindowWire.number(other.map(Int64.init))),
        ])
    }
}
