import Foundation
import TestSupport
import Testing
import UsherJSON

@testable import UsherControl
@testable import UsherOperation

@Suite("BrowserRelay")
struct BrowserRelayTests {
    @Test("messages become lines, however they are cut")
    func framing() throws {
        let texts = [#"{"a":1}"#, "{\n\"b\":\r2}", #"{"c":"\n"}"#]
        let framed = texts.compactMap { NativeMessage.framed(ArraySlice($0.utf8)) }.flatMap { $0 }
        #expect(framed.prefix(4) == [7, 0, 0, 0])
        for size in [1, 3, 7, framed.count] {
            var messages = NativeMessage()
            var lines: [String] = []
            for start in stride(from: 0, to: framed.count, by: size) {
                messages.append(framed[start..<min(start + size, framed.count)])
                while let line = try messages.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
            }
            #expect(lines == ["{\"a\":1}\n", "{ \"b\": 2}\n", "{\"c\":\"\\n\"}\n"])
        }
    }

    @Test("what is too long is not taken")
    func limits() {
        var messages = NativeMessage()
        messages.append([0, 0, 0, 1][...])
        #expect(throws: NativeMessage.TooLong.self) { try messages.nextLine() }
        var most = NativeMessage()
        most.append([0, 0, 128, 0][...])
        #expect(throws: Never.self) { try most.nextLine() }
        #expect(NativeMessage.framed([UInt8](repeating: 0x20, count: 1 << 20)[...]) != nil)
        #expect(NativeMessage.framed([UInt8](repeating: 0x20, count: 1 << 20 + 1)[...]) == nil)
    }

    @Test(
        "beside the control socket",
        arguments: [("/run/usher/usherd.sock", "/run/usher/browser.sock"), ("/s", "/browser.sock")])
    func place(control: String, browser: String) { #expect(BrowserSocket.path(beside: control) == browser) }

    @Test("the relay waits for a daemon, passes messages both ways, reports its end, and waits for the next one")
    func daemons() throws {
        let folder = NSTemporaryDirectory() + "usher-relay-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The first of the two processes makes the state folder.
        let state = folder + "/state"
        var input: [Int32] = [0, 0]
        var output: [Int32] = [0, 0]
        pipe(&input)
        pipe(&output)
        let ended = DispatchSemaphore(value: 0)
        let (from, to) = (input[0], output[1])
        Thread.detachNewThread {
            var relay = BrowserRelay(state: state, input: from, output: to)
            if case .failed(let reason) = relay.run() { Issue.record("\(reason)") }
            ended.signal()
        }
        // No process reads this one.
        write(#"{"lost":true}"#, to: input[1])
        for life in 1...3 {
            let lock = try DaemonLock.acquire(state: state, socket: "", version: "", started: "")
            let listener = try LocalListener.listen(at: state + "/browser.sock")
            // As a daemon that learns late where it listens.
            try lock.name(socket: state + "/usherd.sock")
            let connection = accept(listener, nil, nil)
            #expect(connection >= 0)
            var reader = Reader(descriptor: connection)
            let host = reader.line()
            #expect(host?["type"]?.string == "host" && host?["process"]?.int64 == Int64(getppid()))
            #expect(message(from: output[0])?["event"]?.string == "connected")
            write(#"{"life":\#(life)}"#, to: input[1])
            // The first one may have been read only now.
            var line = reader.line()
            if line?["lost"] != nil { line = reader.line() }
            #expect(line?["life"]?.int64 == Int64(life))
            _ = "\n{\"id\":\(life)}\n".withCString { Glibc.write(connection, $0, strlen($0)) }
            #expect(message(from: output[0])?["id"]?.int64 == Int64(life))
            // In this order: the relay connects again as soon as its connection ends.
            unlink(state + "/browser.sock")
            close(listener)
            close(connection)
            #expect(message(from: output[0])?["event"]?.string == "disconnected")
        }
        close(input[1])
        #expect(ended.wait(timeout: .now() + 30) == .success)
        for descriptor in [input[0], output[0], output[1]] { close(descriptor) }
    }

    private func write(_ text: String, to descriptor: Int32) {
        let bytes = NativeMessage.framed(ArraySlice(text.utf8)) ?? []
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private func message(from descriptor: Int32) -> JSONValue? {
        func take(_ count: Int) -> [UInt8]? {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&events, 1, 30_000) > 0 else { return nil }
                var chunk = [UInt8](repeating: 0, count: count - bytes.count)
                let read = Glibc.read(descriptor, &chunk, chunk.count)
                guard read > 0 else { return nil }
                bytes += chunk[..<read]
            }
            return bytes
        }
        guard let head = take(4) else { return nil }
        return take(head.reversed().reduce(0) { $0 << 8 | Int($1) }).flatMap { try? JSONValue(parsing: $0) }
    }

    private struct Reader {
        let descriptor: Int32
        var bytes: [UInt8] = []

        mutating func line() -> JSONValue? {
            while true {
                if let end = bytes.firstIndex(of: 0x0A) {
                    defer { bytes.removeSubrange(...end) }
                    return try? JSONValue(parsing: Array(bytes[..<end]))
                }
                var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&events, 1, 30_000) > 0 else { return nil }
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &chunk, chunk.count)
                guard count > 0 else { return nil }
                bytes += chunk[..<count]
            }
        }
    }
}
