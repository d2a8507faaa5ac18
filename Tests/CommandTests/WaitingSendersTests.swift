import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherJSON

@testable import UsherBus

/// Senders that wait for the answers to their notifications, at the sockets of a real `usherd`.
struct WaitingSendersTests {
    // MARK: A desktop

    /// What shows notifications on a bus of the test's own, and the user before it.
    private final class Screen: Sendable {
        struct Note {
            var number: UInt32
            var summary: String
            var replaces: UInt32
            /// Their keys.
            var buttons: [String]
        }

        private let bus: SessionBus
        private let shown = Mutex<[Note]>([])
        private let closings = Mutex<[UInt32]>([])

        init(_ bus: PrivateBus) throws {
            self.bus = SessionBus(environment: bus.environment)
            try self.bus.serve(NotificationServer.name) { [weak self] call in self?.reply(to: call) }
        }

        var notes: [Note] { shown.withLock { $0 } }
        var closed: [UInt32] { closings.withLock { $0 } }

        private func reply(to call: BusMessage) -> BusReply? {
            switch call.member {
            case "GetCapabilities": return .values([.strings(["body", "actions"])])
            case "GetServerInformation":
                return .values([.string("screen"), .string("usher"), .string("1"), .string("1.2")])
            case "Notify":
                guard call.arguments.count == 8, let replaces = call.arguments[1].uint32 else { return nil }
                let words = (call.arguments[5].elements ?? []).compactMap(\.string)
                let buttons = stride(from: 0, to: words.count, by: 2).map { words[$0] }
                let number = shown.withLock { shown in
                    let number = replaces == 0 ? UInt32(shown.count + 1) : replaces
                    shown.append(
                        Note(
                            number: number, summary: call.arguments[3].string ?? "", replaces: replaces,
                            buttons: buttons))
                    return number
                }
                return .values([.uint32(number)])
            case "CloseNotification":
                closings.withLock { $0 += call.arguments.first?.uint32.map { [$0] } ?? [] }
                return .values([])
            default: return nil
            }
        }

        func press(_ number: UInt32, _ action: String) throws {
            try bus.emit(
                BusMessage(
                    path: NotificationServer.path, interface: NotificationServer.name, member: "ActionInvoked",
                    arguments: [.uint32(number), .string(action)]))
        }
    }

    /// A running `usherd`, and what it shows.
    private final class Desk {
        let usher: UsherProgram
        let screen: Screen
        private let bus: PrivateBus
        private(set) var daemon: Process

        static func run(descriptors: Int? = nil, _ body: (Desk) throws -> Void) throws {
            signal(SIGPIPE, SIG_IGN)
            try UsherProgram.run { usher in
                let desk = try Desk(usher, descriptors: descriptors)
                defer { desk.stop() }
                try body(desk)
            }
        }

        private init(_ program: UsherProgram, descriptors: Int?) throws {
            var usher = program
            bus = try PrivateBus()
            screen = try Screen(bus)
            usher.environment.merge(bus.environment) { $1 }
            try usher.write(
                """
                id = "example.town"
                deliver = "notify"
                [[notifications.categories]]
                id = "ASK"
                actions = [{ id = "yes", title = "Yes", answer = true }, { id = "show", title = "Show" }]
                [handlers]
                background = { exec = ["true"] }
                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                """, to: "town/apps/town.toml")
            self.usher = usher
            daemon = try usher.startDaemon(config: usher.path("town"), descriptors: descriptors)
            try waitUntilReady()
        }

        var socket: String { usher.path("s") }

        func waitUntilReady() throws {
            try waitUntil("the daemon answers") { try usher("status").status == 0 }
        }

        func stop() {
            kill(daemon.processIdentifier, SIGTERM)
            daemon.waitUntilExit()
        }

        /// Kills it, and starts it again.
        func crash(meanwhile: () throws -> Void = {}) throws {
            kill(daemon.processIdentifier, SIGKILL)
            daemon.waitUntilExit()
            try meanwhile()
            daemon = try usher.startDaemon(config: usher.path("town"))
            try waitUntilReady()
        }

        /// A line of `status` of the process.
        func figure(_ name: String) -> Int {
            let status =
                (try? String(contentsOfFile: "/proc/\(daemon.processIdentifier)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }

        static func question(_ title: String = "Go on?", more: String = "") -> String {
            #"{"aps":{"alert":{"title":"\#(title)"},"category":"ASK"},"app":"example.town","more":"\#(more)"}"#
        }

        /// The request of a client that waits.
        static func request(_ id: Int, _ payload: String = question()) -> String {
            let input = JSONValue.string(payload).text()
            return
                #"{"id":\#(id),"command":"dispatch","arguments":{"input":\#(input),"app":"example.town","wait":"action"}}"#
                + "\n"
        }
    }

    /// A connection to the daemon.
    private final class Connection {
        private let descriptor: Int32
        private var received: [UInt8] = []

        init(_ path: String) throws {
            descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                bytes = bytes.dropFirst(count)
            }
        }

        /// The next line; nil where none comes within this time, or the daemon has ended the connection.
        func line(withinMilliseconds milliseconds: Int32 = 20_000) -> String? {
            while true {
                if let end = received.firstIndex(of: 0x0A) {
                    defer { received.removeSubrange(...end) }
                    return String(decoding: received[..<end], as: UTF8.self)
                }
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, milliseconds) > 0 else { return nil }
                var chunk = [UInt8](repeating: 0, count: 64 * 1024)
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return nil }
                received += chunk[..<count]
            }
        }

        /// The next answer.
        func answer() throws -> JSONValue { try JSONValue(parsing: Array(#require(line()).utf8)) }
    }

    /// How a command ended that another thread waited for.
    private final class Ending: Sendable {
        let value = Mutex<UsherProgram.Ending?>(nil)
    }

    // MARK: Tests

    @Test("what waits on a connection keeps no other request of it waiting")
    func oneConnection() throws {
        try Desk.run { desk in
            let connection = try Connection(desk.socket)
            for id in 1...100 { connection.send(Desk.request(id)) }
            connection.send(#"{"id":101,"command":"deliveries.list","arguments":{"limit":1}}"# + "\n")
            #expect(try connection.answer()["id"]?.int64 == 101)
            try waitUntil("all are shown") { desk.screen.notes.count == 100 }
            try desk.screen.press(7, "yes")
            let answered = try connection.answer()
            #expect(answered["result"]?["answer"]?["state"]?.string == "pressed", "\(answered.text())")
            // What its client has ended with is answered to the last.
            #expect(connection.line(withinMilliseconds: 0) == nil)
        }
    }

    @Test("256 senders wait without threads of their own, and other commands get in")
    func manyConnections() throws {
        try Desk.run { desk in
            try usherDispatchesAtOnce(desk)
            let (threads, memory) = (desk.figure("Threads"), desk.figure("VmRSS"))
            let more = String(repeating: "x", count: 500_000)
            let senders = try (1...256).map { number in
                let sender = try Connection(desk.socket)
                sender.send(Desk.request(number, Desk.question("\(number)", more: more)))
                return sender
            }
            try waitUntil("all are shown") { desk.screen.notes.count == 256 }
            #expect(desk.figure("Threads") < threads + 16, "\(threads) before")
            #expect(desk.figure("VmRSS") < memory + 64 * 1024, "\(memory) KiB before")
            let refused = try Connection(desk.socket)
            refused.send(Desk.request(1))
            #expect(try refused.answer()["error"]?["name"]?.string == "answer.too-many")
            let command = try desk.usher("dispatch", "--wait-action", "--app", "example.town", input: Desk.question())
            #expect(command.status == 2 && command.errors.contains("answer.too-many"), "\(command.errors)")
            // What its client has sent already is no request.
            let input = #"{"id":8,"command":"hello","arguments":{"protocol":1}}"# + "\n"
            refused.send(
                #"{"id":7,"command":"dispatch","arguments":{"stream":"lines","wait":"action"}}"# + "\n"
                    + "lines\n\(input.utf8.count)\n\(input)0\n" + input.replacing("8", with: "9"))
            #expect(try refused.answer()["id"]?.int64 == 7)
            #expect(try refused.answer()["id"]?.int64 == 9)
            try usherDispatchesAtOnce(desk)
            #expect(try desk.usher("scene", "list").status == 0 && desk.usher("status").status == 0)
            // Each has its own answer.
            let note = try #require(desk.screen.notes.first { $0.summary == "77" })
            try desk.screen.press(note.number, "yes")
            #expect(try senders[76].answer()["result"]?["answer"]?["action"]?.string == "yes")
            refused.send(Desk.request(2))
            try waitUntil("there is room for one more") { desk.screen.notes.count == 257 }
        }
    }

    private func usherDispatchesAtOnce(_ desk: Desk) throws {
        let push = #"{"aps":{"content-available":1},"app":"example.town"}"#
        let ending = try desk.usher("dispatch", input: push)
        #expect(ending.status == 0 && ending.json()["outcome"]?.string == "done", "\(ending.errors)")
    }

    @Test("senders that wait leave half of the connections to others")
    func fewDescriptors() throws {
        try Desk.run(descriptors: 128) { desk in
            var senders: [Connection] = []
            var refusal: String?
            while refusal == nil, senders.count < 128 {
                let sender = try Connection(desk.socket)
                senders.append(sender)
                sender.send(Desk.request(1))
                let count = senders.count
                try waitUntil("it is shown or refused") {
                    refusal = sender.line(withinMilliseconds: 0)
                    return refusal != nil || desk.screen.notes.count == count
                }
            }
            #expect(senders.count == 33 && refusal?.contains("answer.too-many") == true, "\(senders.count)")
            try usherDispatchesAtOnce(desk)
        }
    }

    @Test("the body of a request that waits is charged to its share only until it is stored")
    func bodies() throws {
        try Desk.run { desk in
            let body = Desk.question(more: String(repeating: "x", count: (1 << 20) - 200))
            let request =
                "POST /v1/notifications?wait=action HTTP/1.1\r\nHost: usher\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
            let senders = try (1...20).map { number in
                let sender = try Connection(desk.socket)
                sender.send(request)
                try waitUntil("\(number) are shown") { desk.screen.notes.count == number }
                return sender
            }
            try desk.screen.press(20, "yes")
            #expect(senders[19].line() == "HTTP/1.1 200 OK\r")
            // The others still wait.
            #expect(senders[0].line(withinMilliseconds: 0) == nil)
        }
    }

    @Test("a killed daemon: its senders end with an error, and their questions lose the answers when it starts again")
    func killed() throws {
        try Desk.run { desk in
            let ending = Ending()
            let usher = desk.usher
            Thread.detachNewThread {
                let found = try? usher("dispatch", "--wait-action", "--app", "example.town", input: Desk.question("A"))
                ending.value.withLock { $0 = found }
            }
            try waitUntil("the command's is shown") { desk.screen.notes.count == 1 }
            let lines = try Connection(desk.socket)
            lines.send(Desk.request(1, Desk.question("B")))
            try waitUntil("the client's is shown") { desk.screen.notes.count == 2 }
            let body = Desk.question("C")
            let web = try Connection(desk.socket)
            web.send(
                "POST /v1/notifications?wait=action HTTP/1.1\r\nHost: usher\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            try waitUntil("all are shown") { desk.screen.notes.count == 3 }
            #expect(desk.screen.notes.allSatisfy { $0.buttons == ["default", "yes", "show"] })
            let id = try #require(try usher("deliveries", "list", "--json").json().elements?.last?["id"]?.string)
            try desk.crash {
                try waitUntil("the command has ended") { ending.value.withLock { $0 } != nil }
                let ended = try #require(ending.value.withLock { $0 })
                #expect(ended.status == 1 && ended.output.isEmpty)
                #expect(
                    ended.errors.contains("[U6301 control.unreachable]")
                        || ended.errors.contains("closed the connection"))
                #expect(lines.line() == nil && web.line() == nil)
                let refused = try usher("deliveries", "answer", id, "yes")
                #expect(refused.status == 2 && refused.errors.contains("answer.not-waiting"), "\(refused.errors)")
            }
            try waitUntil("the buttons go") { desk.screen.notes.count == 6 }
            let again = desk.screen.notes.suffix(3)
            #expect(again.map(\.summary) == ["A", "B", "C"] && again.map(\.replaces) == [1, 2, 3])
            #expect(again.allSatisfy { $0.buttons == ["default", "show"] })
            let refused = try usher("deliveries", "answer", id, "yes")
            #expect(refused.status == 2 && refused.errors.contains("answer.not-waiting"), "\(refused.errors)")
            // A press that was on its way.
            try desk.screen.press(1, "yes")
            try waitUntil("it is a click") {
                let last = try usher("deliveries", "list", "--json").json().elements?.first
                guard last?["source"]?.string == "notification", let id = last?["id"]?.string else { return false }
                return try usher("deliveries", "show", id).output.contains("notification.answer-late")
            }
        }
    }

    @Test("each line of a batch is waited for, and more than may wait are refused before any is shown")
    func batches() throws {
        try Desk.run { desk in
            func send(_ lines: Int) throws -> Connection {
                let body = String(repeating: Desk.question() + "\n", count: lines)
                let sender = try Connection(desk.socket)
                sender.send(
                    "POST /v1/notifications?wait=action HTTP/1.1\r\nHost: usher\r\nContent-Type: application/x-ndjson\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
                return sender
            }
            #expect(try send(257).line() == "HTTP/1.1 429 Too Many Requests\r")
            #expect(desk.screen.notes.isEmpty)
            let sender = try send(255)
            try waitUntil("all are shown") { desk.screen.notes.count == 255 }
            let lines = Desk.question() + "\n" + Desk.question("late") + "\n"
            let command = try desk.usher(
                "dispatch", "--wait-action", "--timeout", "1s", "--app", "example.town", input: lines)
            // The first waits, and the second cannot.
            #expect(command.status == 1 && command.errors.contains("answer"), "\(command.errors)")
            #expect(command.json()["answer"]?["state"]?.string == "timeout")
            #expect(desk.screen.notes.allSatisfy { $0.summary != "late" })
            withExtendedLifetime(sender) {}
        }
    }
}
