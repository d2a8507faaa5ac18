import UsherScene
import UsherTarget

extension ManifestReader {
    /// `schemes`: the URL schemes (RFC 3986, 3.1) whose identifiers are the app's.
    mutating func readSchemes(of table: CheckedTable, into app: inout App) {
        for scheme in unique(reader.strings("schemes", of: table) ?? [], of: "schemes") {
            guard let name = scheme.value.schemeName else {
                let rest = scheme.value.utf8.prefix { $0 != UInt8(ascii: ":") }
                reader.report(
                    .invalidValue, at: scheme.region,
                    "\(TOMLText.quoted(scheme.value)) is not the name of a URL scheme",
                    help: String(Substring(rest)).schemeName.map {
                        "write it without the colon: \(TOMLText.quoted($0))"
                    }
                        ?? "it begins with a letter and has letters, digits, `+`, `-` and `.`: schemes = [\"clowntown\"]"
                )
                continue
            }
            guard name != "http", name != "https" else {
                reader.report(
                    .invalidValue, at: scheme.region, "`\(name)` is everybody's: no app can own all web addresses",
                    help: "name the app's hosts: domains = [\"clowntown.example\"]")
                continue
            }
            if let first = app.schemes.first(where: { $0.value == name }) {
                reader.report(
                    .duplicateValue, at: scheme.region, "\(TOMLText.quoted(scheme.value)) is in `schemes` twice",
                    help: "schemes have no case", related: first.location)
                continue
            }
            app.schemes.append(Located(name, at: location(scheme.region.begin)))
            places.schemes.append(Placed(value: name, region: scheme.region))
        }
    }
}

extension String {
    /// The name of a scheme in lower case; nil for what is none.
    fileprivate var schemeName: String? {
        let bytes = Array(utf8)
        guard TargetContentIdentifier.isScheme(bytes[...]) else { return nil }
        return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}
