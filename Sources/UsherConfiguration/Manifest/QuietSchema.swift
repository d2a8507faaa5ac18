import UsherScene

/// `quiet` of a manifest and of `usher.toml`.
enum QuietSchema {
    static let key = KeySchema("quiet", .table, #"quiet = { fullscreen = "notify", locked = "none" }"#)

    static let table = TableSchema(
        title: "a `quiet` table",
        keys: [
            KeySchema("do-not-disturb", .string, #"do-not-disturb = "notify""#),
            KeySchema("fullscreen", .string, #"fullscreen = "urgent""#),
            KeySchema("locked", .string, #"locked = "none""#),
        ])
}

extension TableReader {
    mutating func quietRule(of table: CheckedTable) -> QuietRule {
        guard let member = table.members["quiet"], let members = members("quiet", of: table) else { return QuietRule() }
        let own = check(members, QuietSchema.table, region: member.keyRegion)
        var rule = QuietRule()
        for state in QuietRule.State.allCases {
            rule.acts[state] = choice(state.rawValue, of: own, as: QuietRule.Act.self)
        }
        return rule
    }
}
