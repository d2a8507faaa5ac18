import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene

@testable import UsherBus

/// The search provider on a bus of the test's own, asked as GNOME Shell and KRunner ask.
@Suite struct SearchProviderTests {
    /// Finds what the test says, and notes what is opened.
    private final class Things: DesktopSearch {
        let asked = Mutex<[String]>([])
        let opened = Mutex<[String]>([])
        /// What a look waits for; nil for nothing.
        let gate: DispatchSemaphore?

        init(gate: DispatchSemaphore? = nil) { self.gate = gate }

        private static let all = [
            FoundItem(id: "1", title: "Crusty", subtitle: "Clowns", icon: "/pictures/crusty.png"),
            FoundItem(id: "2", title: "Bozo", subtitle: "Clowns, clowntown.example"),
        ]

        func find(_ text: String) throws(ActivationFailure) -> [FoundItem] {
            gate?.wait()
            asked.withLock { $0.append(text) }
            if text == "broken" { throw ActivationFailure(.storeCorrupt, "the store is damaged") }
            return text == "nothing" ? [] : Self.all
        }

        func items(_ ids: [String]) throws(ActivationFailure) -> [FoundItem] {
            ids.compactMap { id in Self.all.first { $0.id == id } }
        }

        func open(_ id: String, token: String?) throws(ActivationFailure) {
            guard Self.all.contains(where: { $0.id == id }) else { throw ActivationFailure(.storeFailed, "it is gone") }
            opened.withLock { $0.append("\(id) \(token ?? "-")") }
        }
    }

    private final class Events: Sendable {
        private let all = Mutex<[String]>([])

        func note(_ event: SearchProvider.Event) {
            let text =
                switch event {
                case .ready: "ready"
                case .nameTaken(let process): "taken by \(process == getpid() ? "us" : "\(process ?? 0)")"
                case .failed(let error): "failed \(error.code)"
                }
            all.withLock { $0.append(text) }
        }

        func wait(for events: [String]) -> [String] {
            _ = eventually { all.withLock { $0.count } >= events.count }
            return all.withLock { $0 }
        }
    }

    /// Which calls were answered.
    private final class Ends: Sendable {
        private let all = Mutex<[Bool]>([])

        func note(_ isAnswered: Bool) { all.withLock { $0.append(isAnswered) } }

        func count(_ isAnswered: Bool) -> Int { all.withLock { $0.count { $0 == isAnswered } } }
    }

    private static func ask(_ member: String, _ arguments: [BusValue], path: String = SearchProvider.path) -> BusCall {
        let runner = ["Match", "Run", "Actions", "Config", "Teardown", "SetActivationToken"]
        let interface = runner.contains(member) ? "org.kde.krunner1" : "org.gnome.Shell.SearchProvider2"
        return BusCall(DesktopServiceName.search, path, interface, member, arguments)
    }

    private static func started(
        _ bus: PrivateBus, _ things: Things, _ environment: [String: String] = [:]
    ) -> (SearchProvider, Events) {
        let events = Events()
        let provider = SearchProvider(environment: bus.environment.merging(environment) { $1 }, things) {
            events.note($0)
        }
        provider.start()
        return (provider, events)
    }

    @Test("GNOME Shell's questions, and their answers") func shell() throws {
        let bus = try PrivateBus()
        let things = Things()
        let (provider, events) = Self.started(bus, things, ["DISPLAY": ":7"])
        #expect(events.wait(for: ["ready"]) == ["ready"])
        let client = SessionBus(environment: bus.environment)
        let words: BusValue = .strings(["the", "clown"])
        #expect(try client.call(Self.ask("GetInitialResultSet", [words])) == [.strings(["1", "2"])])
        #expect(
            try client.call(Self.ask("GetSubsearchResultSet", [.strings(["1"]), .strings(["nothing"])])) == [
                .strings([])
            ])
        #expect(things.asked.withLock { $0 } == ["the clown", "nothing"])
        let metas = try client.call(Self.ask("GetResultMetas", [.strings(["2", "gone", "1"])]))
        #expect(
            metas == [
                .array(
                    [
                        .options([
                            ("id", .string("2")), ("name", .string("Bozo")),
                            ("description", .string("Clowns, clowntown.example")),
                            ("gicon", .string("document-open-recent")),
                        ]),
                        .options([
                            ("id", .string("1")), ("name", .string("Crusty")), ("description", .string("Clowns")),
                            ("gicon", .string("/pictures/crusty.png")),
                        ]),
                    ], of: "a{sv}")
            ])
        #expect(try client.call(Self.ask("GetResultMetas", [.strings([])])) == [.array([], of: "a{sv}")])
        for time: UInt32 in [0, 42] {
            #expect(try client.call(Self.ask("ActivateResult", [.string("2"), words, .uint32(time)])).isEmpty)
        }
        #expect(things.opened.withLock { $0 } == ["2 -", "2 usher-search-1_TIME42"])
        #expect(try client.call(Self.ask("LaunchSearch", [words, .uint32(0)])).isEmpty)
        provider.stop()
        #expect(try eventually { try client.owner(of: DesktopServiceName.search) == nil })
    }

    @Test("KRunner's questions, and their answers") func runner() throws {
        let bus = try PrivateBus()
        let things = Things()
        let (provider, _) = Self.started(bus, things)
        let client = SessionBus(environment: bus.environment)
        #expect(try eventually { try client.owner(of: DesktopServiceName.search) != nil })
        let matches = try client.call(Self.ask("Match", [.string("clown")])).first
        #expect(matches?.signature == "a(sssida{sv})")
        #expect(
            matches?.elements?.first
                == .structure([
                    .string("1"), .string("Crusty"), .string("/pictures/crusty.png"), .int32(30), .double(0.8),
                    .options([("subtext", .string("Clowns"))]),
                ]))
        #expect(try client.call(Self.ask("Match", [.string("nothing")])) == [.array([], of: "(sssida{sv})")])
        #expect(try client.call(Self.ask("Actions", [])) == [.array([], of: "(sss)")])
        #expect(try client.call(Self.ask("Config", [])) == [.options([])])
        #expect(try client.call(Self.ask("Teardown", [])).isEmpty)
        #expect(try client.call(Self.ask("SetActivationToken", [.string("token")])).isEmpty)
        // A token is for one run.
        for _ in 0..<2 { #expect(try client.call(Self.ask("Run", [.string("1"), .string("")])).isEmpty) }
        #expect(things.opened.withLock { $0 } == ["1 token", "1 -"])
        withExtendedLifetime(provider) {}
    }

    @Test("errors, wrong arguments, other objects, the description") func others() throws {
        let bus = try PrivateBus()
        let (provider, _) = Self.started(bus, Things())
        let client = SessionBus(environment: bus.environment)
        #expect(try eventually { try client.owner(of: DesktopServiceName.search) != nil })
        func refusal(_ call: BusCall) -> ActivationFailure? {
            do throws(ActivationFailure) {
                try client.call(call)
                return nil
            } catch {
                return error
            }
        }
        #expect(
            refusal(Self.ask("GetInitialResultSet", [.strings(["broken"])]))?.message.contains("the store is damaged")
                ?? false)
        #expect(refusal(Self.ask("Run", [.string("gone"), .string("")]))?.message.contains("it is gone") ?? false)
        #expect(refusal(Self.ask("GetInitialResultSet", [.uint32(7)]))?.message.contains("InvalidArgs") ?? false)
        #expect(refusal(Self.ask("Frobnicate", []))?.code == .busUnknownMethod)
        #expect(refusal(Self.ask("Actions", [], path: "/org/usher"))?.code == .busUnknownMethod)
        let properties = "org.freedesktop.DBus.Properties"
        var call = BusCall(
            DesktopServiceName.search, SearchProvider.path, properties, "GetAll", [.string("org.kde.krunner1")])
        #expect(try client.call(call) == [.options([])])
        call = BusCall(DesktopServiceName.search, "/", "org.freedesktop.DBus.Introspectable", "Introspect")
        #expect(try client.call(call).first?.string?.contains(#"<node name="org"/>"#) ?? false)
        call.path = SearchProvider.path
        let description = try client.call(call).first?.string ?? ""
        #expect(description.contains("org.gnome.Shell.SearchProvider2") && description.contains("org.kde.krunner1"))
        call.path = "/elsewhere"
        #expect(refusal(call)?.code == .busUnknownMethod)
        withExtendedLifetime(provider) {}
    }

    @Test("a look that takes its time delays no other answer, and many calls are refused") func later() throws {
        let bus = try PrivateBus()
        let gate = DispatchSemaphore(value: 0)
        let things = Things(gate: gate)
        let (provider, _) = Self.started(bus, things)
        let client = SessionBus(environment: bus.environment)
        #expect(try eventually { try client.owner(of: DesktopServiceName.search) != nil })
        let ends = Ends()
        for _ in 0..<70 {
            Thread.detachNewThread {
                ends.note((try? client.call(Self.ask("Match", [.string("clown")]))) != nil)
            }
        }
        #expect(eventually { ends.count(false) == 6 })
        #expect(try client.call(Self.ask("Actions", [])) == [.array([], of: "(sss)")])
        for _ in 0..<64 { gate.signal() }
        #expect(eventually { ends.count(true) == 64 })
        withExtendedLifetime(provider) {}
    }

    @Test("a name that another process has comes when that leaves, and again when the bus comes back") func name()
        throws
    {
        let bus = try PrivateBus()
        let things = Things()
        let (first, earlier) = Self.started(bus, things)
        #expect(earlier.wait(for: ["ready"]) == ["ready"])
        let (second, events) = Self.started(bus, things)
        #expect(events.wait(for: ["taken by us"]) == ["taken by us"])
        first.stop()
        #expect(events.wait(for: ["taken by us", "ready"]) == ["taken by us", "ready"])
        let client = SessionBus(environment: bus.environment)
        #expect(try client.call(Self.ask("Actions", [])) == [.array([], of: "(sss)")])
        bus.stop()
        try bus.start()
        #expect(events.wait(for: ["taken by us", "ready", "ready"]) == ["taken by us", "ready", "ready"])
        #expect(eventually { (try? client.call(Self.ask("Actions", []))) != nil })
        second.stop()
    }

    @Test("without a session bus nothing happens") func none() throws {
        let events = Events()
        let provider = SearchProvider(environment: ["XDG_RUNTIME_DIR": "/nonexistent"], Things()) { events.note($0) }
        provider.start()
        provider.flush()
        #expect(events.wait(for: []).isEmpty)
        provider.stop()
    }
}
