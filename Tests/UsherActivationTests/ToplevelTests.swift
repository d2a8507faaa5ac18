import Testing
import UsherScene

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
}
