import TestSupport
import Testing
import UsherScene

/// Random patterns and texts: the matcher agrees with the plainest one there is, which tries everything.
@Suite struct LinkPatternPropertyTests {
    static let values: [Character: [String]] = ["V": ["a", "ab", "b?"], "W": ["", "*b", "ba"]]
    static let variables = LinkVariables(["V": values["V"] ?? [], "W": values["W"] ?? []])

    /// `V` and `W` stand for variables.
    static func reference(_ pattern: [Character], _ text: [Character]) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = Array(pattern.dropFirst())
        switch first {
        case "*": return (0...text.count).contains { reference(rest, Array(text.dropFirst($0))) }
        case "?": return !text.isEmpty && reference(rest, Array(text.dropFirst()))
        case "V", "W": return (values[first] ?? []).contains { reference(Array($0) + rest, text) }
        default: return text.first == first && reference(rest, Array(text.dropFirst()))
        }
    }

    @Test(arguments: 0..<20) func agrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var hits = 0
        for _ in 0..<1000 {
            let pattern: [Character] = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                ["a", "b", "*", "?", "V", "W", "é"].randomElement(using: &random) ?? "a"
            }
            let text: [Character] = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                ["a", "b", "é"].randomElement(using: &random) ?? "a"
            }
            let written = "/" + pattern.map { $0 == "V" || $0 == "W" ? "$(\($0))" : String($0) }.joined()
            let form = LinkForm(percentEncoded: false)
            let compiled = try LinkPattern(written, form: form, variables: Self.variables)
            let expected = Self.reference(pattern, text)
            if expected { hits += 1 }
            #expect(
                LinkPatternTests.matches(compiled, "/" + String(text), form) == expected, "\(written) \(String(text))")
        }
        #expect(hits > 50)
    }
}
