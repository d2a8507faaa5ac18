import UsherJSON

/// Writes values of configuration files as JSON text.
enum JSONText {
    /// A value that JSON has no form for, and where it is.
    struct Unrepresentable: Error {
        var kind: String
        var region: SourceRegion
    }

    private enum Step {
        case value(TOMLValue)
        case member(TOMLMember)
        case endArray
        case endObject
    }

    /// The object of a TOML table. Iterative: nesting takes no stack.
    static func object(_ members: [TOMLMember], region: SourceRegion) throws(Unrepresentable) -> String {
        var writer = JSONWriter()
        var pending: [Step] = [.value(TOMLValue(content: .table(members), region: region))]
        while let step = pending.popLast() {
            let value: TOMLValue
            switch step {
            case .endArray:
                writer.endArray()
                continue
            case .endObject:
                writer.endObject()
                continue
            case .member(let member):
                writer.key(member.key)
                value = member.value
            case .value(let element): value = element
            }
            switch value.content {
            case .string(let text): writer.value(text)
            case .integer(let number): writer.value(number)
            case .boolean(let flag): writer.value(flag)
            case .float(let number):
                guard number.isFinite else { throw Unrepresentable(kind: "\(number)", region: value.region) }
                writer.value(number)
            case .date: throw Unrepresentable(kind: value.kind, region: value.region)
            case .array(let elements):
                writer.beginArray()
                pending.append(.endArray)
                pending += elements.reversed().map(Step.value)
            case .table(let members):
                writer.beginObject()
                pending.append(.endObject)
                pending += members.reversed().map(Step.member)
            }
        }
        return writer.text
    }
}
