import Foundation
import Testing
package import UsherActivation
package import UsherEngine
import UsherFeatures
package import UsherJSON
package import UsherLog
package import UsherOperation
package import UsherScene
package import UsherStore

extension OperationContext {
    /// Carries an operation out as it would be asked for on the socket.
    @discardableResult
    package func perform(_ name: String, _ arguments: JSONValue) throws(ControlError) -> JSONValue {
        guard let type = OperationTable.usher.operation(named: name)?.type as? any ContentCall.Type else {
            throw .protocolViolation("there is no \(name)")
        }
        let text = try answer(try type.init(reading: arguments))
        guard let value = try? JSONValue(parsing: text) else { throw .protocolViolation("no JSON: \(name)") }
        return value
    }
}

/// Two apps with activity types, a real store, and the commands of contents over it.
package final class ContentFixture {
    package let base: DispatchFixture
    package let store: Store
    package var apps: [App]
    package let log: MemorySink
    /// Instead of those of `base`.
    package var windowSystem: (any WindowSystem)?
    /// The windows that were in front, the last one first.
    package var frontHistory: [WindowList.Window] = []

    package init() throws {
        base = try DispatchFixture()
        log = base.log
        store = try base.openStore()
        var clowns = base.app
        clowns.activityTypes = [Located("example.clowntown.view-clown", at: DispatchFixture.location)]
        var orders = App(id: "example.orders", name: "Orders", location: DispatchFixture.location)
        orders.activityTypes = [Located("example.orders.view-order", at: DispatchFixture.location)]
        apps = [clowns, orders]
    }

    package func service(_ store: Store? = nil) -> OperationContext {
        let store = store ?? self.store
        var context = OperationContext(
            store, sessions: store, configuration: Configuration(apps: apps),
            activator: Activator(
                windowSystem: windowSystem ?? base.windows,
                environment: ["PATH": "/usr/bin:/bin", "HOME": base.folder, "USHER_STATE": base.folder],
                stateDirectory: base.folder), logger: Logger(level: .debug, sink: log), openings: .all)
        context.frontHistory = { [frontHistory] in frontHistory }
        return context
    }

    @discardableResult
    package func connect(_ id: String, app: String = "example.clowntown", handle: String? = nil, server: String? = nil)
        throws
        -> SceneSession
    {
        try #require(
            try store.connect([
                Store.NewSession(id: id, app: app, scene: "clown", handle: handle, handleServer: server)
            ]).first)
    }

    @discardableResult
    package func perform(
        _ name: String, _ arguments: JSONValue, in store: Store? = nil
    ) throws(ControlError) -> JSONValue {
        try service(store).perform(name, arguments)
    }

    /// The error of a command that must fail.
    package func refusal(_ name: String, _ arguments: JSONValue) -> ControlError? {
        do throws(ControlError) {
            try perform(name, arguments)
            return nil
        } catch {
            return error
        }
    }

    /// An activity about a clown, current in a session.
    @discardableResult
    package func become(_ session: String, _ name: String, more: String = "") throws -> JSONValue {
        let text = #"""
            {"activityType":"example.clowntown.view-clown","title":"\#(name)","targetContentIdentifier":"clown:\#(name)"\#(more)}
            """#
        return try perform("activity.become-current", ["session": .string(session), "activity": .string(text)])
    }
}

extension JSONValue {
    package var warnings: [String] { self["warnings"]?.elements?.compactMap(\.string) ?? [] }
    package var findings: [String] { self["findings"]?.elements?.compactMap { $0["name"]?.string } ?? [] }
}
