import Testing
import UsherScene

@testable import UsherActivation

@Suite("What a window is not")
struct WindowRuleDifferenceTests {
    private func rule(_ change: (inout WindowRule) throws -> Void) rethrows -> WindowRule {
        var rule = WindowRule(location: SourceLocation(path: "a.toml", line: 5, column: 11))
        try change(&rule)
        return rule
    }

    private var windows: [WindowList.Window] {
        var editor = WindowList.Window(handle: "x11:0x1", title: "Untitled 1 - Mousepad", group: "1")
        (editor.windowClass, editor.instance) = ("Mousepad", "mousepad")
        var chrome = WindowList.Window(handle: "x11:0x2", title: "Page\u{1b}[1m", group: "1")
        chrome.windowClass = "Google-chrome"
        var browser = WindowList.Window(handle: "browser:chromium/3", title: "Page", group: "chromium")
        browser.browser = "chromium"
        browser.tabs = [.init(handle: "browser:chromium/3/4", address: "https://a.example/", title: "", isActive: true)]
        return [WindowList.Window(handle: "@1", title: "Mousepad", group: "0"), editor, chrome, browser]
    }

    @Test(
        "the nearest window differs in case, or in a part",
        arguments: [
            ("mousepad", nil, "x11:0x1", "`class` is \"Mousepad\", not \"mousepad\""),
            ("chrome", nil, "x11:0x2", "`class` is \"Google-chrome\", not \"chrome\""),
            ("Mousepad", "*- mousepad", "x11:0x1", "`title` is \"Untitled 1 - Mousepad\", not \"*- mousepad\""),
            ("XTerm", nil, nil, nil), ("Mousepad", "Other*", nil, nil),
        ] as [(String, String?, String?, String?)])
    func desktop(name: String, title: String?, handle: String?, difference: String?) throws {
        let rule = try rule {
            $0.windowClass = try .init(name)
            $0.title = try title.map { try .init($0) }
        }
        let near = rule.nearest(among: windows)
        #expect(near?.handle == handle)
        #expect(near.map(rule.difference) == difference)
    }

    @Test("of browsers their own account is compared, and nothing that a page says gets through unescaped")
    func browsers() throws {
        let wrong = try rule { $0.browser = try .init("chrom") }
        #expect(wrong.nearest(among: windows)?.handle == "browser:chromium/3")
        let tab = try rule { $0.tab = try .init("https://a.example") }
        #expect(
            tab.nearest(among: windows).map(tab.difference)
                == "`tab` is \"https://a.example/\", not \"https://a.example\"")
        let title = try rule { $0.title = try .init("page*!") }
        #expect(!title.difference(from: windows[2]).contains("\u{1b}"))
    }

    @Test("the warning about a window of another class shows the line to write, where only lasting keys differ")
    func correction() throws {
        let wrong = try rule { $0.windowClass = try .init("Editor") }
        let warning = ActivationFailure.notDescribed(windows[1], by: wrong)
        #expect(warning.message.contains("`class` is \"Mousepad\", not \"Editor\""))
        #expect(warning.help?.hasPrefix("write class = \"Mousepad\" at a.toml:5:11;") == true)
        let title = try rule {
            $0.windowClass = try .init("Editor")
            $0.title = try .init("Other*")
        }
        #expect(title.correction(for: windows[1]) == nil)
        var odd = windows[1]
        odd.windowClass = "a*\"b\\c"
        #expect(wrong.correction(for: odd) == #"class = "a\\*\"b\\\\c""#)
        (odd.windowClass, odd.appID) = (nil, "org.example.Editor")
        #expect(wrong.correction(for: odd) == #"app-id = "org.example.Editor""#)
    }

    @Test("what cannot be launched says what is nearly there, or whose it is")
    func absence() throws {
        let near = try rule { $0.windowClass = try .init("mousepad") }
        let failure = ActivationFailure.nothingToShow("order", near, windows, HeldWindows())
        #expect(failure.code == .noHandler && failure.message.contains("no window is as `focus` at a.toml:5:11 says"))
        #expect(failure.help?.contains("x11:0x1: `class` is \"Mousepad\"") == true)
        let taken = try rule { $0.windowClass = try .init("Mousepad") }
        var held = HeldWindows()
        // The window of another client that has ended has the same number.
        held.insert(handle: "x11:0x1", server: "another", session: "mail-1 (mail)")
        held.insert(handle: "x11:0x1", server: nil, session: "editor-1 (files)")
        let other = ActivationFailure.nothingToShow("order", taken, windows, held)
        #expect(other.message.contains("no other window than x11:0x1, which is editor-1 (files)'s"))
    }
}
