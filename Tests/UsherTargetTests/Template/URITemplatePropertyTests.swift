import TestSupport
import Testing
import UsherTarget

@Suite struct URITemplatePropertyTests {
    static let operators = ["", "+", "#", ".", "/", ";", "?", "&"]

    /// A template of some expressions, and non-empty values for all their variables.
    static func sample(
        _ numbers: inout SeededGenerator, characters: [Character], names: [String]
    ) -> (text: String, values: [String: TemplateValue]) {
        func word() -> String {
            String((0..<Int.random(in: 1...4, using: &numbers)).map { _ in characters.randomElement(using: &numbers)! })
        }
        var text = ""
        var exploded: [String: Bool] = [:]
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            text += ["", "/", "/a", "x", "-", "/päth/", "?v=1"].randomElement(using: &numbers)!
            let specifications = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
                let name = names.randomElement(using: &numbers)!
                let isExploded = exploded[name] ?? (Int.random(in: 0..<5, using: &numbers) == 0)
                exploded[name] = isExploded
                let prefix = Int.random(in: 0..<8, using: &numbers) == 0 ? ":2" : ""
                return name + (isExploded ? "*" : prefix)
            }
            text += "{" + operators.randomElement(using: &numbers)! + specifications.joined(separator: ",") + "}"
        }
        let values = exploded.sorted { $0.key < $1.key }.map { name, isExploded in
            let value =
                isExploded
                ? TemplateValue.list((0..<Int.random(in: 1...3, using: &numbers)).map { _ in word() }) : .string(word())
            return (name, value)
        }
        return (text, Dictionary(uniqueKeysWithValues: values))
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func matchGivesValuesBackOrSaysAmbiguous(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let alphabets: [[Character]] = [Array("ab"), Array("abcdefgh0123"), Array("a-._~"), Array("a /ä%🤡,=&")]
        var (exact, ambiguous) = (0, 0)
        for round in 0..<200 {
            let (text, values) = Self.sample(
                &numbers, characters: alphabets[round % alphabets.count], names: ["a", "b", "c", "id", "name"])
            let template = try URITemplate(text)
            let identifier = try template.expand(values)
            guard let match = template.match(identifier) else {
                Issue.record("\(text) does not match its own \(identifier)")
                continue
            }
            #expect(try template.expand(match.values) == identifier, "\(text)")
            for name in template.variableNames where match.values[name] != values[name] {
                #expect(
                    match.ambiguousVariables.contains(name),
                    "\(text) \(identifier) \(name): \(String(describing: match))")
            }
            if match.isAmbiguous { ambiguous += 1 } else { exact += 1 }
        }
        #expect(exact > 20)
        #expect(ambiguous > 20)
    }

    /// A template, values that `build` accepts, with lists, empty members and absent variables, and what a match gives
    /// back of them: what expands like a string is one.
    private static func buildable(
        _ numbers: inout SeededGenerator
    ) -> (text: String, values: [String: TemplateValue], expected: [String: TemplateValue]) {
        func word(_ minimum: Int = 1) -> String {
            String(
                (0..<Int.random(in: minimum...3, using: &numbers)).map { _ in "ab0 ä%".randomElement(using: &numbers)! }
            )
        }
        func members(_ count: ClosedRange<Int>) -> [String] {
            (0..<Int.random(in: count, using: &numbers)).map { _ in word(0) }
        }
        var text = "x:"
        var values: [String: TemplateValue] = [:]
        var expected: [String: TemplateValue] = [:]
        var names = (0..<12).map { "v\($0)" }[...]
        let count = Int.random(in: 1...3, using: &numbers)
        for place in 1...count {
            text += ["", "/a", "-", "/päth/"].randomElement(using: &numbers)!
            // What copies commas and slashes may take in what follows it.
            let operators = ["", ".", "/", ";", "?", "&"] + (place == count ? ["#", "#"] : [])
            let `operator` = operators.randomElement(using: &numbers)!
            let isOptional = [";", "?", "&", "#"].contains(`operator`)
            var specifications: [String] = []
            let width = Int.random(in: 1...3, using: &numbers)
            for name in names.prefix(width) {
                switch Int.random(in: 0..<10, using: &numbers) {
                case 0...1 where isOptional:
                    values[name] = [nil, .undefined, .list([])].randomElement(using: &numbers)!
                    specifications.append(name)
                case 2...4 where `operator` != "." && `operator` != "#":
                    var list = members(isOptional ? 1...3 : 2...3)
                    if !isOptional { list[Int.random(in: list.indices, using: &numbers)] = word() }
                    (values[name], expected[name]) = (.list(list), .list(list))
                    specifications.append(name + "*")
                case 5...6 where `operator` != "#" && (width == 1 || `operator` != "" && `operator` != "."):
                    var list = members(1...3)
                    if !isOptional { list[Int.random(in: list.indices, using: &numbers)] = word() }
                    (values[name], expected[name]) = (.list(list), list.count == 1 ? .string(list[0]) : .list(list))
                    specifications.append(name)
                case 7 where `operator` != "#":
                    let pairs = (0..<Int.random(in: 1...2, using: &numbers)).map {
                        TemplateValue.Member(key: "k\($0)", value: word(0))
                    }
                    (values[name], expected[name]) = (.associative(pairs), .associative(pairs))
                    specifications.append(name + "*")
                default:
                    let value = TemplateValue.string(word(isOptional ? 0 : 1))
                    (values[name], expected[name]) = (value, value)
                    specifications.append(name)
                }
            }
            names = names.dropFirst(width)
            text += "{" + `operator` + specifications.joined(separator: ",") + "}"
        }
        return (text, values, expected)
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func matchTakesApartWhatBuildMakes(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: 3_000 + seed)
        var exact = 0
        for _ in 0..<400 {
            let (text, values, expected) = Self.buildable(&numbers)
            let template = try URITemplate(text)
            let identifier = try template.build(values)
            guard let match = template.match(identifier) else {
                Issue.record("\(text) does not match its own \(identifier), built of \(values)")
                continue
            }
            #expect(try template.build(match.values) == identifier, "\(text)")
            for name in template.variableNames where match.values[name] != expected[name] {
                #expect(match.ambiguousVariables.contains(name), "\(text) \(identifier) \(name): \(match)")
            }
            if match.values == expected { exact += 1 }
        }
        #expect(exact > 200)
    }

    /// Against an exhaustive search over all divisions of short identifiers.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func agreesWithExhaustiveSearch(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: 1_000 + seed)
        for _ in 0..<60 {
            var text = ""
            var names: [String] = []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                text += ["", "a", "/", "-"].randomElement(using: &numbers)!
                let name = ["x", "y", "z"].randomElement(using: &numbers)!
                if !names.contains(name) { names.append(name) }
                text += "{" + ["", "+"].randomElement(using: &numbers)! + name + "}"
            }
            let template = try URITemplate(text)
            let identifier = String(
                (0..<Int.random(in: 0...5, using: &numbers)).map { _ in "aab/-".randomElement(using: &numbers)! })
            var words: Set<String> = []
            let characters = Array(identifier)
            for start in characters.indices {
                for end in start..<characters.count { words.insert(String(characters[start...end])) }
            }
            var assignments: [[String: TemplateValue]] = [[:]]
            for name in names {
                assignments = assignments.flatMap { assignment in
                    words.map { assignment.merging([name: .string($0)]) { $1 } }
                }
            }
            let found = try assignments.filter { try template.expand($0) == identifier }
            let match = template.match(identifier)
            #expect((match != nil) == !found.isEmpty, "\(text) \(identifier)")
            guard let match else { continue }
            #expect(found.contains(match.values), "\(text) \(identifier)")
            #expect(match.isAmbiguous == (found.count > 1), "\(text) \(identifier) \(found)")
            let varying = names.filter { name in Set(found.map { $0[name] }).count > 1 }
            #expect(Set(match.ambiguousVariables).isSubset(of: varying), "\(text) \(identifier)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func nothingTraps(seed: UInt64) {
        var numbers = SeededGenerator(seed: 2_000 + seed)
        let pieces = [
            "{", "}", "{a}", "{+b}", "{?c*}", "{a:2}", "%", "%2", "%2F", "%c3%a4", "%C3%A4", "%F0", "/", "?", "&", "=",
            ",",
            "*", ":", "a", "b", "0", "9999", "ä", "🤡", "\u{0}", "\u{301}", " ", "-", ".", "{;a,b*}", "{#c}", ";a=1",
            "?c=1",
            "{/a*}", "#",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...12, using: &numbers)).map { _ in pieces.randomElement(using: &numbers)! }.joined()
        }
        for _ in 0..<400 {
            let source = text()
            do throws(URITemplateError) {
                let template = try URITemplate(source)
                for identifier in [text(), text(), source] {
                    if let match = template.match(identifier) {
                        #expect(try template.expand(match.values).utf8.elementsEqual(identifier.utf8))
                    }
                }
                let values: [String: TemplateValue] = [
                    "a": .string(text()), "b": .list([text()]), "c": [text(): text()],
                ]
                if let identifier = try? template.expand(values) { _ = template.match(identifier) }
            } catch {
                #expect((0...source.utf8.count).contains(error.offset))
                #expect(!error.description.isEmpty)
            }
        }
    }
}
