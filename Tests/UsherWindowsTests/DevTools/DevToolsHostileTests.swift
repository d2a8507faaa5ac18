import Dispatch
import Foundation
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// Endpoints that are no browser, or no honest one.
@Suite("DevTools endpoints that lie")
struct DevToolsHostileTests {
    static let version = #"{"Browser":"Chrome/1","webSocketDebuggerUrl":"ws://127.0.0.1:1/devtools/browser/aa-1"}"#

    static func http(_ body: String, status: String = "200 OK") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    /// - Parameter answers: whether there is an answer, of whatever kind: then a busy machine may take its time.
    private func system(_ server: LoopbackServer, answers: Bool = false) throws -> DevToolsWindowSystem {
        DevToolsWindowSystem(
            [try #require(DevToolsAddress(host: "127.0.0.1", port: server.port))], desktop: nil,
            limits: .init(
                answer: answers ? 8000 : 400, visit: answers ? 20_000 : 1200, seen: 100, desktop: 100, back: 50...50))
    }

    /// Nothing of a browser's is waited for so long that a test would be over before.
    private func patient(_ server: LoopbackServer) throws -> DevToolsWindowSystem {
        DevToolsWindowSystem(
            [try #require(DevToolsAddress(host: "127.0.0.1", port: server.port))], desktop: nil,
            limits: .init(answer: 600_000, visit: 600_000, seen: 600_000, desktop: 100, back: 50...600_000))
    }

    private func fails(_ server: LoopbackServer, answers: Bool = false) throws -> DiagnosticCode? {
        let windows = try system(server, answers: answers)
        let begin = Date()
        #expect(try windows.windows() == WindowList(server: nil, windows: []))
        #expect(windows.support[.list] != .yes)
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("devtools:127.0.0.1:\(server.port)/1", server: nil))
        }
        #expect(Date().timeIntervalSince(begin) < 30)
        #expect(failure?.message.utf8.allSatisfy { $0 >= 0x20 } == true)
        return failure?.code
    }

    @Test(
        "answers to /json/version that are none",
        arguments: [
            "", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: http://a/\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            String(decoding: http(#"{"webSocketDebuggerUrl":"ws://a/devtools/browser/../page"}"#), as: UTF8.self),
            String(decoding: http(#"{"webSocketDebuggerUrl":"ws://a/devtools/browser/a\r\nHost: b"}"#), as: UTF8.self),
            String(decoding: http(#"{"webSocketDebuggerUrl":7}"#), as: UTF8.self),
            String(decoding: http(String(repeating: "[", count: 60_000)), as: UTF8.self),
        ])
    func noVersion(answer: String) throws {
        let server = LoopbackServer { _, connection in LoopbackServer.say(Array(answer.utf8), to: connection) }
        let code = try fails(server, answers: true)
        #expect(code == .browserRefused || code == .browserNotConnected)
    }

    @Test("a head without an end, and an answer that never comes")
    func endless() throws {
        let huge = LoopbackServer { _, connection in
            LoopbackServer.say([UInt8](repeating: 0x41, count: 4 << 20), to: connection)
        }
        #expect(try fails(huge, answers: true) == .browserRefused)
        let silent = LoopbackServer { _, connection in LoopbackServer.swallow(connection) }
        #expect(try fails(silent) == .browserNoAnswer)
        #expect(
            try system(silent).presence(of: .handle("devtools:127.0.0.1:\(silent.port)/1", server: "aa-1")) == .unknown)
    }

    @Test(
        "messages that are none",
        arguments: [
            [0x81, 0x03, 0x6E, 0x6F, 0x74], [0x82, 0x00], [0x81, 0x80, 1, 2, 3, 4], [0xF1, 0x00], [0x83, 0x00],
            [0x80, 0x00], [0x01, 0x00, 0x01, 0x00], [0x09, 0x00], [0x89, 126, 0, 200], [0x88, 0x00],
            [0x81, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x81, 127, 0, 0, 0, 0, 0x7F, 0, 0, 0],
            [0x81, 0x02, 0x5B, 0x5D], [0x81, 0x02, 0x7B, 0x7D], [0x88, 0x01, 0x03],
            // Text that is no UTF-8, in an answer that is right otherwise.
            [0x81, 16, 0x7B, 0x22, 0x69, 0x64, 0x22, 0x3A, 0x31, 0x2C, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xFF, 0x22, 0x7D],
        ] as [[UInt8]])
    func noMessage(bytes: [UInt8]) throws {
        let code = try fails(Self.browser { connection in LoopbackServer.say(bytes, to: connection) }, answers: true)
        #expect(code == .browserRefused || code == .browserNotConnected)
    }

    @Test("one that takes the connection and then says nothing, or only pings")
    func silent() throws {
        #expect(try fails(Self.browser { _ in }) == .browserNoAnswer)
        let pings = Self.browser { connection in
            let ping: [UInt8] = Array(repeatElement([0x89, 0x00], count: 500).joined())
            for _ in 0..<50 {
                LoopbackServer.say(ping, to: connection)
                usleep(20_000)
            }
        }
        #expect(try fails(pings) == .browserNoAnswer)
    }

    @Test("a message in many parts that never ends is cut off, and one that ends is read")
    func parts() throws {
        let endless = Self.browser { connection in
            LoopbackServer.say([0x01, 0x00], to: connection)
            let part: [UInt8] = [0x00, 127, 0, 0, 0, 0, 0, 0x10, 0, 0] + [UInt8](repeating: 0x20, count: 1 << 20)
            for _ in 0..<40 { LoopbackServer.say(part, to: connection) }
        }
        let windows = try patient(endless)
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("devtools:127.0.0.1:\(endless.port)/1", server: nil))
        }
        #expect(failure?.code == .browserRefused)
        // A ping may come between the parts.
        let answer = Array(#"{"id":1,"result":{"targetInfos":[]}}"#.utf8)
        let honest = Self.browser { connection in
            let head: [UInt8] = [0x01, 0x03] + answer.prefix(3)
            let rest: [UInt8] = [0x00, 0x00, 0x80, UInt8(answer.count - 3)] + answer.dropFirst(3)
            LoopbackServer.say(head + [0x89, 0x01, 0x41] + rest, to: connection)
        }
        let support = try patient(honest).support
        #expect(support[.list] == .yes, "\(support)")
    }

    @Test(
        "a watch ends at once, whatever the other side does",
        arguments: ["nothing", "nothing after the handshake", "pings", "events", "head"])
    func stop(what: String) throws {
        let began = DispatchSemaphore(value: 0)
        let flood: @Sendable ([UInt8], Int32) -> Void = { bytes, connection in
            began.signal()
            while write(connection, bytes, bytes.count) > 0 {}
        }
        let server =
            switch what {
            case "nothing":
                LoopbackServer { _, connection in
                    began.signal()
                    LoopbackServer.swallow(connection)
                }
            case "head":
                LoopbackServer { _, connection in
                    while write(connection, "A", 1) > 0 {
                        began.signal()
                        usleep(50_000)
                    }
                }
            case "pings": Self.browser { flood([0x89, 0x00], $0) }
            case "events": Self.browser { flood([0x81, 14] + Array(#"{"method":"x"}"#.utf8), $0) }
            default: Self.browser { _ in began.signal() }
            }
        let windows = try patient(server)
        let watch = try #require(windows.watch { _ in })
        #expect(began.wait(timeout: .now() + 30) == .success)
        usleep(100_000)
        let begin = Date()
        watch.stop()
        #expect(Date().timeIntervalSince(begin) < 30)
    }

    @Test("an endpoint known to hang does not delay requests")
    func hanging() throws {
        let silent = LoopbackServer { _, connection in LoopbackServer.swallow(connection) }
        let address = try #require(DevToolsAddress(host: "127.0.0.1", port: silent.port))
        let windows = DevToolsWindowSystem(
            [address], desktop: nil,
            limits: .init(answer: 300, visit: 300, seen: 100, desktop: 100, back: 60_000...60_000))
        let watch = try #require(windows.watch { _ in })
        let end = Date().addingTimeInterval(30)
        while !windows.hanging.has(address), Date() < end { usleep(10_000) }
        #expect(windows.hanging.has(address))
        let handle = "devtools:\(address)/1"
        #expect(try windows.windows().windows.isEmpty && windows.server(of: handle) == nil)
        #expect(try windows.presence(of: .handle(handle, server: "a")) == .unknown)
        watch.stop()
        #expect(!windows.hanging.has(address))
    }

    /// A server of another user; writes its port, then how many bytes each connection sent.
    private static let foreign = """
        import socket, sys
        out = open(sys.argv[1], "w", buffering=1)
        listener = socket.create_server(("127.0.0.1", 0))
        out.write(f"{listener.getsockname()[1]}\\n")
        while True:
            connection, _ = listener.accept()
            out.write(f"told {len(connection.recv(4096))}\\n")
            connection.close()
        """

    @Test("with another user's program nothing is spoken", .enabled(if: geteuid() == 0, "only root has other users"))
    func otherUser() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        chmod(file.path, 0o666)
        let words = [
            "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", "python3", "-c", Self.foreign,
        ]
        let program = try Program(
            SpawnRequest(
                program: "/usr/bin/setpriv", arguments: words + [file.path],
                environment: [EnvironmentVariable("PATH", "/usr/bin:/bin")]))
        defer { program.end() }
        func lines() -> [Substring] {
            ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
        }
        #expect(eventually { lines().first.flatMap { UInt16($0) } != nil })
        let address = try #require(
            lines().first.flatMap { UInt16($0) }.flatMap { DevToolsAddress(host: "127.0.0.1", port: $0) })
        let windows = DevToolsWindowSystem([address])
        let window = WindowReference.handle("devtools:\(address)/1", server: "aa-1")
        #expect(try windows.windows() == WindowList(server: nil, windows: []))
        #expect(try windows.presence(of: window) == .gone)
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("devtools:\(address)/1", server: nil))
        }
        #expect(failure?.code == .browserNotConnected && failure?.message.contains("another user") == true)
        #expect(eventually { lines().count == 4 } && lines().dropFirst().allSatisfy { $0 == "told 0" })
    }

    @Test("one that does not prove that it speaks the protocol")
    func noProof() throws {
        let server = LoopbackServer { head, connection in
            let upgrade =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"
            let answer = head.hasPrefix("GET /json") ? Self.http(Self.version) : Array(upgrade.utf8)
            LoopbackServer.say(answer, to: connection)
        }
        #expect(try fails(server, answers: true) == .browserRefused)
    }

    @Test("answers of the wrong shape make no windows, and nothing traps")
    func wrongShapes() throws {
        for result in [
            "{}", "7", #"{"targetInfos":7}"#, #"{"targetInfos":[7,{"type":"page"},{"type":"page","targetId":"../x"}]}"#,
            #"{"targetInfos":[{"type":"page","targetId":"A"}],"windowId":1e400}"#,
            #"{"targetInfos":[{"type":"page","targetId":"A"}],"windowId":-5,"sessionId":7}"#,
        ] {
            let server = Self.browser { connection in
                // The same to whatever is asked.
                for id in 1...50 {
                    let body = Array("{\"id\":\(id),\"result\":\(result)}".utf8)
                    LoopbackServer.say(
                        [0x81, 126, UInt8(body.count >> 8), UInt8(body.count & 255)] + body, to: connection)
                }
            }
            #expect(try system(server).windows().windows.isEmpty, "\(result)")
        }
    }

    /// What answers as a browser does, up to the first message.
    static func browser(_ speak: @escaping @Sendable (Int32) -> Void) -> LoopbackServer {
        LoopbackServer { head, connection in
            guard !head.hasPrefix("GET /json") else { return LoopbackServer.say(http(version), to: connection) }
            let key = head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
            let upgrade =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(WebSocketKey(String(key)).answer)\r\n\r\n"
            LoopbackServer.say(Array(upgrade.utf8), to: connection)
            speak(connection)
            LoopbackServer.swallow(connection)
        }
    }
}
