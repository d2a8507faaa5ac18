import Glibc
import Testing
import UsherSystem

@testable import UsherWindows

@Suite("BrowserHandle")
struct BrowserHandleTests {
    @Test(
        "what is one, and what is none",
        arguments: [
            ("browser:firefox/3", "firefox", 3, nil), ("browser:firefox-2/3/17", "firefox-2", 3, 17),
            ("browser:google-chrome/0", "google-chrome", 0, nil),
        ] as [(String, String, Int64, Int64?)])
    func valid(text: String, client: String, window: Int64, tab: Int64?) {
        #expect(BrowserHandle(text) == BrowserHandle(client: client, window: window, tab: tab))
        #expect(BrowserHandle(text)?.text == text)
    }

    @Test(
        "no handles",
        arguments: [
            "", "browser:", "browser:firefox", "browser:firefox/", "browser:/3", "browser:firefox/3/",
            "browser:firefox/03",
            "browser:firefox/+3", "browser:firefox/-3", "browser:firefox/3/4/5", "browser:Firefox/3", "browser:f x/3",
            "browser:firefox/99999999999999999999", "x11:0x3", "browser:firefox/3\u{301}",
        ])
    func invalid(text: String) { #expect(BrowserHandle(text) == nil) }

    @Test(
        "names of browsers",
        arguments: [
            ("Firefox", nil, [], "firefox"), ("Firefox", nil, ["firefox", "firefox-2"], "firefox-3"),
            ("Google Chrome", nil, [], "google-chrome"), ("Firefox", "firefox-2", [], "firefox-2"),
            ("Firefox", "firefox-2", ["firefox-2"], "firefox"), ("Firefox", "chromium", [], "firefox"),
            ("Firefox", "firefox-2/3", [], "firefox"), ("", nil, [], "browser"), ("../é", nil, [], "browser"),
        ] as [(String, String?, [String], String)])
    func names(product: String, wanted: String?, taken: [String], name: String) {
        #expect(BrowserClient.name(for: product, wanted: wanted, taken: Set(taken)) == name)
    }

    @Test("a browser that has ended is gone before its parent has waited for it")
    func ended() throws {
        var process: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(words[0]) }
        try #require(posix_spawn(&process, "/bin/true", nil, nil, &words, nil) == 0)
        defer { waitpid(process, nil, 0) }
        var ending = siginfo_t()
        try #require(waitid(P_PID, id_t(process), &ending, WEXITED | WNOWAIT) == 0)
        let status = try #require(ProcessStatus(pid: process))
        #expect(!BrowserClient.isAlive("\(process).\(status.startTime)"))
        let own = try #require(ProcessStatus(pid: getpid()))
        #expect(BrowserClient.isAlive("\(getpid()).\(own.startTime)"))
    }

    @Test(
        "titles of windows and of the pages in them",
        arguments: [
            ("Page 1 — Mozilla Firefox", "Page 1", true), ("Page  1 - Chromium", " Page 1\n", true),
            ("Page 10 - Chromium", "Page 2", false), ("Mozilla Firefox", "", false), ("", "Page", false),
        ])
    func titles(window: String, page: String, isSame: Bool) {
        #expect(BrowserWindowSystem.title(window, isOf: page) == isSame)
    }
}
