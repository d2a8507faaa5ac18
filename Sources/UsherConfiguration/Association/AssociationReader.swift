import UsherJSON
import UsherScene
internal import UsherText

/// Reads an `apple-app-site-association` file, and says everything that is wrong with it.
///
/// What iOS would refuse, or read as something else than it says, is an error; what can only have no effect is a warning.
/// Apple, "applinks", "applinks.Details" and "applinks.Details.Components".
struct AssociationReader {
    /// The rules of some apps.
    struct Entry {
        var appIDs: [String]
        var rules: [LinkRule]
    }

    let file: SourceFile
    var document = JSONDocument(maximumDepth: 64)
    private(set) var diagnostics: [ConfigurationDiagnostic] = []
    var entries: [Entry] = []
    var variables = LinkVariables.predefined
    private var places: ForwardPlaces

    /// A server may send no more (Apple, "App Search Programming Guide": 128 KB since iOS 9.3.1).
    static let maximumServedSize = 128 * 1024

    init(file: SourceFile) {
        self.file = file
        places = ForwardPlaces(file.bytes)
    }

    /// - Parameter bytes: of the file, as they are.
    mutating func read(_ bytes: [UInt8]) {
        do {
            try document.parse(bytes)
        } catch {
            let help =
                switch error.code {
                case .byteOrderMark: "save it as UTF-8 without a byte order mark"
                case .duplicateKey: "keep one of them"
                case .invalidUTF8: "save it as UTF-8"
                default: "the file is JSON: no comments, no comma before a closing bracket"
                }
            return report(.error, .associationSyntax, at: error.offset..<(error.offset + 1), error.message, help: help)
        }
        if bytes.count > AssociationReader.maximumServedSize {
            report(
                .warning, .associationSize, at: 0..<1,
                "the file has \(bytes.count) bytes: systems of Apple read \(AssociationReader.maximumServedSize) at the most",
                help: "use wildcards and substitution variables in place of single paths")
        }
        guard let root = document.root, expect(.object, root, "the file") else { return }
        check(root, "the file", knows: ["applinks", "webcredentials", "appclips", "activitycontinuation"])
        guard let links = document.value("applinks", in: root) else {
            return report(
                .error, .associationMissing, at: 0..<1, "the file has no `applinks`",
                help: #"write { "applinks": { "details": [ … ] } }"#)
        }
        guard expect(.object, links, "`applinks`") else { return }
        readLinks(links)
    }

    // MARK: Reporting

    mutating func report(
        _ severity: ConfigurationDiagnostic.Severity, _ code: DiagnosticCode, at range: Range<Int>, _ message: String,
        help: String? = nil, related: SourceLocation? = nil
    ) {
        guard diagnostics.count <= TableReader.maximumDiagnostics else { return }
        let isLast = diagnostics.count == TableReader.maximumDiagnostics
        let begin = file.position(of: range.lowerBound)
        let region = SourceRegion(begin: begin, end: max(begin, file.position(of: range.upperBound)))
        // A file may be one long line: its text is shared.
        let isSameLine = diagnostics.last?.location?.line == begin.line
        let line = isSameLine ? diagnostics.last?.sourceLine : String(decoding: file.line(begin.line), as: UTF8.self)
        diagnostics.append(
            ConfigurationDiagnostic(
                isLast ? .error : severity, isLast ? .tooManyDiagnostics : code, path: file.path,
                location: file.location(begin), length: region.length,
                message: isLast ? "there are more mistakes in this file" : message, help: isLast ? nil : help,
                related: isLast ? nil : related, sourceLine: line))
    }

    /// The place of an element; O(file) for all elements of a file together, where they are asked for in order.
    mutating func location(of element: JSONElement) -> SourceLocation {
        file.location(places.position(of: document.offset(element)))
    }

    // MARK: Shape

    mutating func expect(_ kind: JSONKind, _ element: JSONElement, _ what: String) -> Bool {
        let found = document.kind(element)
        if found == kind { return true }
        report(
            .error, .associationType, at: document.textRange(element),
            "\(what) must be \(kind.phrase), found \(found.phrase)",
            help: AssociationReader.help(for: kind))
        return false
    }

    private static func help(for kind: JSONKind) -> String {
        switch kind {
        case .boolean: "write true or false, without quotes"
        case .string: "put it in quotes"
        case .array: "put it in brackets: [ … ]"
        case .object: "write an object: { … }"
        case .number, .null: "write \(kind.phrase)"
        }
    }

    /// Nothing more is reported: there is no need to look for remedies.
    var isFull: Bool { diagnostics.count > TableReader.maximumDiagnostics }

    /// Warns of members that mean nothing.
    mutating func check(_ object: JSONElement, _ what: String, knows names: [String]) {
        for member in document.members(object) {
            let name = document.string(member.key) ?? ""
            guard !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }), !isFull else { continue }
            let meant = Suggestion.closest(to: name, among: names)
            report(
                .warning, .associationUnknownMember, at: document.textRange(member.key),
                "\(what) has no member \(TOMLText.quoted(name)): it is ignored",
                help: meant.map { "did you mean \(TOMLText.quoted($0))?" }
                    ?? "its members are " + names.map(TOMLText.quoted).joined(separator: ", "))
        }
    }

    mutating func boolean(_ name: String, of object: JSONElement) -> Bool? {
        guard let element = document.value(name, in: object), expect(.boolean, element, "`\(name)`") else { return nil }
        return document.boolean(element)
    }

    /// The strings of an array.
    mutating func strings(_ array: JSONElement, _ what: String) -> [(text: String, element: JSONElement)] {
        var strings: [(text: String, element: JSONElement)] = []
        for element in document.elements(array) where expect(.string, element, "an element of \(what)") {
            strings.append((document.string(element) ?? "", element))
        }
        return strings
    }
}

/// Lines and columns of ascending offsets: one walk through a file, even where it is a single line.
struct ForwardPlaces {
    private let bytes: [UInt8]
    private var offset = 0
    private var place = SourcePosition(line: 1, column: 1)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func position(of wanted: Int) -> SourcePosition {
        if wanted < offset {
            offset = 0
            place = SourcePosition(line: 1, column: 1)
        }
        while offset < min(wanted, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") {
                place = SourcePosition(line: place.line + 1, column: 1)
            } else if bytes[offset] & 0xC0 != 0x80 {
                place.column += 1
            }
            offset += 1
        }
        return place
    }
}
