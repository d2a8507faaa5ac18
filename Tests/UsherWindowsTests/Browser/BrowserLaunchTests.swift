import Dispatch
import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// A browser that does not run yet is started, and is there when it says so itself.
@Suite("A browser is launched")
struct BrowserLaunchTests {
    private static let here = SourceLocation(path: "web.toml", line: 13, column: 11)

    private func launch(
        _ windowSystem: any WindowSystem, timeLimit: Int, program: [String] = ["true"]
    ) throws -> ActivationReport {
        var rule = WindowRule(location: Self.here)
        rule.browser = try .init("firefox")
        // As browsers do that hand over to another process of theirs.
        var command = Command(arguments: program, location: Self.here)
        command.timeLimit = timeLimit
        let activator = Activator(
            windowSystem: windowSystem, environment: ["PATH": "/usr/bin:/bin"], stateDirectory: nil)
        return activator.launch(
            ActivationTask(
                delivery: "d", nonce: "nonce-\(UUID().uuidString)", app: "web", scene: "window", session: "window-1",
                target: "http://a/1", payload: [], action: .launch, reason: .default),
            LaunchHandler(method: .exec, command: command), focus: FocusHandler(method: .window(rule)))
    }

    @Test("its window is waited for, brought forward, and the session's")
    func arrives() throws {
        let place = try SocketPlace()
        let path = place.path
        let peer = Peers()
        let files = TemporaryFolder()
        DispatchQueue.global().async {
            guard eventually({ files.exists("started") }), let browser = try? Peer(path) else { return }
            peer.keep(browser)
            browser.say(#"{"type":"host","process":\#(getpid())}"#)
            browser.say(#"{"type":"hello","protocol":1,"browser":"Firefox","version":"1"}"#)
            _ = browser.hear()
            browser.say(SocketPlace.state(title: "One"))
            _ = browser.answers { request in
                #"{"type":"answer","id":\#(request["id"]?.numberText ?? ""),"window":1,"tab":11,"active":true,"#
                    + #""focused":true,"found":true,"loaded":true,"title":"One"}"#
            }
        }
        let report = try launch(
            WindowSystems([place.windows]), timeLimit: 30_000, program: ["touch", files.path + "/started"])
        #expect(report.outcome == .verified && report.handle == "browser:firefox/1" && report.warnings.isEmpty)
        #expect(report.handleServer != nil)
    }

    @Test("a browser that does not connect, and one without a daemon, are unverified and name the remedy")
    func absent() throws {
        let place = try SocketPlace()
        let late = try launch(WindowSystems([place.windows]), timeLimit: 200)
        #expect(late.outcome == .unverified && late.warnings.first?.help?.contains("usher browser status") == true)
        let alone = try launch(WindowSystems([]), timeLimit: 30_000)
        #expect(alone.outcome == .unverified && alone.warnings.first?.help?.contains("usherd") == true)
    }
}

/// Keeps a connection open.
private final class Peers: @unchecked Sendable {
    private let lock = NSLock()
    private var peers: [Peer] = []

    func keep(_ peer: Peer) { lock.withLock { peers.append(peer) } }
}
