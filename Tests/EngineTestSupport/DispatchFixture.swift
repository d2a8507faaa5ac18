import Foundation
package import TestSupport
import Testing
import UsherActivation
package import UsherEngine
import UsherFeatures
package import UsherJSON
package import UsherLog
import UsherPayload
import UsherPredicate
package import UsherScene
package import UsherStore

/// An app with a main window and a window a clown, a real store in a folder of its own, and windows that are only noted.
package final class DispatchFixture {
    package static let crusty = "https://clowntown.example/clowns/crusty"
    package static let bozo = "https://clowntown.example/clowns/bozo"
    package static let location = SourceLocation(path: "apps/clown-town.toml", line: 1, column: 1)

    private let files = TemporaryFolder()
    package var app: App
    /// What its decisions are explained by later.
    package var manifests: [UInt8] = []
    package let windows: DryRunWindowSystem
    package let log = MemorySink()

    package init(windows: DryRunWindowSystem = DryRunWindowSystem()) throws {
        self.windows = windows
        app = App(id: "example.clowntown", name: "Clown Town", location: Self.location)
        app.domains = [Located("clowntown.example", at: Self.location)]
        app.shortcuts = [ShortcutDefinition(type: "order-crusty", title: "Order Crusty", location: Self.location)]
        app.shortcuts[0].target = TargetContentIdentifier(Self.crusty)
        var clown = SceneConfiguration(name: "clown", location: Self.location)
        clown.opens = Located(
            try ScenePredicate(parsing: "SELF LIKE \"https://clowntown.example/clowns/*\""), at: Self.location)
        let own = try ScenePredicateTemplate(parsing: "SELF == $TARGET", variables: ["TARGET"])
        clown.canActivate = Located(own, at: Self.location)
        clown.prefersToActivate = Located(own, at: Self.location)
        clown.launch = LaunchHandler(method: .tmux(session: nil), command: Self.command("true", "--", "{target}"))
        var main = SceneConfiguration(name: "main", location: Self.location)
        main.launch = LaunchHandler(method: .tmux(session: nil), command: Self.command("true"))
        app.scenes = [main, clown]
    }

    /// Not there before a store makes it.
    package var folder: String { files.path + "/state" }

    /// The text of a manifest like `app`, as a configuration keeps it.
    package static let clownTown = kept(
        """
        id = "example.clowntown"
        domains = ["clowntown.example"]
        [[scenes]]
        name = "main"
        launch = { tmux = ["true"] }
        [[scenes]]
        name = "clown"
        opens = 'SELF LIKE "https://clowntown.example/clowns/*"'
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { tmux = ["true", "--", "{target}"] }
        """)

    package static func kept(_ manifest: String) -> [UInt8] {
        Array("0 2\n/x16 \(manifest.utf8.count)\napps/clowns.toml\(manifest)".utf8)
    }

    package static func command(_ arguments: String...) -> Command { Command(arguments: arguments, location: location) }

    package func shell(_ script: String) -> Command { Self.command("sh", "-c", script) }

    package func openStore(_ access: Store.Access = .readWrite) throws -> Store {
        try Store(directory: folder, access: access, features: .all)
    }

    /// Dispatches lines as one run of the program would, and returns the records in the order of the lines.
    @discardableResult
    package func dispatch(_ lines: [String], isDryRun: Bool = false, recovers: Bool = true) throws -> [JSONValue] {
        let store = try openStore(isDryRun ? .readOnly : .readWrite)
        defer { store.close() }
        return isDryRun ? try rehearse(lines, store) : try dispatch(lines, store, recovers: recovers)
    }

    private func dispatch(_ lines: [String], _ store: Store, recovers: Bool) throws -> [JSONValue] {
        let engine = try engine(store)
        if recovers {
            _ = try engine.recover()
            engine.waitUntilIdle()
        }
        let records = Locked<[Int: String]>([:])
        for (index, line) in lines.enumerated() {
            var arrival = Daemon.arrival(line)
            arrival.sequence = index + 1
            arrival.events.finished = { record in records.with { $0[index] = record.json } }
            #expect(engine.submit([arrival]))
        }
        engine.waitUntilIdle()
        return try records.with { records in lines.indices.compactMap { records[$0] } }
            .map { try JSONValue(parsing: Array($0.utf8)) }
    }

    /// An engine as one run of the program has it.
    package func engine(_ store: Store) throws -> Engine {
        var options = Engine.Options()
        options.openings = .all
        options.patience = .seconds(10)
        options.waitsForRecovered = false
        var configuration = Configuration(apps: [app])
        configuration.manifests = manifests
        return try Engine(
            configuration: configuration, store: store,
            activator: Activator(
                windowSystem: windows, environment: ["PATH": "/usr/bin:/bin", "HOME": folder, "USHER_STATE": folder],
                stateDirectory: folder),
            logger: Logger(level: .debug, sink: log), options: options)
    }

    private func rehearse(_ lines: [String], _ store: Store) throws -> [JSONValue] {
        let output = folder + "-output-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: output) }
        let descriptor = open(output, O_WRONLY)
        defer { close(descriptor) }
        var options = DryRun.Options(source: "test")
        options.outputDescriptor = descriptor
        options.openings = .all
        var run = try DryRun(
            Configuration(apps: [app]), store, programs: ProgramLocator(path: "/usr/bin:/bin"),
            logger: Logger(level: .debug, sink: log), options)
        for line in lines { run.receive(Array((line + "\n").utf8)[...]) }
        run.finish()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    package static func push(_ target: String, more: String = "") -> String {
        #"{"aps":{"alert":"hi","target-content-id":"\#(target)"}\#(more)}"#
    }

    /// The text of a file that handlers write to.
    package func read(_ name: String) -> String {
        (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
    }
}

extension JSONValue {
    /// Some members of a record in one string, for tables.
    package func summary(_ names: String...) -> String {
        names.map { self[$0]?.string ?? "-" }.joined(separator: " ")
    }
}

package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    @discardableResult
    package func with<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
