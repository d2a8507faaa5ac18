internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// A note as a file of Markdown that people read and write: its properties, its text, and a line for each link.
///
/// What a reader of the file does not need is in properties and comments, so that nothing is lost: a file that was written
/// and read again is the same note. Redirects are in no such file.
public enum NoteDocument {
    /// Of the names of its files, without the dot.
    public static let fileExtension = "md"

    /// The line before the links.
    private static let marker = "<!-- links -->"

    /// Why a file is no note.
    public struct Fault: Error, Sendable {
        /// From 1.
        public var line: Int
        public var message: String
    }

    /// The longest file that is read, in bytes: a note has at most a mebibyte of text, and its links the same again.
    public static let longest = 16 << 20

    fileprivate static let properties = ["id", "state", "line", "created", "changed", "attachments"]

    /// Hands on every note as a file, in the order in which they were made.
    ///
    /// - Parameters:
    ///   - notes: only these, by their ids; nil for all.
    ///   - take: takes the id of a note and its file.
    public static func export(
        _ store: Store, notes: [String]? = nil,
        take: (_ id: String, [UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let ids: [String]
        if let notes { ids = notes } else { ids = try store.noteIDs() }
        for id in ids {
            // A note that was deleted meanwhile has none.
            guard let whole = try store.exportedNote(id) else { continue }
            try take(id, text(whole.note, whole.links))
        }
    }

    /// Notes that were read, as `note export` writes them: what `note import` takes.
    public static func exportLines(of readings: [Reading]) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.exportHeader()
        func write(_ value: JSONValue) {
            json.value(value)
            json.newline()
        }
        for reading in readings { write(reading.note) }
        for reading in readings { reading.links.forEach(write) }
        var digest = MessageDigest()
        digest.update(json.bytes)
        json.exportEnd(
            notes: readings.count, links: readings.reduce(0) { $0 + $1.links.count }, redirects: 0,
            digest: digest.hexadecimal())
        return json.bytes
    }
}

// MARK: - Writing

extension NoteDocument {
    fileprivate static func text(_ note: ContentRow.Note, _ links: [ContentRow.Link]) -> [UInt8] {
        var attachments = JSONWriter(escaping: .minimal)
        attachments.exportArray(note.attachments)
        var values = [note.id, note.state, "\(note.line)", "\(note.created)", "\(note.changed)"]
        if !note.attachments.isEmpty { values.append(String(decoding: attachments.bytes, as: UTF8.self)) }
        let named = zip(properties, values)
        var text = "---\n" + named.map { "\($0): \($1)\n" }.joined() + "---\n\n" + note.text
        // A text that has such a line itself is distinguished from the links by the last one.
        let hasMarker = note.text.utf8.split(separator: 0x0A).contains { $0.elementsEqual(marker.utf8) }
        guard !links.isEmpty || hasMarker else { return Array((text + "\n").utf8) }
        text += "\n\n\(marker)\n"
        for link in links { text += line(of: link) }
        return Array(text.utf8)
    }

    private static func line(of link: ContentRow.Link) -> String {
        let preferred = link.identifiers.first?.identifier ?? ""
        let shown = NoteLinkLine(title: link.title, identifier: preferred)
        let text = shown.text
        let read = NoteLinkLine(text)
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("id", link.id)
        json.member("created", link.created)
        if let app = link.app { json.member("app", app) }
        // Null says that there is none, where the identifier is shown in another spelling.
        if !(read?.title ?? "").utf8.elementsEqual((link.title ?? "").utf8) { json.member("title", link.title) }
        let isSimple =
            link.identifiers.count == 1 && link.identifiers[0].kind == 1
            && read?.identifier.hasSameBytes(as: preferred) == true
        if !isSimple { json.exportMember(link.identifiers) }
        if let document = link.document { json.exportActivity(document) }
        json.endObject()
        return "\(text) <!-- \(comment(json.bytes)) -->\n"
    }

    /// JSON without `--`, which would end a comment; it can stand in strings only.
    private static func comment(_ json: [UInt8]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        let dash = UInt8(ascii: "-")
        for (place, byte) in json.enumerated() {
            if byte == dash, place > 0, json[place - 1] == dash { bytes += "\\u002d".utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - Reading

extension NoteDocument {
    /// A file that was read.
    public struct Reading: Sendable {
        /// As lines of an export have them.
        fileprivate var note: JSONValue
        fileprivate var links: [JSONValue]
        /// The note's id; a new one where the file has none.
        public var id: String
        /// The identifiers of the links without an id, by their places among the links; none of a note that is new, which
        /// has no links yet.
        public fileprivate(set) var newLinks: [Int: String] = [:]

        /// Leaves links out: the note has them already.
        public mutating func removeLinks(at places: Set<Int>) {
            links = links.enumerated().filter { !places.contains($0.offset) }.map(\.element)
        }
    }

    /// Reads a file. One without an id is a new note, which is put aside.
    public static func read(_ bytes: [UInt8]) throws(Fault) -> Reading {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Fault(line: 1, message: "the file is not UTF-8 text")
        }
        var file = Lines(withoutCarriageReturns(bytes))
        let properties = try file.properties()
        let body = file.rest
        let links = file.lines(afterLast: marker)
        let textLine = file.line
        var text = links == nil ? body : body[..<file.markerStart]
        let hasID = properties["id"] != nil
        // The line's own end, and the blank line before the links.
        var ends = links == nil ? 1 : 2
        while text.last == 0x0A, ends > 0 || !hasID {
            text.removeLast()
            ends -= 1
        }
        let now = String(Instant.now.microseconds)
        let id = properties["id"]?.value ?? UUIDv7.next()
        var reading = Reading(note: .null, links: [], id: id)
        var attachments = JSONValue.array([])
        if let written = properties["attachments"] {
            guard let value = try? JSONValue(parsing: Array(written.value.utf8)) else {
                throw Fault(line: written.line, message: "attachments is not JSON")
            }
            attachments = value
        }
        reading.note = [
            "kind": .string("note"), "id": .string(id), "text": .string(String(decoding: text, as: UTF8.self)),
            "state": .string(properties["state"]?.value ?? "aside"),
            "line": try number("line", of: properties, else: "1"),
            "created": try number("created", of: properties, else: now),
            "changed": try number("changed", of: properties, else: now), "attachments": attachments,
        ]
        do throws(ControlError) {
            _ = try ContentRow(.note, reading.note)
        } catch {
            throw Fault(line: textLine, message: error.message)
        }
        for link in links ?? [] { try reading.append(link, now: now) }
        if !hasID { reading.newLinks = [:] }
        return reading
    }

    /// A file whose first line ends with CR LF has LF at the ends of all lines. An export has LF there, whatever its text has.
    private static func withoutCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
        guard let end = bytes.firstIndex(of: 0x0A), end > 0, bytes[end - 1] == 0x0D else { return bytes }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        return Array(lines.map { $0.last == 0x0D ? $0.dropLast() : $0 }.joined(separator: [0x0A]))
    }

    fileprivate typealias Properties = [String: (value: String, line: Int)]

    private static func number(
        _ name: String, of properties: Properties, else other: String
    ) throws(Fault) -> JSONValue {
        guard let written = properties[name] else { return .number(other) }
        guard let number = Int64(written.value) else {
            throw Fault(line: written.line, message: "\(name) is \(QuotedText.text(written.value)), not a number")
        }
        return .number(String(number))
    }
}

extension NoteDocument.Reading {
    fileprivate mutating func append(_ link: NoteDocument.LinkText, now: String) throws(NoteDocument.Fault) {
        guard let shown = NoteLinkLine(link.text) else {
            throw NoteDocument.Fault(
                line: link.line,
                message: "\(QuotedText.text(link.text)) is not a link: write "
                    + NoteLinkLine(title: "TITLE", identifier: "IDENTIFIER").text)
        }
        var details = JSONValue.object([])
        if let comment = link.comment {
            guard let value = try? JSONValue(parsing: Array(comment.utf8), maximumDepth: 1024), value.members != nil
            else { throw NoteDocument.Fault(line: link.line, message: "the comment of the link is not JSON") }
            details = value
        }
        let written = NoteLinkLine(
            title: details["title"].map(\.string) ?? shown.title,
            identifier: details["identifiers"]?.elements?.first?["identifier"]?.string ?? shown.identifier)
        // What a person has changed in the line goes before the comment.
        let read = NoteLinkLine(written.text)
        let isSameContent = read?.identifier.hasSameBytes(as: shown.identifier) == true
        let isSameTitle = (read?.title ?? "").utf8.elementsEqual((shown.title ?? "").utf8)
        var members: [JSONValue.Member] = [
            .init("kind", .string("link")), .init("id", .string(details["id"]?.string ?? UUIDv7.next())),
            .init("note", .string(id)), .init("app", details["app"] ?? .null),
            .init("title", (isSameTitle ? written.title : shown.title).map { .string($0) } ?? .null),
            .init("created", details["created"] ?? .number(now)),
        ]
        let simple = JSONValue.array([
            ["kind": .string("targetContentIdentifier"), "identifier": .string(shown.identifier)]
        ])
        members.append(.init("identifiers", isSameContent ? details["identifiers"] ?? simple : simple))
        for name in ["activity", "activity_base64"] {
            if isSameContent, let activity = details[name] { members.append(.init(name, activity)) }
        }
        let value = JSONValue.object(members)
        do throws(ControlError) {
            _ = try ContentRow(.link, value)
        } catch {
            throw NoteDocument.Fault(line: link.line, message: error.message)
        }
        if details["id"] == nil { newLinks[links.count] = shown.identifier }
        links.append(value)
    }
}

extension NoteDocument {
    /// A line with a link, and the comment that belongs to it.
    fileprivate struct LinkText {
        var line: Int
        var text: String
        var comment: String?
    }

    /// The lines of a file.
    fileprivate struct Lines {
        private let bytes: [UInt8]
        private var place = 0
        /// The number of the next line, from 1.
        private(set) var line = 1
        /// Where the line before the links begins.
        private(set) var markerStart = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var rest: ArraySlice<UInt8> { bytes[place...] }

        /// The line at a place without its end, and where the next one begins.
        private func line(at place: Int) -> (text: ArraySlice<UInt8>, next: Int) {
            let end = bytes[place...].firstIndex(of: 0x0A) ?? bytes.endIndex
            return (bytes[place..<end], min(end + 1, bytes.endIndex))
        }

        private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
            String(decoding: text.trimmed(" \t", atEnd: " \t\r"), as: UTF8.self)
        }

        /// Reads the properties before the text, with the blank line after them. Properties without an id are another
        /// program's, and text to us.
        mutating func properties() throws(Fault) -> Properties {
            let fence = "---"
            var (first, next) = line(at: 0)
            guard Self.trimmed(first) == fence else { return [:] }
            var found: Properties = [:]
            var number = 1
            while next < bytes.count {
                (first, next) = line(at: next)
                number += 1
                let text = Self.trimmed(first)
                if text == fence {
                    guard found["id"] != nil else { return [:] }
                    if next < bytes.count, case (let blank, let after) = line(at: next), blank.isEmpty {
                        next = after
                        number += 1
                    }
                    place = next
                    line = number + 1
                    return found
                }
                guard let colon = text.firstIndex(of: ":") else { continue }
                let name = text[..<colon].lowercased()
                guard NoteDocument.properties.contains(name) else { continue }
                let value = Self.trimmed(Array(text[text.index(after: colon)...].utf8)[...])
                guard found.updateValue((value, number), forKey: name) == nil else {
                    throw Fault(line: number, message: "there are two properties \(name)")
                }
            }
            return [:]
        }

        /// The links after the last line that is a marker; nil where there is none.
        mutating func lines(afterLast marker: String) -> [LinkText]? {
            var start: Int?
            var markerLine = 0
            var (at, number) = (place, line)
            while at < bytes.count {
                let (text, next) = line(at: at)
                if Self.trimmed(text).utf8.elementsEqual(marker.utf8) {
                    (start, markerLine, markerStart) = (next, number, at)
                }
                (at, number) = (next, number + 1)
            }
            guard let start else { return nil }
            var links: [LinkText] = []
            (at, number) = (start, markerLine + 1)
            while at < bytes.count {
                let (bytes, next) = line(at: at)
                var text = Self.trimmed(bytes)
                if !text.isEmpty {
                    var comment: String?
                    if text.hasSuffix("-->"), let open = NoteLinkLine.lastComment(in: text) {
                        comment = Self.trimmed(Array(text[open...].utf8.dropFirst(4).dropLast(3))[...])
                        text = Self.trimmed(Array(text[..<open].utf8)[...])
                    }
                    links.append(LinkText(line: number, text: text, comment: comment))
                }
                (at, number) = (next, number + 1)
            }
            return links
        }
    }
}

/// A link as a line that people read and write: `- [TITLE](IDENTIFIER)`.
struct NoteLinkLine: Hashable {
    var title: String?
    var identifier: String

    init(title: String?, identifier: String) {
        self.title = title
        self.identifier = identifier
    }

    /// Without a line end; the title is the identifier where there is none.
    var text: String {
        "- [\(NoteLinkLine.escaped(title ?? identifier))](\(NoteLinkLine.destination(identifier)))"
    }

    private static func escaped(_ title: String) -> String {
        var text = ""
        for scalar in title.unicodeScalars {
            switch scalar {
            case "\\", "[", "]": text += "\\" + String(scalar)
            case _ where scalar.properties.generalCategory == .control: text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func destination(_ identifier: String) -> String {
        guard identifier.isEmpty || identifier.utf8.contains(where: { $0 <= 0x20 || "()<>".utf8.contains($0) }) else {
            return identifier
        }
        var bytes: [UInt8] = []
        for byte in identifier.utf8 {
            if byte == 0x0A || byte == 0x0D || "<>".utf8.contains(byte) {
                bytes += "%\(Hexadecimal.encode([byte]).uppercased())".utf8
            } else {
                bytes.append(byte)
            }
        }
        return "<\(String(decoding: bytes, as: UTF8.self))>"
    }

    // MARK: Reading

    /// Nil where the line is no link. A title that is the identifier is none.
    init?(_ line: String) {
        var bytes = Array(line.utf8)[...]
        if let first = bytes.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "*"),
            bytes.dropFirst().first == 0x20
        {
            bytes = bytes.dropFirst(2).drop { $0 == 0x20 }
        }
        while bytes.last == 0x20 { bytes.removeLast() }
        guard let found = NoteLinkLine.linked(bytes) ?? NoteLinkLine.bare(bytes), !found.identifier.isEmpty else {
            return nil
        }
        self = found
        if title?.utf8.elementsEqual(identifier.utf8) == true { title = nil }
    }

    private static func bare(_ bytes: ArraySlice<UInt8>) -> NoteLinkLine? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !bytes.contains(where: { $0 <= 0x20 }), TargetContentIdentifier(text).scheme != nil else { return nil }
        return NoteLinkLine(title: nil, identifier: text)
    }

    private static func linked(_ bytes: ArraySlice<UInt8>) -> NoteLinkLine? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var title: [UInt8] = []
        var place = bytes.startIndex + 1
        while place < bytes.endIndex, bytes[place] != UInt8(ascii: "]") {
            if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.endIndex, "\\[]".utf8.contains(bytes[place + 1]) {
                place += 1
            }
            title.append(bytes[place])
            place += 1
        }
        guard place + 1 < bytes.endIndex, bytes[place + 1] == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")") else {
            return nil
        }
        var destination = bytes[(place + 2)..<(bytes.endIndex - 1)]
        if destination.first == UInt8(ascii: "<") {
            guard destination.count > 1, destination.last == UInt8(ascii: ">") else { return nil }
            destination = destination.dropFirst().dropLast()
            guard !destination.contains(where: { "<>".utf8.contains($0) }) else { return nil }
        } else if destination.contains(where: { $0 <= 0x20 }) {
            return nil
        }
        return NoteLinkLine(
            title: title.isEmpty ? nil : String(decoding: title, as: UTF8.self),
            identifier: String(decoding: destination, as: UTF8.self))
    }

    /// Where the last HTML comment of a line begins.
    fileprivate static func lastComment(in text: String) -> String.Index? {
        let bytes = Array(text.utf8)
        var place = bytes.count - 4
        while place >= 0 {
            if bytes[place...].starts(with: "<!--".utf8) {
                return text.utf8.index(text.startIndex, offsetBy: place)
            }
            place -= 1
        }
        return nil
    }
}

// MARK: - The store

extension Store {
    fileprivate func noteIDs() throws(StoreError) -> [String] {
        var ids: [String] = []
        try exportContent(into: &ids) { ids in
            ids = []
        } take: { ids, row in
            if case .note(let note) = row { ids.append(note.id) }
        }
        return ids
    }

    fileprivate func exportedNote(
        _ id: String
    ) throws(StoreError) -> (note: ContentRow.Note, links: [ContentRow.Link])? {
        var whole: (note: ContentRow.Note?, links: [ContentRow.Link]) = (nil, [])
        try exportContent(into: &whole, notes: [id]) { whole in
            whole = (nil, [])
        } take: { whole, row in
            switch row {
            case .note(let note): whole.note = note
            case .link(let link): whole.links.append(link)
            case .redirect: break
            }
        }
        return whole.note.map { ($0, whole.links) }
    }
}
