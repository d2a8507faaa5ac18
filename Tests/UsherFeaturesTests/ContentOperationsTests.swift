import Testing
import UsherEngine
import UsherJSON
import UsherNotes
import UsherOperation
import UsherScene

@testable import UsherFeatures

/// What the table of operations says, taken at its word.
@Suite("Operations on contents") struct ContentOperationsTests {
    static let values: [ValueShape.Kind: JSONValue] = [
        .text: "a", .flag: true, .number: 7, .texts: ["a", "b"], .records: [["link": "a", "title": "b"]],
    ]

    private static func value(of argument: FieldDescription) -> JSONValue {
        if argument.name == "interactions", argument.kind == .records {
            return [["app": "a", "intent": "i", "participants": ["p"]]]
        }
        return argument.choices.first.map { .string($0) } ?? values[argument.kind] ?? .null
    }

    static let operations = OperationTable.usher.all.filter { $0.type is any ContentCall.Type }

    private func call(_ operation: AnyOperation, _ arguments: JSONValue) throws(ControlError) -> any ContentCall {
        guard let type = operation.type as? any ContentCall.Type else {
            throw .protocolViolation("no \(operation.name)")
        }
        return try type.init(reading: arguments)
    }

    private func written(_ call: any ContentCall) -> String {
        var json = JSONWriter(escaping: .minimal)
        call.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("what is written is what was read, with every argument", arguments: Self.operations.map(\.name))
    func roundTrip(name: String) throws {
        let operation = try #require(Self.operations.first { $0.name == name })
        let given = JSONValue.object(
            operation.arguments.map { .init($0.name, Self.value(of: $0)) })
        let call = try call(operation, given)
        #expect(written(call) == given.text(escaping: .minimal))
        #expect(call.name == name && call.kind == operation.kind)
        #expect(throws: Never.self) { try call.check() }
    }

    @Test(
        "a misspelt argument is named, with its place and the closest",
        arguments: Self.operations.filter { !$0.arguments.isEmpty }.map(\.name))
    func misspelt(name: String) throws {
        let operation = try #require(Self.operations.first { $0.name == name })
        let argument = try #require(operation.arguments.first?.name)
        let wrong = argument + "x"
        let error = try #require(throws: ControlError.self) { try call(operation, .object([.init(wrong, "a")])) }
        #expect(error.code == .controlArgument && error.at == "/\(wrong)")
        #expect(error.message.contains(wrong) && error.help == "did you mean \(argument)?")
    }

    @Test("numbers have limits, whether they are read or given")
    func limits() throws {
        for operation in Self.operations {
            for argument in operation.arguments where argument.kind == .number {
                var members = operation.arguments.map { JSONValue.Member($0.name, Self.value(of: $0)) }
                let place = try #require(members.firstIndex { $0.name == argument.name })
                members[place] = .init(argument.name, 0)
                let error = try #require(throws: ControlError.self) { try call(operation, .object(members)) }
                #expect(error.at == "/\(argument.name)", "\(operation.name)")
            }
        }
        let choice = try #require(throws: ControlError.self) { try NoteList(state: "asid").check() }
        #expect(choice.at == "/state" && choice.help == "did you mean aside?")
        let error = try #require(throws: ControlError.self) { try NoteList(limit: 1001).check() }
        #expect(error.at == "/limit" && error.message == "limit is 1001, not a whole number from 1 to 1000")
    }

    @Test("addresses speak of arguments that there are")
    func addresses() {
        for operation in Self.operations {
            let names = Set(operation.arguments.map(\.name))
            for form in operation.http {
                let inPath = form.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                    String($0.dropFirst().dropLast())
                }
                #expect(names.isSuperset(of: inPath), "\(operation.name)")
                #expect(
                    names.isSuperset(of: form.renamed.values) && names.isSuperset(of: form.hidden), "\(operation.name)")
                #expect(form.verbatim.map(names.contains) ?? true, "\(operation.name)")
            }
        }
    }
}
