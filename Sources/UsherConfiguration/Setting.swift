/// A key of `usher.toml`: its type, how it is read, and the property of `Settings` that it sets.
///
/// The initial value of the property is the default.
struct Setting: Sendable {
    /// Gives access to a property; a key path takes many times as long to make and to follow.
    typealias Property<Value> = @Sendable (inout Settings, (inout Value) -> Void) -> Void

    let key: KeySchema
    /// The keys of the key, where it is one of the tables of `usher.toml`.
    let table: SettingTable?
    let read: @Sendable (inout SettingsReader, CheckedTable) -> Void
    /// Whether the daemon has to be restarted.
    fileprivate var needsRestart: @Sendable (_ old: Settings, _ new: Settings) -> Bool = { _, _ in false }

    private static let defaults = Settings()

    init(
        _ key: KeySchema, table: SettingTable? = nil,
        read: @escaping @Sendable (inout SettingsReader, CheckedTable) -> Void = { _, _ in }
    ) {
        self.key = key
        self.table = table
        self.read = read
    }

    /// - Parameter example: a value in TOML.
    static func value(
        _ name: String, _ kind: KeySchema.Kind, _ example: String,
        read: @escaping @Sendable (inout SettingsReader, CheckedTable) -> Void
    ) -> Setting {
        Setting(KeySchema(name, kind, name + " = " + example), read: read)
    }

    static func integer(_ name: String, _ range: ClosedRange<Int>, property: @escaping Property<Int>) -> Setting {
        plain(name, .integer, property, initialValue(of: property)) { $0.integer(name, of: $1, in: range)?.value }
    }

    static func number(
        _ name: String, _ range: ClosedRange<Double>, _ example: String, property: @escaping Property<Double>
    ) -> Setting {
        plain(name, .number, property, example) { $0.number(name, of: $1, in: range)?.value }
    }

    static func boolean(_ name: String, property: @escaping Property<Bool>) -> Setting {
        plain(name, .boolean, property, initialValue(of: property)) { $0.boolean(name, of: $1)?.value }
    }

    static func choice<Value: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ example: String, property: @escaping Property<Value?>
    ) -> Setting where Value.RawValue == String {
        plain(name, .string, property, example) { $0.choice(name, of: $1, as: Value.self) }
    }

    private static func plain<Value: Sendable>(
        _ name: String, _ kind: KeySchema.Kind, _ property: @escaping Property<Value>, _ example: String,
        value: @escaping @Sendable (inout TableReader, CheckedTable) -> Value?
    ) -> Setting {
        .value(name, kind, example) {
            if let value = value(&$0.reader, $1) { property(&$0.settings) { $0 = value } }
        }
    }

    private static func initialValue<Value: CustomStringConvertible>(of property: Property<Value>) -> String {
        var text = ""
        var settings = defaults
        property(&settings) { text = $0.description }
        return text
    }

    /// - Parameter accepted: those of the table's members that are checked and read.
    static func table(
        _ table: SettingTable,
        accepted: @escaping @Sendable (inout SettingsReader, [TOMLMember]) -> [TOMLMember] = { $1 }
    ) -> Setting {
        let name = table.name.split(separator: ".").last.map(String.init) ?? ""
        return Setting(KeySchema(name, .table, "[\(table.name)]"), table: table) { reader, parent in
            guard let member = parent.members[name], let all = reader.reader.members(name, of: parent) else { return }
            reader.read(accepted(&reader, all), table, region: member.keyRegion)
        }
    }

    /// The same setting; a change of this value has no effect until the daemon is restarted.
    func needingRestart<Value: Equatable & Sendable>(_ value: @escaping @Sendable (Settings) -> Value) -> Setting {
        var setting = self
        setting.needsRestart = { value($0) != value($1) }
        return setting
    }
}

/// A table of `usher.toml` and its keys.
struct SettingTable: Sendable {
    /// With the names of the tables that it is in, such as `server.rate`; empty for the file itself.
    let name: String
    let settings: [Setting]
    let schema: TableSchema

    init(_ name: String, _ settings: Setting...) { self.init(name, settings) }

    init(_ name: String, _ settings: [Setting]) {
        self.name = name
        self.settings = settings
        schema = TableSchema(title: name.isEmpty ? "usher.toml" : "the [\(name)] table", keys: settings.map(\.key))
    }

    /// This one, then those within it, in the order of the keys.
    var tables: [SettingTable] { [self] + settings.flatMap { $0.table?.tables ?? [] } }
}

extension Settings {
    /// The keys whose change has no effect until the daemon is restarted, such as `server.listen`.
    public func keysThatNeedRestart(since old: Settings) -> [String] {
        SettingsSchema.root.tables.flatMap { table in
            table.settings.filter { $0.needsRestart(old, self) }.map { "\(table.name).\($0.key.name)" }
        }
    }
}
