import Synchronization
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation

struct ToplevelTests {
    /// Windows by id, parent and a star for the keyboard, and the scenes that are listed.
    @Test(
        "dialogs are part of their windows",
        arguments: [
            ("a b*", "a b*"), ("a b<a*", "a*"), ("a b<a c<b*", "a*"), ("a b<gone*", "a b*"), ("a<a b*", "a b*"),
            ("a<b b<a*", "a b*"), ("a<b b<c c<a d<e* e", "a b c e*"), ("", ""),
        ])
    func scenes(_ windows: String, _ expected: String) {
        let toplevels = windows.split(separator: " ").map { word in
            let names = word.prefix { $0 != "*" }.split(separator: "<").map(String.init)
            var window = Toplevel(id: names[0], title: "")
            window.parent = names.count > 1 ? names[1] : nil
            window.isFocused = word.hasSuffix("*")
            return window
        }
        let snapshot = ToplevelSnapshot(server: "s", windows: toplevels, serial: 0)
        let listed = snapshot.scenes.map { $0.id + ($0.activation == .foregroundActive ? "*" : "") }
        #expect(listed.joined(separator: " ") == expected)
    }

    /// A compositor with one window, which has the keyboard; each look takes the next of `covers`, the last one again and again.
    private final class Source: ToplevelSource {
        let desktop = DesktopName.kwin
        let isAvailable = true
        let support = WindowSupport("kwin")
        let actions: Set<ToplevelAction> = [.activate]
        let covers: Mutex<[Double?]>
        let requests = Mutex<[ToplevelAction]>([])

        init(_ covers: [Double?]) { self.covers = Mutex(covers) }

        func isID(_ text: String) -> Bool { text == "a" }

        func snapshot() -> ToplevelSnapshot? {
            var window = Toplevel(id: "a", title: "a")
            window.isFocused = true
            return ToplevelSnapshot(server: "s", windows: [window], serial: 1)
        }

        func wait(after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?) -> ToplevelSnapshot? {
            snapshot()
        }

        func request(_ action: ToplevelAction, of id: String, server: String, token: String?) {
            requests.withLock { $0.append(action) }
        }

        func exposure(of id: String) -> WindowExposure? {
            covers.withLock { covers in
                let cover = covers.count > 1 ? covers.removeFirst() : covers[0]
                return cover.map { WindowExposure(offScreen: 0, covered: $0) }
            }
        }
    }

    @Test(
        "a window that has the keyboard and is covered is brought forward, and looked at again",
        arguments: [
            ("seen", [0], 0, false), ("not known", [nil], nil, false), ("behind another one", [1, 0.8, 0], 0, true),
            ("below one that stays above", [1], 1, true),
        ] as [(String, [Double?], Double?, Bool)])
    func covered(id: String, covers: [Double?], covered: Double?, isRequested: Bool) throws {
        let source = Source(covers)
        let seen = try ToplevelWindowSystem(source).focus(.handle("kwin:a", server: nil))
        #expect(seen.view == .shown && seen.exposure?.covered == covered)
        #expect(source.requests.withLock { $0 } == (isRequested ? [.activate] : []))
        #expect(try ToplevelWindowSystem(source).exposure(of: "kwin:a")?.covered == covered)
    }
}
