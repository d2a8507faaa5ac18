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
}
