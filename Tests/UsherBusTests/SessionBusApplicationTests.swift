import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene

@testable import UsherBus

/// `org.freedesktop.Application`, of a program of the test's own.
struct SessionBusApplicationTests {
    private static let token: BusValue = .options([
        ("activation-token", .string("t-1")), ("desktop-startup-id", .string("t-1")),
    ])

    static let calls:
        [(id: String, verb: ApplicationCall.Verb, token: String?, member: String, arguments: [BusValue])] = [
            ("activate", .activate, "t-1", "Activate", [token]),
            ("activate without a token", .activate, nil, "Activate", [.options([])]),
            (
                "open", .open(["https://a.example/?q=1&r=;", "file:///a b"]), "t-1", "Open",
                [.strings(["https://a.example/?q=1&r=;", "file:///a b"]), token]
            ),
            (
                "action", .action("new-window", parameter: nil), "t-1", "ActivateAction",
                [.string("new-window"), .array([], of: "v"), token]
            ),
            (
                "action with a parameter", .action("open-tab", parameter: "--x"), nil, "ActivateAction",
                [.string("open-tab"), .array([.variant(.string("--x"))], of: "v"), .options([])]
            ),
        ]

    @Test(arguments: calls.map(\.id))
    func saysWhatTheProgramIsAsked(_ id: String) throws {
        let wanted = try #require(Self.calls.first { $0.id == id })
        let bus = try PrivateBus()
        let heard = Mutex<BusMessage?>(nil)
        let program = SessionBus(environment: bus.environment)
        try program.serve("org.example.My-Editor2") { call in
            heard.withLock { $0 = call }
            return .values([])
        }
        let start = try SessionBus(environment: bus.environment).call(
            ApplicationCall(name: "org.example.My-Editor2", verb: wanted.verb, token: wanted.token))
        #expect(start.process == getpid())
        let call = try #require(heard.withLock { $0 })
        #expect(call.path == "/org/example/My_Editor2")
        #expect(call.interface == "org.freedesktop.Application")
        #expect(call.member == wanted.member)
        #expect(call.arguments == wanted.arguments)
        withExtendedLifetime(program) {}
    }

    static let services = [
        "org.example.Fails": "/bin/false", "org.example.Missing": "/nowhere/program",
        "org.example.Never": "/bin/sleep 5",
    ]

    static let failures: [(name: String, code: DiagnosticCode)] = [
        ("org.example.Nobody", .busNoService), ("org.example.Fails", .busNotStarted),
        ("org.example.Missing", .busNotStarted), ("org.example.Never", .busNotStarted),
        ("nodots", .busMessage), ("", .busMessage), ("org..example", .busMessage), ("org.example.", .busMessage),
        ("org.exa mple.X", .busMessage), (":1.1", .busMessage), ("org.freedesktop.DBus", .busUnknownMethod),
    ]

    @Test(arguments: failures.map(\.name))
    func whatCannotBeActivatedIsSaid(_ name: String) throws {
        let wanted = try #require(Self.failures.first { $0.name == name })
        let bus = try PrivateBus(services: Self.services)
        let client = SessionBus(environment: bus.environment)
        let failure = #expect(throws: ActivationFailure.self) {
            try client.call(ApplicationCall(name: name, verb: .activate, timeLimit: 20_000))
        }
        #expect(failure?.code == wanted.code, "\(failure?.message ?? "")")
        #expect(failure?.help != nil)
    }
}
