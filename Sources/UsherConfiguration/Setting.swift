/// A key of `usher.toml`: its type, how it is read, and the property of `Settings` that it sets.
///
/// The initial value of the property is the default.
struct Setting: Sendable {
    typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

    let key: KeySchema
    /// The keys of the key, where it is one of the tables of `usher.toml`.
    let table: SettingTable?
    let read: @Sendable (inout SettingsReader, CheckedTable) -> Void
    fileprivate let isChanged: @Sendable (_ old: Settings, _ new: Settings) -> Bool
    fileprivate var needsRestart = false

    private static let defaults = Settings()

    /// A key that sets no property of its own.
    init(
        _ key: KeySchema, table: SettingTable? = nil,
        read: @escaping @Sendable (inout SettingsReader, CheckedTable) -> Void = { _, _ in }
    ) {
        self.key = key
        self.table = table
        self.read = read
        isChanged = { _, _ in false }
    }

    /// - Parameter value: nil leaves the default.
    init<Value: Equatable & Sendable>(
        _ key: KeySchema, _ path: Path<Value>, value: @escaping @Sendable (inout SettingsReader, CheckedTable) -> Value?
    ) {
        self.key = key
        table = nil
        read = { if let value = value(&$0, $1) { $0.settings[keyPath: path] = value } }
        isChanged = { $0[keyPath: path] != $1[keyPath: path] }
    }

    /// - Parameter example: a value in TOML.
    static func value<Value: Equatable & Sendable>(
        _ name: String, _ kind: KeySchema.Kind, _ path: Path<Value>, _ example: String,
        value: @escaping @Sendable (inout SettingsReader, CheckedTable) -> Value?
    ) -> Setting {
        Setting(KeySchema(name, kind, "\(name) = \(example)"), path, value: value)
    }

    static func integer(_ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>) -> Setting {
        value(name, .integer, path, "\(defaults[keyPath: path])") { $0.reader.integer(name, of: $1, in: range)?.value }
    }

    static func boolean(_ name: String, _ path: Path<Bool>) -> Setting {
        value(name, .boolean, path, "\(defaults[keyPath: path])") { $0.reader.boolean(name, of: $1)?.value }
    }

    static func choice<Value: RawRepresentable & CaseIterable & Equatable & Sendable>(
        _ name: String, _ path: Path<Value?>, _ example: String
    ) -> Setting where Value.RawValue == String {
        value(name, .string, path, example) { $0.reader.choice(name, of: $1, as: Value.self) }
    }

    /// A list of strings.
    ///
    /// - Parameter element: of the value; nil where the string is none, which is reported then.
    static func list<Element: Equatable & Sendable>(
        _ name: String, _ path: Path<[Element]>, _ example: String,
        element: @escaping @Sendable (inout SettingsReader, Placed<String>) -> Element?
    ) -> Setting {
        value(name, .strings, path, example) { reader, table in
            reader.reader.strings(name, of: table)?.compactMap { element(&reader, $0) }
        }
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

    /// The same setting, whose change has no effect until the daemon is restarted.
    var needingRestart: Setting {
        var setting = self
        setting.needsRestart = true
        return setting
    }
}

/// A table of `usher.toml` and its keys.
struct SettingTable: Sendable {
    /// With the names of the tables that it is in, such as `server.rate`; empty for the file itself.
    let name: String
    let settings: [Setting]
    let schema: TableSchema

    init(_ name: String, _ settings: Setting...) {
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
            table.settings.filter { $0.needsRestart && $0.isChanged(old, self) }.map { "\(table.name).\($0.key.name)" }
        }
    }
}
