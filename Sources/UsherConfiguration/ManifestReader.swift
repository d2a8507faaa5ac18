import UsherPredicate
import UsherScene
import UsherTarget

/// Turns one manifest into an app, and says everything that is wrong with it.
struct ManifestReader: Sendable {
    var reader: TableReader
    /// Of the manifest, absolute: what relative paths in it start from.
    let folder: String
    let programs: ProgramSearch
    /// What is looked into instead of files.
    let kept: KeptManifests?
    /// Read beside the manifest: they belong into the digest.
    var includedFiles: [IncludedFile] = []
    /// The regions of what is judged once all is read.
    var places = Places()

    struct IncludedFile: Sendable {
        /// As the manifest names it.
        var name: String
        var bytes: [UInt8]
        /// Where places in it are told: its text, and what is wrong with it.
        var source: SourceFile?
        var diagnostics: [ConfigurationDiagnostic] = []
    }

    struct Places: Sendable {
        var id: SourceRegion?
        var topics: [Placed<String>] = []
        var domains: [Placed<String>] = []
        var schemes: [Placed<String>] = []
        /// As the app's scenes and targets, one for one.
        var scenes: [SourceRegion] = []
        var targets: [SourceRegion] = []
    }

    init(file: SourceFile, folder: String, programs: ProgramSearch, kept: KeptManifests? = nil) {
        self.kept = kept
        self.reader = TableReader(file: file, schemas: ManifestSchema.all)
        self.folder = folder
        self.programs = programs
    }

    /// The app, as far as it could be read; nil when it has no usable id.
    mutating func read(_ members: [TOMLMember]) -> App? {
        let start = SourcePosition(line: 1, column: 1)
        let table = reader.check(members, ManifestSchema.app, region: SourceRegion(begin: start, end: start))
        let id = identifier(of: table)
        var app = App(
            id: id?.value ?? "", name: id?.value ?? "", location: location(id?.region.begin ?? start))
        places.id = id?.region
        if let name = reader.string("name", of: table) { app.name = name.value }
        if let topics = reader.strings("topics", of: table) {
            app.topics = unique(topics, of: "topics").map(\.value)
            places.topics = topics
        }
        readDomains(of: table, into: &app)
        readSchemes(of: table, into: &app)
        readAssociation(of: table, into: &app)
        app.activityTypes = unique(reader.strings("activity-types", of: table) ?? [], of: "activity-types").map(located)
        readVersions(of: table, into: &app)
        app.website = reader.boolean("website", of: table).map(located)
        if let several = reader.boolean("multiple-scenes", of: table) { app.multipleScenes = several.value }
        app.scenesLimit = reader.integer("scenes-limit", of: table, in: 1...10_000).map(located)
        readNotifications(of: table, into: &app)
        readTargets(of: table, into: &app)
        readScenes(of: table, into: &app)
        readHandlers(of: table, into: &app)
        readShortcuts(of: table, into: &app)
        readPropertyList(of: table, into: &app)
        readExpectations(of: table, into: &app)
        checkReachability(of: app, sceneTables: table.written.contains("scenes"))
        return id == nil ? nil : app
    }

    func location(_ position: SourcePosition) -> SourceLocation { reader.file.location(position) }

    func located<Value>(_ placed: Placed<Value>) -> Located<Value> {
        Located(placed.value, at: location(placed.region.begin))
    }

    private mutating func identifier(of table: CheckedTable) -> Placed<String>? {
        guard let id = reader.string("id", of: table) else { return nil }
        let isPlain = id.value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain else {
            reader.report(
                .invalidValue, at: id.region, "an app's id has letters, digits, `.`, `-` and `_` only",
                help: "in reverse-DNS form: id = \"example.clowntown\"")
            return nil
        }
        return id
    }

    /// Reports empty and repeated strings of a list, and gives the others.
    mutating func unique(_ strings: [Placed<String>], of key: String) -> [Placed<String>] {
        var first: [[UInt8]: SourceRegion] = [:]
        return strings.filter { string in
            if string.value.isEmpty {
                reader.report(.invalidValue, at: string.region, "`\(key)` must not have an empty string")
                return false
            }
            if let place = first.updateValue(string.region, forKey: Array(string.value.utf8)) {
                first[Array(string.value.utf8)] = place
                reader.report(
                    .duplicateValue, at: string.region, "\(TOMLText.quoted(string.value)) is in `\(key)` twice",
                    related: location(place.begin))
                return false
            }
            return true
        }
    }

    private mutating func readDomains(of table: CheckedTable, into app: inout App) {
        for domain in unique(reader.strings("domains", of: table) ?? [], of: "domains") {
            let text = domain.value.loweringHost()
            if text.isHostWithPath {
                app.domains.append(Located(text, at: location(domain.region.begin)))
                places.domains.append(Placed(value: text, region: domain.region))
            } else if let host = text.hostOfAddress {
                reader.report(
                    .invalidValue, at: domain.region, "`domains` has hosts, not whole addresses",
                    help: "write \(TOMLText.quoted(host))")
            } else {
                reader.report(
                    .invalidValue, at: domain.region, "\(TOMLText.quoted(domain.value)) is not the name of a host",
                    help: "name each host by itself: domains = [\"clowntown.example\", \"www.clowntown.example\"]")
            }
        }
    }
}

extension String {
    /// With the capitals before the first slash made small: hosts have no case, paths do.
    fileprivate func loweringHost() -> String {
        let host = utf8.prefix { $0 != UInt8(ascii: "/") }
        let small = host.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        return String(decoding: small + utf8.dropFirst(host.count), as: UTF8.self)
    }

    /// `clowntown.example`, `*.clowntown.example` or `shop.example/clowns`.
    fileprivate var isHostWithPath: Bool {
        var rest = Array(utf8)[...]
        if rest.starts(with: "*.".utf8) { rest = rest.dropFirst(2) }
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        let isHost = host.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), 0x80...: true
            default: false
            }
        }
        guard isHost, !host.isEmpty, host.first != UInt8(ascii: "."), host.last != UInt8(ascii: ".") else {
            return false
        }
        return !rest.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    /// The host of `https://host:port/path`; nil for anything else.
    fileprivate var hostOfAddress: String? {
        let bytes = Array(utf8)
        guard let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else { return nil }
        let host = bytes[(scheme + 3)...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        let text = String(decoding: host, as: UTF8.self)
        return text.isHostWithPath ? text : nil
    }
}
