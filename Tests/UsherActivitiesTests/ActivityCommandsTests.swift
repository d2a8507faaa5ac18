import EngineTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherEngine
import UsherJSON
import UsherOperation
import UsherScene
import UsherStore

@testable import UsherActivities

/// The member that every activity of these tests has.
private let type = #""activityType":"example.clowntown.view-clown""#

struct ActivityCommandsTests {
    let fixture: ContentFixture

    init() throws { fixture = try ContentFixture() }

    private func document(_ session: String) throws -> String {
        let activity = try #require(try fixture.store.activity(ofSession: session))
        return String(decoding: activity.document, as: UTF8.self)
    }

    @Test func theAnswerHasEverything() throws {
        try fixture.connect("c")
        let answer = try fixture.become(
            "c", "crusty", more: #","version":2.50,"x-own":[1.0],"persistentIdentifier":"clown:crusty""#)
        let activity = try #require(answer["activity"])
        #expect(
            activity.members?.map(\.name) == [
                "id", "short", "app", "session", "state", "is_current", "type", "title", "target", "persistent",
                "webpage", "needs_save", "became", "changed", "resigned", "expires", "version", "activity",
            ])
        #expect(activity["state"]?.string == "current")
        #expect(activity["is_current"]?.boolean == true)
        #expect(activity["target"]?.string == "clown:crusty")
        #expect(activity["webpage"]?.kind == .null)
        #expect(activity["version"]?.numberText == "2.50")
        #expect(activity["activity"]?["x-own"] == [.number("1.0")])
        #expect(answer.findings == [])
        #expect(answer["suggestions"] == [])
        #expect(answer.warnings.count == 1)  // x-own: it is not Apple's
    }

    // MARK: What is refused

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var activity: String
        var code: String
        var mentions: String

        init(_ name: String, _ activity: String, _ code: String, _ mentions: String) {
            testDescription = name
            self.activity = activity
            self.code = code
            self.mentions = mentions
        }
    }

    @Test(arguments: [
        Refused("no JSON", "{", "U1004", "expected"),
        Refused("two values", "{\(type)},{}", "U1005", "after the end"),
        Refused("a list", "[]", "U1011", "object"),
        Refused("an envelope", #"{"userActivity":{\#(type)}}"#, "U1014", "activityType"),
        Refused("no type", #"{"title":"x"}"#, "U1014", "activityType"),
        Refused("userInfo is a list", "{\(type),\"userInfo\":[1]}", "U1012", "userInfo is an array"),
        Refused("an empty id", "{\(type),\"targetContentIdentifier\":\"\"}", "U1201", "empty"),
        Refused(
            "an id that is too long",
            "{\(type),\"targetContentIdentifier\":\"\(String(repeating: "x", count: 16 * 1024 + 1))\"}", "U1207",
            "16385"),
        Refused("NUL in an id", "{\(type),\"targetContentIdentifier\":\"a\\u0000\"}", "U1204", "NUL"),
        Refused("a web page of another scheme", "{\(type),\"webpageURL\":\"javascript:1\"}", "U1013", "http"),
        Refused("a schema version of text", "{\(type),\"schemaVersion\":\"3\"}", "U1012", "schemaVersion"),
        Refused(
            "a megabyte", "{\(type),\"userInfo\":{\"x\":\"\(String(repeating: "x", count: 1 << 20))\"}}", "U4504",
            "131072"
        ),
        Refused("a misspelt type", #"{"activityType":"example.clowntown.view-clwn"}"#, "U4501", "view-clown?"),
        Refused("another app's type", #"{"activityType":"example.orders.view-order"}"#, "U4501", "example.orders"),
    ])
    func refuses(_ entry: Refused) throws {
        try fixture.connect("c")
        try fixture.become("c", "bozo")
        let before = try document("c")
        for operation in ["activity.become-current", "activity.update"] {
            // An update is partial: what it lacks is there.
            if operation == "activity.update", entry.code == "U1014" || entry.code == "U1011" { continue }
            let error = try #require(
                fixture.refusal(operation, ["session": "c", "activity": .string(entry.activity)]), "\(operation)")
            #expect(error.code.code == entry.code, "\(error.message)")
            #expect(error.at == "/activity")
            #expect("\(error.message) \(error.help ?? "")".contains(entry.mentions))
            #expect(error.message.utf8.count < 500)
        }
        #expect(try document("c") == before)
        #expect(try fixture.store.activities(.init(includesResigned: true)).count == 1)
    }

    @Test func refusesSessionsThatCannotHaveOne() throws {
        try fixture.connect("clown-1")
        try fixture.connect("lost")
        _ = try fixture.store.change(session: "lost", .init(state: .disconnected))
        try fixture.connect("foreign", app: "example.nobody")
        let activity: JSONValue = .string("{\(type)}")
        for (arguments, code) in [
            (["session": "clown-2", "activity": activity] as JSONValue, "U2004"),
            (["session": "lost", "activity": activity], "U4503"),
            (["session": "foreign", "activity": activity], "U4507"),
            (["session": "clown-1", "activity": activity, "process": 4_194_305], "U4506"),
            (["session": "clown-1", "activity": activity, "process": 0], "U6303"),
            (["session": "clown-1"], "U6303"), (["activity": activity], "U6303"),
            (["session": "clown-1", "activity": ["activityType": "x"]], "U6303"),
            (["session": "clown-1", "activity": activity, "what": 1], "U6303"),
        ] {
            #expect(fixture.refusal("activity.become-current", arguments)?.code.code == code, "\(arguments)")
        }
        #expect(fixture.refusal("activity.update", ["session": "clown-1", "needs_save": true])?.code.code == "U4505")
        #expect(fixture.refusal("activity.update", ["session": "clown-1"])?.code.code == "U6303")
        #expect(fixture.refusal("activity.resign", ["session": "clown-1"])?.code.code == "U4505")
        #expect(fixture.refusal("activity.show", ["session": "clown-1"])?.code.code == "U4505")
        #expect(fixture.refusal("activity.show", ["activity": "current"])?.code.code == "U4505")
        #expect(fixture.refusal("activity.show", ["activity": "nothing"])?.code.code == "U4502")
        #expect(fixture.refusal("activity.show", [:])?.code.code == "U6303")
    }

    // MARK: Updates

    @Test(arguments: [
        // What is not given stays, as it was written.
        (
            #"{"title":"B"}"#,
            #"{"activityType":"example.clowntown.view-clown","title":"B","n":1.50,"o":{ "b":1, "a":"é" },"targetContentIdentifier":"1"}"#
        ),
        (
            #"{"n":null}"#,
            #"{"activityType":"example.clowntown.view-clown","title":"A","o":{ "b":1, "a":"é" },"targetContentIdentifier":"1"}"#
        ),
        (
            #"{"o":[],"z":1e2}"#,
            #"{"activityType":"example.clowntown.view-clown","title":"A","n":1.50,"o":[],"targetContentIdentifier":"1","z":1e2}"#
        ),
        (
            #"{"\u0074itle":"B"}"#,
            #"{"activityType":"example.clowntown.view-clown","title":"B","n":1.50,"o":{ "b":1, "a":"é" },"targetContentIdentifier":"1"}"#
        ),
        (
            #"{"nothing":null}"#,
            #"{"activityType":"example.clowntown.view-clown","title":"A","n":1.50,"o":{ "b":1, "a":"é" },"targetContentIdentifier":"1"}"#
        ),
    ])
    func updates(_ patch: String, _ expected: String) throws {
        try fixture.connect("c")
        let text =
            #"{"activityType":"example.clowntown.view-clown", "title" : "A","n":1.50,"o":{ "b":1, "a":"é" },"targetContentIdentifier":"1"}"#
        _ = try fixture.perform("activity.become-current", ["session": "c", "activity": .string(text)])
        #expect(try document("c") == text)
        _ = try fixture.perform("activity.update", ["session": "c", "activity": .string(patch)])
        #expect(try document("c") == expected)
        #expect(try fixture.store.activities(.init(includesResigned: true)).count == 1)
    }

    @Test func needsSaveIsAFlag() throws {
        try fixture.connect("c")
        try fixture.become("c", "crusty", more: #","userInfo":{"n":1}"#)
        for _ in 0..<3 {
            let answer = try fixture.perform("activity.update", ["session": "c", "needs_save": true])
            #expect(answer["activity"]?["needs_save"]?.boolean == true)
            #expect(answer["activity"]?["activity"]?["userInfo"] == ["n": 1])
        }
        // An update with a new userInfo counts as saved.
        let saved = try fixture.perform(
            "activity.update", ["session": "c", "activity": #"{"userInfo":{"n":2}}"#])
        #expect(saved["activity"]?["needs_save"]?.boolean == false)
        #expect(try fixture.store.activity(ofSession: "c")?.needsSave == false)
        let again = try fixture.perform(
            "activity.update", ["session": "c", "activity": #"{"userInfo":{"n":3}}"#, "needs_save": true])
        #expect(again["activity"]?["needs_save"]?.boolean == true)
    }

    @Test(arguments: [
        (#"{"targetContentIdentifier":"clown:bozo","title":"Bozo"}"#, true),
        (#"{"targetContentIdentifier":"clown:bozo"}"#, true),
        (#"{"targetContentIdentifier":null,"persistentIdentifier":"other"}"#, true),
        (#"{"title":"Bozo"}"#, false),
        (#"{"persistentIdentifier":"clown:crusty"}"#, false),
        (#"{"webpageURL":"https://clowntown.example/crusty"}"#, false),
    ])
    func warnsOfReuse(_ patch: String, _ isWarned: Bool) throws {
        try fixture.connect("c")
        try fixture.become("c", "crusty")
        let answer = try fixture.perform("activity.update", ["session": "c", "activity": .string(patch)])
        #expect(answer.warnings.contains { $0.contains("make a new activity") } == isWarned, "\(answer.warnings)")
    }

    // MARK: Findings

    @Test func findings() throws {
        try fixture.connect("c")
        #expect(try fixture.become("c", "crusty").findings == [])
        #expect(
            try fixture.become("c", "bozo", more: #","persistentIdentifier":"bozo-undefined""#).findings
                == ["lint.placeholder"])
        let bidi = try fixture.perform(
            "activity.become-current",
            [
                "session": "c",
                "activity": .string("{\(type),\"title\":\"a\",\"targetContentIdentifier\":\"clown:\\u202eb\"}"),
            ])
        #expect(bidi.findings == ["lint.spelling"])
        let without = try fixture.perform(
            "activity.become-current", ["session": "c", "activity": .string("{\(type)}")])
        #expect(without.warnings.contains { $0.contains("takes part in nothing") || $0.contains("add targetContent") })
        #expect(without.findings == [])
    }

    @Test func expiredOnesAreWarnedOf() throws {
        try fixture.connect("c")
        let answer = try fixture.become("c", "crusty", more: #","expirationDate":"2020-01-01T00:00:00Z""#)
        #expect(answer.warnings.contains { $0.contains("2020-01-01T00:00:00.000Z") })
        #expect(answer["activity"]?["expires"]?.string == "2020-01-01T00:00:00.000Z")
        for date in ["1e300", "-1e300", "0.5"] {
            _ = try fixture.become("c", "d\(date)", more: #","expirationDate":\#(date)"#)
        }
    }

    // MARK: Lists

    @Test func searchFindsOnlyWhatIsEligible() throws {
        try fixture.connect("a")
        try fixture.connect("b")
        try fixture.become(
            "a", "crusty",
            more: #","isEligibleForSearch":true,"keywords":["juggler"],"contentAttributeSet":{"a":{"b":["deep",7]}}"#)
        try fixture.become("b", "secret")
        func found(_ query: String) throws -> [String] {
            try fixture.perform("activity.search", ["query": .string(query)]).elements?
                .compactMap { $0["title"]?.string } ?? []
        }
        for query in ["crusty", "jugg", "deep", "CRU dee"] { #expect(try found(query) == ["crusty"], "\(query)") }
        for query in ["secret", "\"", "", "7"] { #expect(try found(query) == [], "\(query)") }
        let long = fixture.refusal("activity.search", ["query": .string(String(repeating: "x", count: 5000))])
        #expect(long?.code == .controlArgument)
        // Nothing to lead back to: it takes no part.
        try fixture.connect("c")
        let text = "{\(type),\"title\":\"lonely\",\"isEligibleForSearch\":true}"
        _ = try fixture.perform("activity.become-current", ["session": "c", "activity": .string(text)])
        #expect(try found("lonely") == [])
    }

    @Test func lists() throws {
        for id in ["a", "b"] { try fixture.connect(id) }
        try fixture.become("a", "crusty")
        try fixture.become("b", "bozo")
        try fixture.become("b", "koko")
        func states(_ arguments: JSONValue) throws -> [String] {
            try fixture.perform("activity.list", arguments).elements?.map {
                "\($0["title"]?.string ?? "") \($0["state"]?.string ?? "") \($0["is_current"]?.boolean ?? false)"
            } ?? []
        }
        #expect(try states([:]) == ["koko current true", "crusty current false"])
        #expect(try states(["session": "a"]) == ["crusty current false"])
        #expect(try states(["app": "example.orders"]) == [])
        #expect(try states(["all": true]).count == 3)
        _ = try fixture.perform("activity.resign", ["session": "b"])
        #expect(try states([:]) == ["crusty current true"])
        #expect(try fixture.perform("activity.show", ["activity": "current"])["title"]?.string == "crusty")
        #expect(try fixture.perform("activity.show", ["session": "a"])["title"]?.string == "crusty")
    }

    // MARK: Processes and windows

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func aProcessThatEndsLeavesItsActivity(_ access: Store.Access) throws {
        try fixture.connect("a")
        try fixture.connect("b")
        try fixture.become("b", "bozo")
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["600"]
        try child.run()
        let text = "{\(type),\"title\":\"crusty\",\"targetContentIdentifier\":\"clown:crusty\"}"
        let answer = try fixture.perform(
            "activity.become-current",
            ["session": "a", "activity": .string(text), "process": .number(String(child.processIdentifier))])
        let id = answer["activity"]?["id"]?.string
        func current() throws -> [String] {
            let store = access == .readWrite ? fixture.store : try fixture.base.openStore(.readOnly)
            return try fixture.perform("activity.list", [:], in: store).elements?.map {
                "\($0["title"]?.string ?? "") \($0["state"]?.string ?? "") \($0["is_current"]?.boolean ?? false)"
            } ?? []
        }
        #expect(try current() == ["crusty current true", "bozo current false"])
        // Threads that run tests block signals, and a child inherits that.
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        #expect(try current() == ["bozo current true", "crusty kept false"])
        let isWritten = access == .readWrite
        #expect(try fixture.store.session(id: "a")?.state == (isWritten ? .disconnected : .connected))
        #expect(try fixture.store.activity(ofSession: "a")?.state == (isWritten ? .kept : .current))
        #expect(try fixture.store.activity(ofSession: "a")?.id == id)
    }

    /// Only the server that has a window can say that it is gone.
    @Test(arguments: [("dry-run", "kept"), ("another", "current"), (nil, "current")])
    func aWindowThatIsGoneLeavesItsActivity(_ server: String?, _ state: String) throws {
        try fixture.connect("a", handle: "@9999", server: server)
        try fixture.become("a", "crusty")
        let listed = try fixture.perform("activity.list", [:]).elements ?? []
        #expect(listed.map { $0["state"]?.string } == [state])
        let session = try #require(try fixture.store.session(id: "a"))
        #expect(session.state == (state == "kept" ? .disconnected : .connected))
        #expect(session.handle == (state == "kept" ? nil : "@9999"))
    }

    @Test("a built-in type is not reported as misspelled")
    func builtIn() throws {
        var notes = App(id: "usher.notes", name: "Notes", location: DispatchFixture.location)
        notes.isBuiltIn = true
        fixture.apps.append(notes)
        _ = try fixture.perform("note.new", ["text": "n"])
        let link = fixture.refusal("link.add", ["note": "current", "target": "x:1", "app": "usher.note"])
        #expect(link?.help?.contains("usher.notes") == false, "\(link?.help ?? "-")")
        try fixture.connect("gone-1", app: "usher.note")
        let activity = fixture.refusal(
            "activity.become-current", ["session": "gone-1", "activity": #"{"activityType":"a.b"}"#])
        #expect(activity?.code == .activityNoApp)
        #expect(activity?.help?.contains("usher.notes") == false, "\(activity?.help ?? "-")")
    }

    // MARK: Saving

    struct Save: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var script: String
        var userInfo: String
        var warning: String?

        init(_ name: String, _ script: String, _ userInfo: String, _ warning: String? = nil) {
            testDescription = name
            self.script = script
            self.userInfo = userInfo
            self.warning = warning
        }
    }

    @Test(arguments: [
        Save("fresh", #"cat > "$HOME/asked"; echo noise >&2; echo '{{"n": 2.50}}'"#, #"{"n": 2.50}"#),
        Save("fails", "echo '{{\"n\":2}}'; exit 3", #"{"n":1}"#, "status 3"),
        Save("no object", "echo '[1]'", #"{"n":1}"#, "no JSON object"),
        Save("no JSON", "echo '{{\"n\":'", #"{"n":1}"#, "no JSON object"),
        Save("two values", "echo '{{}}, \"title\":\"x\", \"y\":{{}}'", #"{"n":1}"#, "no JSON object"),
        Save("nothing", "true", #"{"n":1}"#, "no JSON object"),
        Save("too slow", "sleep 60", #"{"n":1}"#, "still running"),
        Save("too much", "head -c 200000 /dev/zero | tr '\\0' ' '; echo '{{}}'", #"{"n":1}"#, "more than"),
        Save("not valid", "echo '{{\"x\":\"'$(head -c 131000 /dev/zero | tr '\\0' x)'\"}}'", #"{"n":1}"#, "131072"),
    ])
    func saves(_ entry: Save) throws {
        try fixture.connect("c")
        var command = fixture.base.shell(entry.script)
        command.timeLimit = entry.script.contains("sleep") ? 300 : 30_000
        fixture.apps[0].continuation.save = command
        try fixture.become("c", "crusty", more: #","userInfo":{"n":1},"keep":1.0"#)
        let old = try #require(try fixture.store.activity(ofSession: "c"))
        // A userInfo that is not old is not saved again.
        #expect(try ActivitySaving(fixture.service()).fresh(old).activity.changed == old.changed)
        #expect(fixture.base.read("asked").isEmpty)
        _ = try fixture.perform("activity.update", ["session": "c", "needs_save": true])
        let needing = try #require(try fixture.store.activity(ofSession: "c"))
        let saved = try ActivitySaving(fixture.service()).fresh(needing)
        let text = String(decoding: saved.activity.document, as: UTF8.self)
        #expect(text.contains("\"userInfo\":\(entry.userInfo)"), "\(text)")
        #expect(text.contains("\"keep\":1.0"))
        #expect(saved.activity.needsSave == (entry.warning != nil))
        #expect((saved.warning ?? "").contains(entry.warning ?? " ") == (entry.warning != nil))
        #expect((saved.warning == nil) == (entry.warning == nil))
        #expect(try fixture.store.activity(ofSession: "c")?.document == saved.activity.document)
        if entry.warning == nil {
            #expect(fixture.base.read("asked") == String(decoding: needing.document, as: UTF8.self))
        }
    }

    /// An activity that needs saving, of an app with this save command.
    private func needing(_ script: String) throws -> Store.StoredActivity {
        fixture.apps[0].continuation.save = fixture.base.shell(script)
        try fixture.connect("c")
        try fixture.become("c", "crusty", more: #","userInfo":{"n":1}"#)
        _ = try fixture.perform("activity.update", ["session": "c", "needs_save": true])
        return try #require(try fixture.store.activity(ofSession: "c"))
    }

    /// Saves on another thread, and calls the closure while the save command runs: until there is a file `go`.
    private func whileSaving(
        _ activity: Store.StoredActivity, _ body: () throws -> Void
    ) throws -> ActivitySaving.Saved {
        let result = Mutex<Result<ActivitySaving.Saved, any Error>?>(nil)
        let (done, service) = (DispatchSemaphore(value: 0), fixture.service())
        Thread.detachNewThread {
            let saved = Result { try ActivitySaving(service).fresh(activity) }
            result.withLock { $0 = saved }
            done.signal()
        }
        #expect(eventually { !fixture.base.read("begun").isEmpty })
        let problem = Result { try body() }
        try Data().write(to: URL(fileURLWithPath: fixture.base.folder + "/go"))
        done.wait()
        try problem.get()
        return try #require(result.withLock { $0 }).get()
    }

    private static let waits = "echo x >> $HOME/begun; until test -e $HOME/go; do sleep 0.02; done; echo '{{\"n\":2}}'"

    @Test("a save command that needs its own activity is not asked again")
    func savesOnce() throws {
        let activity = try needing(Self.waits)
        var nested: ActivitySaving.Saved?
        let saved = try whileSaving(activity) {
            nested = try ActivitySaving(fixture.service()).fresh(activity)
        }
        #expect(nested?.warning?.contains("being asked") == true)
        #expect(saved.warning == nil)
        #expect(fixture.base.read("begun") == "x\n")
    }

    @Test("what becomes old while it is saved is saved again the next time")
    func oldAgain() throws {
        let activity = try needing(Self.waits)
        let saved = try whileSaving(activity) {
            _ = try fixture.perform("activity.update", ["session": "c", "needs_save": true])
        }
        #expect(try document("c").contains(#""userInfo":{"n":2}"#))
        #expect(saved.activity.needsSave)
        #expect(try ActivitySaving(fixture.service()).fresh(saved.activity).activity.needsSave == false)
    }
}
