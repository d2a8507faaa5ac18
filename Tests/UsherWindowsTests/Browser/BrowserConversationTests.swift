import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherScene
import UsherSystem

@testable import UsherWindows

/// What browsers say, and what they leave unsaid: the other end of the socket is this test.
@Suite("Browsers at the socket")
struct BrowserConversationTests {
    @Test("state, names and answers")
    func conversation() throws {
        let place = try SocketPlace()
        let windows = place.windows
        #expect(try windows.windows() == WindowList(server: nil, windows: []))
        let first = try place.connect()
        first.say(#"{"type":"host","process":\#(getpid())}"#)
        first.say(#"{"type":"hello","protocol":1,"browser":"Firefox","version":"1"}"#)
        #expect(first.hear()?["client"]?.string == "firefox")
        let second = try place.connect()
        second.say(#"{"type":"hello","protocol":1,"browser":"Firefox","version":"1"}"#)
        #expect(second.hear()?["client"]?.string == "firefox-2")
        // Not before it has said what it shows is there anything of it.
        #expect(try windows.windows().windows.isEmpty)
        first.say(SocketPlace.state(title: "One"))
        let list = try windows.change(
            after: WindowList(server: nil, windows: []), until: Deadline(inMilliseconds: 30_000), or: nil)
        #expect(list.windows.map(\.handle) == ["browser:firefox/1"])
        #expect(list.windows.first?.tabs.map(\.handle) == ["browser:firefox/1/11", "browser:firefox/1/12"])
        #expect(list.windows.first?.title == "One" && list.windows.first?.browser == "firefox")
        #expect(list.windows.first?.process == getpid())
        let server = try windows.server(of: "browser:firefox/1")
        #expect(server != nil && server == list.windows.first?.server)
        #expect(try windows.presence(of: .handle("browser:firefox/1/12", server: server)) == .present)
        #expect(try windows.presence(of: .handle("browser:firefox/1/13", server: server)) == .gone)
        #expect(try windows.presence(of: .handle("browser:firefox/1", server: "1.1")) == .gone)
        #expect(try windows.presence(of: .handle("browser:chromium/1", server: nil)) == .unknown)

        let asked = first.answers { request in
            #"{"type":"answer","id":\#(request["id"]?.numberText ?? ""),"window":1,"tab":12,"active":true,"#
                + #""focused":true,"found":true,"loaded":true,"title":"Two"}"#
        }
        let sighting = try windows.focus(
            FocusRequest(.handle("browser:firefox/1", server: server), target: "http://a/2"))
        #expect(sighting.view == .shown && sighting.title == "Two" && sighting.handle == "browser:firefox/1")
        #expect(asked()?["url"]?.string == "http://a/2" && asked()?["prominence"]?.string == "focus")
    }

    @Test(
        "what a page says of itself is bounded, and a window that does not say so is private",
        arguments: [
            (#""incognito":false"#, #""canonical":"https://a/","language":"de""#, false, "https://a/", "de"),
            (#""incognito":true"#, #""canonical":7,"language":null"#, true, nil, nil),
            (#""incognito":"no""#, #""canonical":[],"language":{}"#, true, nil, nil),
            (#""other":1"#, #""canonical":"\#(String(repeating: "a", count: 20_000))""#, true, nil, nil),
        ] as [(String, String, Bool, String?, String?)])
    func page(window: String, facts: String, isPrivate: Bool, canonical: String?, language: String?) throws {
        let place = try SocketPlace()
        let browser = try place.connect()
        browser.say(#"{"type":"hello","protocol":1,"browser":"Firefox","version":"1"}"#)
        let greeting = browser.hear()
        #expect(greeting?["pages"]?.boolean == false)
        let tab = #"{"id":1,"url":"https://a/","title":"A","active":true,\#(facts)}"#
        browser.say(#"{"type":"state","windows":[{"id":1,"focused":true,\#(window),"tabs":[\#(tab)]}]}"#)
        let list = try place.windows.change(
            after: WindowList(server: nil, windows: []), until: Deadline(inMilliseconds: 30_000), or: nil)
        #expect(list.windows.first?.isPrivate == isPrivate)
        #expect(list.windows.first?.tabs.first?.canonical == canonical)
        #expect(list.windows.first?.tabs.first?.language == language)
        place.windows.readPages(true)
        #expect(browser.hear()?["pages"]?.boolean == true)
    }

    @Test(
        "what is read of a page is what was asked for; a page in a private window is not asked for",
        arguments: [PageContent.Part.selection, .data], [false, true])
    func content(part: PageContent.Part, isPrivate: Bool) throws {
        let place = try SocketPlace()
        let browser = try place.connect()
        browser.say(#"{"type":"hello","protocol":1,"browser":"Firefox","version":"1"}"#)
        _ = browser.hear()
        let tab = #"{"id":2,"url":"https://a/","title":"A","active":true,"readable":true}"#
        browser.say(
            #"{"type":"state","windows":[{"id":1,"focused":true,"incognito":\#(isPrivate),"tabs":[\#(tab)]}]}"#)
        let list = try place.windows.change(
            after: WindowList(server: nil, windows: []), until: Deadline(inMilliseconds: 30_000), or: nil)
        #expect(list.windows.first?.tabs.first?.isReadable == true)
        guard !isPrivate else {
            #expect(try place.windows.read(part, of: .handle("browser:firefox/1", server: nil)) == nil)
            return
        }
        let asked = browser.answers { request in
            #"{"type":"answer","id":\#(request["id"]?.numberText ?? ""),"url":"https://a/","selection":"s","#
                + #""data":["{}",{"kind":"markup","text":"old"},"[]"],"title":"A","base":"https://b/","partial":true}"#
        }
        let content = try place.windows.read(part, of: .handle("browser:firefox/1", server: nil))
        let expected = PageContent(
            address: "https://a/", selection: "s", data: ["{}", "[]"], title: "A", base: "https://b/", isPartial: true)
        #expect(content == expected)
        #expect(asked()?["read"]?.string == part.rawValue && asked()?["tab"]?.int64 == 2)
    }

    @Test("a stop removes its own socket, and no file that another process put there", arguments: [false, true])
    func socketOfAnother(isReplaced: Bool) throws {
        let place = try SocketPlace()
        let files = FileManager.default
        #expect(files.fileExists(atPath: place.path))
        if isReplaced {
            try files.removeItem(atPath: place.path)
            try Data("another's".utf8).write(to: URL(fileURLWithPath: place.path))
        }
        place.windows.stop()
        #expect(files.fileExists(atPath: place.path) == isReplaced)
        place.windows.stop()
    }

    @Test("a browser that goes away is forgotten, and what was asked of it fails at once")
    func lost() throws {
        let place = try SocketPlace()
        let windows = place.windows
        let seen = Seen()
        let watch = try #require(windows.watch { seen.note($0) })
        let browser = try place.introduced()
        #expect(eventually { seen.last?.windows.count == 1 })
        let asked = browser.answers { _ in nil }
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("browser:firefox/1", server: nil))
        }
        #expect(failure?.code == .browserNotConnected)
        _ = asked()
        #expect(eventually { seen.last == WindowList(server: nil, windows: []) })
        watch.stop()
        #expect(try windows.windows().server == nil)
        // Its process still runs: the state of the window is unknown.
        let life = "\(getpid()).\(try #require(ProcessStatus(pid: getpid())?.startTime))"
        #expect(try windows.presence(of: .handle("browser:firefox/1", server: life)) == .unknown)
        let absent = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("browser:firefox/1", server: life))
        }
        #expect(absent?.code == .browserNotConnected && absent?.help?.contains("usher browser status") == true)
    }

    @Test("a browser that is silent costs its time limit and no more")
    func silent() throws {
        let place = try SocketPlace(BrowserWindowSystem.Limits(seen: 50, answer: 50, title: 50))
        let browser = try place.introduced()
        let failure = #expect(throws: ActivationFailure.self) {
            try place.windows.focus(.handle("browser:firefox/1", server: nil))
        }
        #expect(failure?.code == .browserNoAnswer)
        // Late answers are dropped.
        browser.say(#"{"type":"answer","id":1,"active":true,"focused":true}"#)
        browser.say(SocketPlace.state(title: "Other"))
        #expect(eventually { (try? place.windows.windows())?.windows.first?.title == "Other" })
    }

    @Test(
        "what an extension cannot do is said as what it is",
        arguments: [
            ("gone", DiagnosticCode.windowGone), ("address", .browserAddress), ("failed", .browserRefused),
        ])
    func refusals(word: String, code: DiagnosticCode) throws {
        let place = try SocketPlace()
        let browser = try place.introduced()
        let asked = browser.answers { request in
            let id = request["id"]?.numberText ?? ""
            return #"{"type":"answer","id":\#(id),"error":"\#(word)","message":"no\u001b[31m"}"#
        }
        let failure = #expect(throws: ActivationFailure.self) {
            try place.windows.navigate(.handle("browser:firefox/1", server: nil), to: "file:///etc")
        }
        #expect(failure?.code == code && failure?.message.contains("\u{1b}") == false)
        _ = asked()
    }

    @Test(
        "a malformed line ends the connection, and only that",
        arguments: [
            "nonsense", "{}", #"{"type":"state"}"#, #"{"type":"hello","protocol":2,"browser":"Firefox"}"#,
            #"{"type":"host","process":0}"#, #"{"type":"answer"}"#, "[" + String(repeating: "[", count: 5000),
            #"{"type":"state","windows":[{"id":1,"tabs":[{"title":"\ud800"}]}]}"#,
        ])
    func nonsense(line: String) throws {
        let place = try SocketPlace()
        let other = try place.introduced()
        let browser = try place.connect()
        browser.say(line)
        #expect(browser.isEnded)
        other.say(SocketPlace.state(title: "Still"))
        #expect(eventually { (try? place.windows.windows())?.windows.first?.title == "Still" })
    }

    @Test("odd states are taken as far as they go")
    func odd() throws {
        let place = try SocketPlace()
        let browser = try place.introduced()
        let long = String(repeating: "é", count: 9000)
        browser.say(
            #"{"type":"state","windows":[{"id":-1},{"id":2,"tabs":7},{"id":2},{"id":3,"tabs":[{"id":4,"active":true,"#
                + #""title":"\#(long)","url":"http://a/\#(long)"},{"id":"x"},null]},7]}"#)
        #expect(
            eventually {
                (try? place.windows.windows())?.windows.map(\.handle) == ["browser:firefox/2", "browser:firefox/3"]
            })
        let tabs = try place.windows.windows().windows.last?.tabs
        #expect(tabs?.count == 1 && tabs?.first?.title.utf8.count == 4100 && tabs?.first?.address == "")
    }

    @Test("five hundred windows, and a title that changes all the time")
    func many() throws {
        let place = try SocketPlace()
        let browser = try place.introduced()
        let seen = Seen()
        let watch = try #require(place.windows.watch { seen.note($0) })
        for round in 1...200 {
            let windows = (1...500).map { #"{"id":\#($0),"tabs":[{"id":\#($0),"title":"t\#(round)","active":true}]}"# }
            browser.say(#"{"type":"state","windows":[\#(windows.joined(separator: ","))]}"#)
        }
        #expect(eventually { seen.last?.windows.last?.title == "t200" })
        #expect(seen.last?.windows.count == 500 && seen.count <= 202)
        watch.stop()
    }

    @Test("the socket is its owner's only, there is one, and it goes with the system")
    func socket() throws {
        let place = try SocketPlace()
        let mode = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: ActivationFailure.self) { try BrowserWindowSystem(socket: place.path) }
        place.windows.stop()
        #expect(!FileManager.default.fileExists(atPath: place.path))
        #expect(try place.windows.windows().windows.isEmpty)
        let again = try BrowserWindowSystem(socket: place.path)
        again.stop()
    }
}

/// What a watch told.
final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var lists: [WindowList] = []

    func note(_ list: WindowList) { lock.withLock { lists.append(list) } }
    var last: WindowList? { lock.withLock { lists.last } }
    var count: Int { lock.withLock { lists.count } }
}

/// A socket of this test's own, with a window system behind it.
final class SocketPlace {
    private let files = TemporaryFolder()
    let windows: BrowserWindowSystem

    var path: String { folder + "/browser.sock" }

    init(_ limits: BrowserWindowSystem.Limits = BrowserWindowSystem.Limits(seen: 20_000, answer: 10_000)) throws {
        signal(SIGPIPE, SIG_IGN)
        windows = try BrowserWindowSystem(socket: files.path + "/browser.sock", desktop: nil, limits: limits)
    }

    var folder: String { files.path }

    deinit { windows.stop() }

    func connect() throws -> Peer { try Peer(path) }

    /// A Firefox with one window of two tabs; its process is this one.
    func introduced() throws -> Peer {
        let peer = try connect()
        peer.say(#"{"type":"host","process":\#(getpid())}"#)
        peer.say(#"{"type":"hello","protocol":1,"browser":"Firefox","version":"1"}"#)
        peer.say(Self.state(title: "One"))
        _ = peer.hear()
        #expect(eventually { (try? windows.windows())?.windows.count == 1 })
        return peer
    }

    static func state(title: String) -> String {
        #"{"type":"state","windows":[{"id":1,"focused":true,"state":"normal","tabs":["#
            + #"{"id":11,"url":"http://a/1","title":"\#(title)","active":true},"#
            + #"{"id":12,"url":"http://a/2","title":"Two","active":false}]}]}"#
    }
}

/// The other end of a connection.
final class Peer: @unchecked Sendable {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func say(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line; nil at the end.
    func hear() -> JSONValue? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            if let end = bytes.firstIndex(of: 0x0A) {
                let line = Array(bytes[..<end])
                bytes.removeSubrange(...end)
                return try? JSONValue(parsing: line)
            }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    var isEnded: Bool {
        // The end of a connection leaves what an earlier call said.
        errno = 0
        return hear() == nil && errno != EAGAIN
    }

    /// Answers the next request on another thread, or hangs up where it is to say nothing; the request.
    func answers(_ answer: @escaping @Sendable (JSONValue) -> String?) -> () -> JSONValue? {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var request: JSONValue?
        Thread.detachNewThread { [self] in
            request = hear()
            if let text = request.flatMap(answer) { say(text) } else { shutdown(descriptor, Int32(SHUT_RDWR)) }
            done.signal()
        }
        return {
            done.wait()
            done.signal()
            return request
        }
    }
}
