import Foundation
import Synchronization
import TestSupport
import Testing
import UsherHTTP

/// Slow clients, silent ones, many of them; and the end of a server.
@Suite(.timeLimit(.minutes(20)))
struct HTTPConnectionTests {
    static let get = "GET /count HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func answers408AtTheDeadlineOfTheHead() throws {
        let server = try TestServer { $0.headSeconds = 0.5 }
        let client = try server.connect()
        let start = Date()
        client.send("GET / HT")
        let answer = try #require(try client.answer())
        #expect(answer.status == 408)
        #expect(answer.body.contains("http.timeout"))
        #expect(Date().timeIntervalSince(start) >= 0.45)
        #expect(try client.isAtEnd())
    }

    @Test func answers408AtTheDeadlineOfTheBody() throws {
        let server = try TestServer { $0.bodySeconds = 0.5 }
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        #expect(try client.answer()?.status == 408)
    }

    @Test func closesIdleConnectionsWithoutAWord() throws {
        let server = try TestServer { $0.idleSeconds = 0.5 }
        let client = try server.connect()
        client.send(Self.get)
        #expect(try client.answer()?.status == 200)
        #expect(try client.isAtEnd())
    }

    @Test func answersForAHandlerThatDoesNot() throws {
        let server = try TestServer { $0.answerSeconds = 0.3 }
        let client = try server.connect()
        client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(try client.answer())
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") != nil)
    }

    /// More answers than the client reads: the server stops reading, holds little, and gives up.
    @Test func endsAPipelinerThatNeverReads() throws {
        let server = try TestServer { $0.writeSeconds = 1 }
        let client = try server.connectLocally()
        let requests = String(repeating: "GET /bulk HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000)
        var isTaken = true
        for _ in 0..<100 where isTaken { isTaken = client.send(requests) }
        #expect(!isTaken)
        #expect(server.handler.handled.load(ordering: .relaxed) < 100)
    }

    /// It takes something all the time, and would hold its connection for as long as it likes.
    @Test func endsAReaderThatTakesTooLittle() throws {
        let server = try TestServer {
            $0.writeSeconds = 1
            $0.writeBytes = 8 << 20
        }
        let client = try server.connectLocally()
        client.send(String(repeating: "GET /bulk HTTP/1.1\r\nHost: a\r\n\r\n", count: 80))
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        #expect(
            eventually {
                // This is how slow it is.
                usleep(50_000)
                return recv(client.descriptor, &piece, piece.count, 0) <= 0
            })
    }

    @Test func servesAReaderThatIsSlow() throws {
        let server = try TestServer { $0.idleSeconds = 0.5 }
        let client = try server.connectLocally()
        client.send(String(repeating: "GET /bulk HTTP/1.1\r\nHost: a\r\n\r\n", count: 4))
        for _ in 0..<4 {
            // This is how slow it is: together more than a connection may be idle.
            usleep(200_000)
            #expect(try client.answer()?.body.utf8.count == 1 << 20)
        }
    }

    @Test func closesIdleOnesForNewOnes() throws {
        let server = try TestServer { $0.connections = 8 }
        var clients: [Client] = []
        for _ in 0..<7 {
            let client = try server.connect()
            client.send(Self.get)
            #expect(try client.answer()?.status == 200)
            clients.append(client)
        }
        let another = try server.connect()
        another.send(Self.get)
        #expect(try another.answer()?.status == 200)
        #expect(server.events.all.contains { if case .full = $0 { true } else { false } })
        // The room that is kept for this machine's user.
        let local = try server.connectLocally()
        local.send(Self.get)
        #expect(try local.answer()?.status == 200)
    }

    /// Requests that arrive slowly do not keep others out; one that has shown a proof is not closed for them.
    @Test func closesSlowOnesForNewOnes() throws {
        let server = try TestServer { $0.connections = 8 }
        let proven = try server.connect()
        proven.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nProven: yes\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try proven.answer()?.status == 100)
        proven.send("a")
        var slow: [Client] = []
        for number in 0..<60 {
            let client = try server.connect()
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\n" + (number % 2 == 0 ? "" : "Content-Length: 2\r\n\r\na"))
            slow.append(client)
        }
        let another = try server.connect()
        another.send(Self.get)
        #expect(try another.answer()?.status == 200)
        #expect(server.server.connectionCount <= 8)
        proven.send("b")
        #expect(try proven.answer()?.body == "ab")
        withExtendedLifetime(slow) {}
    }

    @Test func letsNewOnesWaitWhenAllAreBusy() throws {
        let server = try TestServer { $0.connections = 8 }
        var busy = try (0..<7).map { _ in try server.connect() }
        for client in busy { client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n") }
        #expect(eventually { server.handler.handled.load(ordering: .relaxed) == 7 })
        let waiting = try server.connect()
        waiting.send(Self.get)
        let local = try server.connectLocally()
        local.send(Self.get)
        #expect(try local.answer()?.status == 200)
        #expect(server.handler.handled.load(ordering: .relaxed) == 8)
        busy[0].reset()
        busy.removeFirst()
        #expect(try waiting.answer()?.status == 200)
    }

    // MARK: The end

    @Test func finishesWhatWasBegun() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
        let idle = try server.connect()
        idle.send(Self.get)
        #expect(try idle.answer()?.status == 200)
        try server.settle()
        server.server.stop(deadlineSeconds: 60)
        #expect(try idle.isAtEnd())
        client.send("llo")
        let answer = try #require(try client.answer())
        #expect(answer.body == "hello")
        #expect(answer.field("Connection") == "close")
        #expect(try client.isAtEnd())
        #expect(server.stop())
        #expect(server.events.all == [])
    }

    @Test func answersWhatLayInTheBacklog() throws {
        let server = try TestServer()
        let clients = try (0..<30).map { _ in try server.connect() }
        for client in clients { client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n") }
        #expect(server.stop())
        for client in clients { #expect(try client.answer()?.status == 200) }
    }

    @Test func givesUpAtTheDeadline() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { server.handler.handled.load(ordering: .relaxed) == 1 })
        #expect(server.stop(deadlineSeconds: 0.2))
        #expect(try client.isAtEnd())
        #expect(server.events.all == [.drainIncomplete(connections: 1)])
    }

    @Test func canBeStoppedBeforeItRuns() throws {
        let server = try HTTPServer(
            listeners: [.init(.internet(host: "127.0.0.1", port: 0), label: "tcp")], handler: SampleHandler())
        server.stop()
        try server.run()
        try server.run()
    }

    // MARK: Listening

    @Test func replacesAStaleSocketOnly() throws {
        let files = TemporaryFolder()
        let folder = files.path
        defer { withExtendedLifetime(files) {} }
        let path = folder + "/s"
        let listener = HTTPServer.Listener(.local(path: path), label: "local")
        let one = try HTTPServer(listeners: [listener], handler: SampleHandler())
        #expect(one.addresses == [.local(path: path)])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(listeners: [listener], handler: SampleHandler())
        }
        #expect(error?.systemError == EADDRINUSE)
        #expect(error?.description == "U6117 http.cannot-listen: cannot listen on \(path): Address already in use")
        // A file that is no socket is not removed.
        _ = FileManager.default.createFile(atPath: folder + "/f", contents: nil)
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(listeners: [.init(.local(path: folder + "/f"), label: "")], handler: SampleHandler())
        }
        #expect(FileManager.default.fileExists(atPath: folder + "/f"))
        // A socket whose listener is gone.
        let stale = folder + "/stale"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: stale.utf8) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 110) }
        }
        close(descriptor)
        #expect(throws: Never.self) {
            try HTTPServer(listeners: [.init(.local(path: stale), label: "")], handler: SampleHandler())
        }
        _ = one
    }

    @Test func adoptsAListener() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let listener = HTTPServer.Listener(.inherited(descriptor: descriptor), label: "systemd")
        #expect(throws: HTTPServerError.self) { try HTTPServer(listeners: [listener], handler: SampleHandler()) }
        listen(descriptor, 5)
        let server = try HTTPServer(listeners: [listener], handler: SampleHandler())
        guard case .internet("0.0.0.0", let port) = server.addresses[0] else {
            Issue.record("\(server.addresses)")
            return
        }
        Thread.detachNewThread { try? server.run() }
        let client = try Client(port: port)
        client.send("GET /peer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer()?.body.contains("systemd") == true)
        server.stop()
        #expect(try client.isAtEnd())
    }

    /// Another process has the listener open, too. Connections in its queue cause no work while this one drains.
    @Test func drainsQuietlyBesideAnInheritedListener() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        listen(descriptor, 5)
        let kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        defer { close(kept) }
        let handler = SampleHandler()
        let server = try HTTPServer(
            listeners: [.init(.inherited(descriptor: descriptor), label: "systemd")], handler: handler)
        guard case .internet(_, let port) = server.addresses[0] else {
            Issue.record("\(server.addresses)")
            return
        }
        let ended = DispatchSemaphore(value: 0)
        let spent = Mutex(0.0)
        Thread.detachNewThread {
            try? server.run()
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            spent.withLock { $0 = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
            ended.signal()
        }
        let idle = try Client(port: port)
        idle.send(Self.get)
        #expect(try idle.answer()?.status == 200)
        let busy = try Client(port: port)
        busy.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { handler.handled.load(ordering: .relaxed) == 2 })
        server.stop(deadlineSeconds: 2)
        #expect(try idle.isAtEnd())
        let next = try Client(port: port)
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(spent.withLock { $0 } < 0.5)
        _ = next
    }

    @Test(arguments: ["localhost", "", "1.2.3", "[::1]"]) func takesNumericAddressesOnly(_ host: String) {
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(listeners: [.init(.internet(host: host, port: 0), label: "x")], handler: SampleHandler())
        }
        #expect(error?.systemError == EINVAL)
    }

    @Test func bindsAllOrNothing() throws {
        let files = TemporaryFolder()
        let folder = files.path
        defer { withExtendedLifetime(files) {} }
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(
                listeners: [
                    .init(.local(path: folder + "/s"), label: ""), .init(.internet(host: "x", port: 0), label: ""),
                ],
                handler: SampleHandler())
        }
        #expect(!FileManager.default.fileExists(atPath: folder + "/s"))
    }

    /// No descriptors are left: the listener is put aside instead of being reported again and again.
    @Test func bearsTheWantOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer()
            let first = try server.connect()
            first.send(HTTPConnectionTests.get)
            guard try first.answer()?.status == 200 else { exit(2) }
            var limit = rlimit(rlim_cur: 100, rlim_max: 0)
            var old = rlimit()
            getrlimit(__rlimit_resource_t(7), &old)
            limit.rlim_max = old.rlim_max
            setrlimit(__rlimit_resource_t(7), &limit)
            var clients: [Client] = []
            while clients.count < 100, let client = try? server.connect() { clients.append(client) }
            let isReported = eventually {
                server.events.all.contains { if case .acceptFailed = $0 { true } else { false } }
            }
            guard isReported else { exit(3) }
            func seconds() -> Double {
                var usage = rusage()
                getrusage(__rusage_who_t(0), &usage)
                return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                    + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
            }
            let before = seconds()
            // For as long as it is measured: a loop that does not wait spends all of it.
            usleep(1_000_000)
            guard seconds() - before < 0.2 else { exit(4) }
            // One that is there is still served, and new ones are when others have gone.
            first.send(HTTPConnectionTests.get)
            guard try first.answer()?.status == 200 else { exit(5) }
            clients.removeAll()
            let last = try server.connect()
            last.send(HTTPConnectionTests.get)
            guard try last.answer()?.status == 200 else { exit(6) }
            exit(0)
        }
    }
}
