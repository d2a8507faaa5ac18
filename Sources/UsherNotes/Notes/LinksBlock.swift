internal import UsherEngine
internal import UsherScene
internal import UsherText

/// The file in which a note is edited: its text, an empty line, a marker, and a line of Markdown for each link.
public enum LinksBlock {
    /// A link of the note that is edited.
    public struct Link: Sendable, Hashable {
        public var id: String
        public var title: String?
        /// The one that stands for all.
        public var identifier: String

        public init(id: String, title: String?, identifier: String) {
            self.id = id
            self.title = title
            self.identifier = identifier
        }

        fileprivate var line: String { NoteLinkLine(title: title, identifier: identifier).text }
    }

    /// A file that was read.
    public struct Reading: Sendable, Hashable {
        /// Without blank lines at its end; lines that are no links are its last ones.
        public var text: String
        public var links: LinkEdits
        /// Whether there is a line before the links. Without one, the links are not read and stay as they are.
        public var hasMarker: Bool
        /// The lines that could not be read as links. While there are any, no link is removed.
        public var unreadable: [String]
    }

    /// The line before the links.
    public static let marker = "<!-- links -->"

    /// The file, in which the links stand in their order.
    public static func file(text: String, links: [Link]) -> String {
        var file = text + (text.utf8.last == 0x0A || text.isEmpty ? "\n" : "\n\n") + marker + "\n"
        for link in links { file += link.line + "\n" }
        return file
    }

    /// Reads a file that the user has written in.
    ///
    /// - Parameter links: those that the file was made with.
    public static func read(_ file: String, links: [Link]) -> Reading {
        let lines = lines(of: file)
        guard let place = lines.lastIndex(where: { trimmed($0).elementsEqual(marker.utf8) }) else {
            let text = text(of: lines[...])
            return Reading(text: text, links: LinkEdits(), hasMarker: false, unreadable: [])
        }
        let known = links.map { Array($0.line.utf8) }
        var written: [NoteLinkLine] = []
        var unreadable: [[UInt8]] = []
        for line in lines[(place + 1)...] {
            let content = trimmed(line)
            guard !content.isEmpty else { continue }
            let read = NoteLinkLine(String(decoding: content, as: UTF8.self))
            // What was written here is read in any case.
            if let read, isIdentifier(read.identifier) || known.contains(where: { $0.elementsEqual(content) }) {
                written.append(read)
            } else {
                unreadable.append(line)
            }
        }
        let edits = LinkEdits(from: links, to: written, keepsAll: !unreadable.isEmpty)
        let above = lines[..<place].reversed().drop(while: { trimmed($0).isEmpty }).reversed()
        return Reading(
            text: text(of: (above + unreadable)[...]), links: edits, hasMarker: true,
            unreadable: unreadable.map { String(decoding: $0, as: UTF8.self) })
    }

    /// A text as it is read back from a file: with LF at the ends of its lines, and without blank lines at its end.
    public static func text(readBack text: String) -> String { self.text(of: lines(of: text)[...]) }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= TargetContentIdentifier.maximumLength && !text.utf8.contains(0)
    }

    /// The lines without their ends, which are LF or CR LF.
    private static func lines(of text: String) -> [[UInt8]] {
        text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            Array(line.last == 0x0D ? line.dropLast() : line)
        }
    }

    private static func text(of lines: ArraySlice<[UInt8]>) -> String {
        let kept = lines.reversed().drop { trimmed($0).isEmpty }.reversed()
        return String(decoding: Array(kept.joined(separator: [0x0A])), as: UTF8.self)
    }

    /// Without blanks at both ends.
    private static func trimmed(_ line: [UInt8]) -> ArraySlice<UInt8> {
        line.trimmed(" \t", atEnd: " \t\r")
    }
}

/// What was done to the links of a note in the editor: how the lines differ from those that the links had.
///
/// Links are compared as their lines are read. The order of lines counts for nothing, nor does a line that stands there
/// again.
public struct LinkEdits: Sendable, Hashable {
    public struct Renaming: Sendable, Hashable {
        public var id: String
        /// nil: none any more.
        public var title: String?
    }

    public struct Addition: Sendable, Hashable {
        public var title: String?
        public var identifier: String
    }

    /// The ids of links whose lines are gone.
    public var removed: [String] = []
    public var renamed: [Renaming] = []
    public var added: [Addition] = []

    public var isEmpty: Bool { removed.isEmpty && renamed.isEmpty && added.isEmpty }

    init() {}

    /// - Parameter keepsAll: links whose lines are gone stay.
    init(from links: [LinksBlock.Link], to lines: [NoteLinkLine], keepsAll: Bool) {
        // The links and the lines of one identifier, in the order in which identifiers are first seen.
        var groups: [(identifier: [UInt8], links: [(id: String, title: String?)], titles: [String?])] = []
        var places: [[UInt8]: Int] = [:]
        func group(_ identifier: String) -> Int {
            let key = Array(identifier.utf8)
            if let place = places[key] { return place }
            places[key] = groups.count
            groups.append((key, [], []))
            return groups.count - 1
        }
        for link in links {
            guard let shown = NoteLinkLine(link.line) else { continue }
            groups[group(shown.identifier)].links.append((link.id, shown.title))
        }
        for line in lines { groups[group(line.identifier)].titles.append(line.title) }
        for group in groups {
            var titles = group.titles
            var changed: [String] = []
            for link in group.links {
                if let place = titles.firstIndex(where: { LinkEdits.same($0, link.title) }) {
                    titles.remove(at: place)
                } else {
                    changed.append(link.id)
                }
            }
            // Repeats of a line that a link has.
            titles.removeAll { title in group.links.contains { LinkEdits.same($0.title, title) } }
            for id in changed {
                guard !titles.isEmpty else {
                    if !keepsAll { removed.append(id) }
                    continue
                }
                let title = titles.removeFirst()
                titles.removeAll { LinkEdits.same($0, title) }
                renamed.append(Renaming(id: id, title: title))
            }
            if group.links.isEmpty, let title = titles.first {
                added.append(Addition(title: title, identifier: String(decoding: group.identifier, as: UTF8.self)))
            }
        }
    }

    private static func same(_ one: String?, _ other: String?) -> Bool {
        (one ?? "").utf8.elementsEqual((other ?? "").utf8)
    }
}
