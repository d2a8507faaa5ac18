import UsherJSON
import UsherScene

extension AssociationReader {
    /// `substitutionVariables`: lists of values by name.
    mutating func readVariables(of links: JSONElement) {
        guard let object = document.value("substitutionVariables", in: links),
            expect(.object, object, "`substitutionVariables`")
        else { return }
        var values: [String: [String]] = [:]
        var uses: [VariableUse] = []
        for member in document.members(object) {
            let name = document.string(member.key) ?? ""
            checkName(name, at: member.key)
            guard expect(.array, member.value, "the values of \(TOMLText.quoted(name))") else {
                values[name] = []
                continue
            }
            let texts = strings(member.value, "a variable's values")
            values[name] = texts.map(\.text)
            if texts.isEmpty {
                report(
                    .warning, .associationVariable, at: document.textRange(member.value),
                    "\(TOMLText.quoted(name)) has no values: a pattern that uses it matches nothing",
                    help: "list what it stands for, or drop it")
            }
            for (text, element) in texts {
                for use in VariableUse.all(in: text) {
                    uses.append(
                        VariableUse(
                            owner: name, name: use.name, range: range(use.range, of: element, from: 0)))
                }
            }
        }
        report(uses)
        variables = LinkVariables(values)
    }

    private mutating func checkName(_ name: String, at element: JSONElement) {
        if name.isEmpty || name.contains(where: { "$()".contains($0) }) {
            report(
                .error, .associationVariable, at: document.textRange(element),
                "\(TOMLText.quoted(name)) is no name of a variable: it must not be empty or have $, ( or )",
                help: "the name stands alone here: \"food\" for $(food)")
        } else if LinkVariables.predefinedNames.contains(name) {
            report(
                .warning, .associationVariable, at: document.textRange(element),
                "$(\(name)) is predefined and stays what it is", help: "give the variable another name")
        }
    }

    /// Values have no variables: Apple's systems take them as they are. Where they lead back to themselves, that is said.
    private mutating func report(_ uses: [VariableUse]) {
        var edges: [String: [String]] = [:]
        for use in uses { edges[use.owner, default: []].append(use.name) }
        for use in uses where !isFull {
            guard let way = VariableUse.way(from: use.name, to: use.owner, along: edges) else {
                report(
                    .error, .associationNestedVariable, at: use.range,
                    "the values of a variable cannot use variables, here $(\(use.name))",
                    help: "write out the values of $(\(use.name)), or use both variables in the pattern")
                continue
            }
            let circle = ([use.owner] + way).prefix(8).map { "$(\($0))" }.joined(separator: " → ")
            report(
                .error, .associationCyclicVariable, at: use.range, "the variable leads back to itself: \(circle)",
                help: "write out what $(\(use.owner)) stands for, without variables")
        }
    }
}

/// A variable that a value of another one names.
private struct VariableUse {
    var owner: String
    var name: String
    /// Of the bytes that name it.
    var range: Range<Int>

    static func all(in text: String) -> [(name: String, range: Range<Int>)] {
        let bytes = Array(text.utf8)
        var uses: [(name: String, range: Range<Int>)] = []
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "$"), bytes[index + 1] == UInt8(ascii: "("),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: ")"))
            else {
                index += 1
                continue
            }
            uses.append((String(decoding: bytes[(index + 2)..<end], as: UTF8.self), index..<(end + 1)))
            index = end + 1
        }
        return uses
    }

    /// The names from one to another, both included; nil where no way leads there. Breadth first.
    static func way(from start: String, to end: String, along edges: [String: [String]]) -> [String]? {
        var comesFrom: [String: String] = [start: start]
        var pending = [start]
        var next = 0
        while next < pending.count {
            let name = pending[next]
            next += 1
            if name == end {
                var way = [name]
                while let last = way.last, last != start, let before = comesFrom[last] { way.append(before) }
                return way.reversed()
            }
            for other in edges[name] ?? [] where comesFrom[other] == nil {
                comesFrom[other] = name
                pending.append(other)
            }
        }
        return nil
    }
}
