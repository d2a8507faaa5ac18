import EngineTestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherScene

@testable import UsherEngine

/// The desktop as a program without window libraries sees it.
@Suite("desktops of RemoteWindows") struct RemoteDesktopsTests {
    @Test(
        "handles of every desktop are asked about, but not those of another connection",
        arguments: DesktopName.allCases)
    func handles(_ desktop: DesktopName) {
        let windows = RemoteWindows(program: nil, environment: [:])
        #expect(windows.recognizes(handle: "\(desktop.rawValue):12") == (desktop != .wlr))
        #expect(!windows.recognizes(handle: desktop.rawValue))
    }

    @Test("each variable of a desktop leads to one", arguments: DesktopName.variables)
    func variables(_ name: String) {
        #expect(RemoteWindows(program: "/usr/bin/true", environment: [name: "x"]).isAvailable)
        #expect(!RemoteWindows(program: "/usr/bin/true", environment: [name: ""]).isAvailable)
        #expect(!RemoteWindows(program: nil, environment: [name: "x"]).isAvailable)
    }
}

/// What goes between `usher` and `usherd --windows` comes back as it was.
@Suite("WindowWire") struct WindowWireTests {
    @Test func lists() {
        var window = WindowList.Window(handle: "x11:0x1", title: "a \"b\" \u{1b}[0m", group: "1", parts: ["x", "y"])
        window.windowClass = "Editor"
        window.instance = "editor"
        window.appID = "org.example"
        window.process = 12
        window.startupID = "usher_TIME1"
        window.activation = .foregroundInactive
        window.browser = "firefox"
        window.tabs = [.init(handle: "t", address: "https://a.example/?b=ü", title: "", isActive: true)]
        let list = WindowList(server: "one", windows: [window, .init(handle: "x11:0x2", title: "", group: "")])
        #expect(WindowWire.list(WindowWire.value(list)) == list)
        let empty = WindowList(server: nil, windows: [])
        #expect(WindowWire.list(WindowWire.value(empty)) == empty)
    }

    @Test func applications() throws {
        let launch = EntryLaunch(
            entry: "org.example", action: "new", uris: ["a", "-b"], environment: [.init("A", "1=2")],
            workingDirectory: "/tmp", token: "t")
        #expect(WindowWire.entryLaunch(.object(WindowWire.members(launch))) == launch)
        let entry = DesktopEntry(
            id: "a.desktop", name: "A", comment: nil, icon: "i", path: "/p", exec: "a %U", windowClass: "A",
            isTerminal: true, isActivatable: true, actions: [.init(id: "new", name: "New", icon: nil)])
        #expect(WindowWire.entry(WindowWire.value(entry)) == entry)
    }

    @Test func failuresAndSupport() {
        let failure = ActivationFailure(.windowAmbiguous, "two", help: "say more")
        #expect(WindowWire.failure(WindowWire.value(failure)) == failure)
        let support = WindowSupport("x11 (a)", [.list: .yes, .focus: .no("why")])
        let read = WindowWire.support(WindowWire.value(support))
        #expect(read?[.list] == .yes && read?[.focus] == .no("why") && read?.system == "x11 (a)")
    }

    @Test("every call is answered, and a bad one with what is wrong")
    func service() throws {
        let desktop = ToldDesktop()
        desktop.say(WindowList(server: "one", windows: [.init(handle: "x11:0x1", title: "a", group: "1")]))
        let service = WindowService(WindowSystems([desktop]), applications: nil)
        func ask(_ line: String) throws -> JSONValue { try JSONValue(parsing: service.answer(Array(line.utf8))) }
        #expect(try ask(#"{"call":"windows"}"#)["result"]?["windows"]?.elements?.count == 1)
        #expect(try ask(#"{"call":"presence","handle":"x11:0x2"}"#)["result"]?.string == "gone")
        #expect(try ask(#"{"call":"server","handle":"x11:0x2"}"#)["result"]?.string == "one")
        for bad in ["", "[]", "{}", #"{"call":"fly"}"#, #"{"call":"presence"}"#, #"{"call":"entries"}"#] {
            #expect(try ask(bad)["failure"]?["code"]?.string == "U3009", "\(bad)")
        }
    }
}
