import Testing
import UsherHook
import UsherText

@Suite struct HookRequestTests {
    @Test func headersAreFoundWithoutCase() {
        let request = HookRequest(path: "/hooks/a", headers: [.init("X-A", "1"), .init("x-a", "2"), .init("X-B", "3")])
        #expect(request.values(ofHeader: "X-a") == ["1", "2"])
        #expect(request.header("x-b") == "3")
        #expect(request.header("X-") == nil)
    }

    @Test(arguments: [
        ("a=1&b=%20x+y", [["a", "1"], ["b", " x y"]]), ("", []), ("&&a", [["a", ""]]), ("%zz=%4", [["%zz", "%4"]]),
        ("a=b=c", [["a", "b=c"]]),
    ])
    func parametersAreDecoded(query: String, expected: [[String]]) {
        #expect(HookRequest(path: "/", query: query).parameters.map { [$0.name, $0.value] } == expected)
    }

    @Test func theURLIsThatOfTheSender() {
        let request = HookRequest(path: "/hooks/a", query: "x=%20", origin: "https://hooks.example")
        #expect(request.url == "https://hooks.example/hooks/a?x=%20")
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", true), (" Application/X-WWW-Form-URLencoded ; charset=UTF-8", true),
        ("application/json", false), ("application/x-www-form-urlencoded2", false), ("", false),
    ])
    func aFormIsOneByItsMediaType(type: String, isForm: Bool) {
        let request = HookRequest(path: "/", headers: [.init("content-type", type)], body: Array("a=1&a=2".utf8))
        #expect(request.isForm == isForm)
        #expect(request.formFields == (isForm ? [.init("a", "1"), .init("a", "2")] : []))
    }

    @Test(arguments: [(1000, true), (1001, false)]) func aFormHasALimit(count: Int, isRead: Bool) {
        let request = HookRequest(
            path: "/", headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(Array(repeating: "a", count: count).joined(separator: "&").utf8))
        #expect((request.formFields?.count == count) == isRead)
    }
}
