import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher scene focus`, `usher scene new` and `usher scene close --window`, with windows of a real tmux.
struct SceneRequestsTests {
    private static func prepare(_ usher: UsherProgram, scene: String = "item") throws {
        try usher.write(
            """
            id = "example.own"
            domains = ["own.example"]
            scenes-limit = 3

            [[scenes]]
            name = "main"
            launch = { tmux = ["sh", "-c", "echo main >>'\(usher.folder)/launched'; sleep 1000"] }
            show = { exec = ["sh", "-c", "echo \\"$1\\" >>'\(usher.folder)/shown'", "sh", "{session}"] }

            [[scenes]]
            name = "\(scene)"
            opens = 'SELF BEGINSWITH "https://own.example/item/"'
            can = 'SELF == $TARGET'
            prefers = 'SELF == $TARGET'
            launch = { tmux = ["sh", "-c", "echo $1 >>'\(usher.folder)/launched'; sleep 1000", "sh", "{target}"] }
            """, to: "config/usher/apps/own.toml")
    }

    private static func summary(_ record: JSONValue) -> String {
        ["source", "format", "action", "reason", "scene", "session", "target"].map { record[$0]?.string ?? "-" }
            .joined(separator: " ")
    }

    @Test func windowsAreMadeFocusedAndClosed() throws {
        try UsherProgram.run { usher in
            try Self.prepare(usher)
            let item = "https://own.example/item/1"
            let first = try usher("scene", "new", "--app", "example.own", "--target", item)
            #expect(first.status == 0, "\(first.output) \(first.errors)")
            #expect(Self.summary(first.json()) == "scene scene launch requested item item-1 \(item)")
            // Always a new one, although the first prefers the target.
            let second = try usher("scene", "new", "--app", "example.own", "--target", item).json()
            #expect(Self.summary(second) == "scene scene launch requested item item-2 \(item)")
            let third = try usher("scene", "new", "--app", "example.own", "--scene", "main").json()
            #expect(Self.summary(third) == "scene scene launch requested main main-1 -")
            #expect(usher.text("shown") == "main-1\n")

            let focused = try usher("scene", "focus", "item-1").json()
            #expect(Self.summary(focused) == "scene scene focus explicit item item-1 -")
            #expect(focused["error"]?.kind == .null && focused["outcome"]?.string != "failed", "\(focused)")
            let main = try usher("scene", "focus", "main-1").json()
            #expect(main["handlers"] == nil, "\(main)")
            #expect(usher.text("shown") == "main-1\n")

            let listed = try usher("deliveries", "list").json().elements ?? []
            #expect(listed.count == 5 && listed.allSatisfy { $0["source"]?.string == "scene" })
            let id = second["id"]?.string ?? ""
            let explained = try usher("explain", "--delivery", id).json()
            #expect(explained["decision"]?["reason"]?.string == "requested", "\(explained)")
            #expect(explained["decision"]?["scene"]?.string == "item")

            // Refused: nothing is made, and nothing is in the journal.
            for (arguments, code) in [
                (["new", "--app", "example.own"], "U2012 scene.limit"),
                (["new", "--app", "example.own", "--scene", "itm"], "U2010 scene.unknown"),
                (["new", "--app", "example.onw"], "U2001 resolution.no-app"),
                (["focus", "item-9"], "U2004 resolution.no-such-session"),
                (["close", "item-9", "--window"], "U2004 resolution.no-such-session"),
            ] {
                let refused = try usher.run(["scene"] + arguments)
                #expect(refused.status == 2 && refused.errors.contains("[\(code)]"), "\(refused.errors)")
            }
            #expect(try usher("deliveries", "list").json().elements?.count == 5)

            let closed = try usher("scene", "close", "item-1", "--window")
            #expect(
                closed.status == 0 && closed.json()["window"]?.string == "closed", "\(closed.output) \(closed.errors)")
            let left = try usher("scene", "list").json().elements?.compactMap { $0["id"]?.string } ?? []
            #expect(Set(left) == ["item-2", "main-1"])
            #expect(try usher.shell("tmux list-windows -a").lines.count == 2)

            // One that is disconnected is launched again, with what it showed.
            try usher("scene", "disconnect", "item-2")
            let bare = try usher("scene", "close", "item-2", "--window")
            #expect(bare.status == 2 && bare.errors.contains("U2013 scene.no-window"), "\(bare.errors)")
            let again = try usher("scene", "focus", "item-2").json()
            #expect(Self.summary(again) == "scene scene launch explicit item item-2 -")
            #expect(
                eventually { usher.text("launched") == "\(item)\n\(item)\nmain\n\(item)\n" },
                "\(usher.text("launched"))")
        }
    }

    @Test("a window that was closed meanwhile is an error that says so")
    func windowIsGone() throws {
        try UsherProgram.run { usher in
            try Self.prepare(usher)
            for target in ["https://own.example/item/1", "https://own.example/item/2"] {
                try usher("scene", "new", "--app", "example.own", "--target", target)
            }
            _ = try usher.shell("tmux kill-window -t @0")
            let gone = try usher("scene", "focus", "item-1")
            #expect(gone.status == 1 || gone.status == 2, "\(gone.output)")
            #expect((gone.output + gone.errors).contains("resolution.no-such-session"), "\(gone.output) \(gone.errors)")
            #expect(try usher("scene", "focus", "item-2").status == 0)
        }
    }

    @Test("the window of a scene that was taken out of the manifest is still brought forward and closed")
    func sceneIsRemoved() throws {
        try UsherProgram.run { usher in
            try Self.prepare(usher)
            try usher.withDaemon(config: usher.path("config/usher")) {
                let made = try usher("scene", "new", "--app", "example.own", "--target", "https://own.example/item/1")
                #expect(made.status == 0, "\(made.errors)")
                try Self.prepare(usher, scene: "other")
                #expect(try usher("reload").status == 0)
                let focused = try usher("scene", "focus", "item-1").json()
                #expect(focused["reason"]?.string == "explicit" && focused["error"]?.kind == .null, "\(focused)")
                let unknown = try usher("scene", "new", "--app", "example.own", "--scene", "item")
                #expect(unknown.errors.contains("U2010 scene.unknown"), "\(unknown.errors)")
                #expect(try usher("scene", "close", "item-1", "--window").json()["window"]?.string == "closed")
                #expect(try usher("scene", "list").output == "[]\n")
            }
        }
    }
}
