import UsherScene

extension SettingsReader {
    mutating func readConditions(of hook: CheckedTable) -> [HookCondition] {
        var conditions: [HookCondition] = []
        for table in reader.tables("when", of: hook) {
            let inner = reader.check(table.value, SettingsSchema.condition, region: table.region)
            let place = place(in: inner, keys: ["header", "pointer", "query"], named: "a condition")
            let test = test(of: inner)
            guard let place, let test else { continue }
            let written = HookCondition(
                SettingsReader.bodyPlace(place), test, location: reader.file.location(table.region.begin))
            conditions.append(written)
        }
        return conditions
    }

    /// Conditions are about the whole body, also where there is `each`.
    private static func bodyPlace(_ place: HookPlace) -> HookPlace {
        if case .pointer(let reference) = place { .bodyPointer(reference) } else { place }
    }

    private mutating func test(of table: CheckedTable) -> HookCondition.Test? {
        let keys = ["equals", "in", "exists", "prefix"]
        let present = keys.filter(table.written.contains)
        guard present.count == 1 else {
            if present.isEmpty, table.hasUnknownKeys { return nil }
            let names = keys.map { "`\($0)`" }.joined(separator: ", ")
            reader.report(
                .hookCondition, at: table.region,
                "a condition needs one of \(names)" + (present.isEmpty ? "" : ", and has \(present.count)"))
            return nil
        }
        if let value = reader.boolean("exists", of: table) { return .exists(value.value) }
        if let prefix = reader.string("prefix", of: table) { return .prefix(prefix.value) }
        if let member = table.members["equals"] { return SettingsReader.constant(member.value).map { .equals([$0]) } }
        guard let member = table.members["in"], case .array(let elements) = member.value.content else { return nil }
        if elements.isEmpty {
            reader.report(
                .hookCondition, at: member.value.region, "nothing is in an empty list",
                help: "write it so: in = [\"opened\", \"reopened\"]")
        }
        var constants: [HookCondition.Constant] = []
        for element in elements {
            if let constant = SettingsReader.constant(element) {
                constants.append(constant)
            } else {
                reader.report(
                    .wrongType, at: element.region,
                    "`in` is a list of strings, integers or booleans, found \(element.kind)")
            }
        }
        return constants.count == elements.count ? .equals(constants) : nil
    }

    private static func constant(_ value: TOMLValue) -> HookCondition.Constant? {
        switch value.content {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .boolean(let value): .boolean(value)
        default: nil
        }
    }
}
