internal import UsherJSON
public import UsherScene
public import UsherText

/// JSON settings of an agent: its hooks are put in by insertions alone, and found again.
///
/// Comments of JavaScript are allowed, and stay.
public struct HookSettings: Sendable {
    /// Why the settings are not changed.
    public enum Fault: Error, Hashable {
        case syntax(LinePosition, String)
        /// A value is of another kind: it says which one, and what it should be.
        case shape(String)
    }

    /// Bytes that take the place of others.
    struct Edit {
        var range: Range<Int>
        var bytes: [UInt8]
    }

    /// What an installation makes of settings.
    public struct Installed: Sendable {
        public var bytes: [UInt8]
        /// What was inserted; without it the bytes are those from before. nil where bytes were replaced, too.
        public var inserted: [Range<Int>]?
        /// The containers that were inserted, as the path of their members: `hooks`, `hooks/Stop`.
        public var made: [String]
    }

    /// A hook of Usher.
    struct Hook {
        var event: String
        /// The command's place.
        var command: Range<Int>
        var program: String
    }

    public let bytes: [UInt8]
    private let agent: AgentName
    private let document: JSONDocument
    /// nil where there is nothing but white space.
    private let root: JSONElement?
    private let hooksObject: JSONElement?
    let hooks: [Hook]

    public init(_ bytes: [UInt8], of agent: AgentName) throws(Fault) {
        (self.bytes, self.agent) = (bytes, agent)
        var document = JSONDocument()
        guard !bytes.allSatisfy(Self.isWhite) else {
            (self.document, root, hooksObject, hooks) = (document, nil, nil, [])
            return
        }
        do throws(JSONError) {
            try document.parse(Self.withoutComments(bytes))
        } catch {
            throw .syntax(LinePosition().moved(over: bytes[..<min(error.offset, bytes.count)]), error.message)
        }
        self.document = document
        root = document.root
        guard let root, document.kind(root) == .object else { throw .shape("the file is no object") }
        hooksObject = document.value("hooks", in: root)
        guard let hooksObject else {
            hooks = []
            return
        }
        guard document.kind(hooksObject) == .object else { throw .shape("hooks is no object") }
        for event in agent.hookEvents {
            guard let value = document.value(event, in: hooksObject), document.kind(value) != .array else { continue }
            throw .shape("hooks.\(event) is no array")
        }
        hooks = Self.hooks(in: hooksObject, of: document, agent)
    }

    /// The events that are reported to Usher, in the order of the file.
    public var events: [String] {
        hooks.reduce(into: []) { events, hook in if !events.contains(hook.event) { events.append(hook.event) } }
    }

    /// Whether all hooks are of this program.
    public func areOf(_ program: String) -> Bool { hooks.allSatisfy { $0.program.hasSameBytes(as: program) } }

    /// Whether there is no member, and nothing else: no comment.
    public var isEmpty: Bool {
        guard let root else { return true }
        return document.firstMember(root) == nil && !bytes.contains(UInt8(ascii: "/"))
    }

    private static func isWhite(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Blanks in the place of comments; all other bytes, and all places, are the same.
    private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        let (slash, star, quote, escape) = (
            UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "\""), UInt8(ascii: "\\")
        )
        var result = bytes
        var place = 0
        func isAt(_ place: Int, _ byte: UInt8) -> Bool { place < bytes.count && bytes[place] == byte }
        while place < bytes.count {
            var end = place + 1
            if bytes[place] == quote {
                while end < bytes.count, bytes[end] != quote { end += bytes[end] == escape ? 2 : 1 }
                end += 1
            } else if bytes[place] == slash, isAt(place + 1, slash) {
                while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
                for index in place..<end { result[index] = 0x20 }
            } else if bytes[place] == slash, isAt(place + 1, star) {
                end = place + 2
                while end < bytes.count, !(bytes[end] == star && isAt(end + 1, slash)) { end += 1 }
                // One that does not end is an error where it begins.
                guard end < bytes.count else { break }
                end += 2
                for index in place..<end where bytes[index] != 0x0A && bytes[index] != 0x0D { result[index] = 0x20 }
            }
            place = end
        }
        return result
    }
}

// MARK: - Finding

extension HookSettings {
    private static func hooks(
        in object: JSONElement, of document: JSONDocument, _ agent: AgentName
    ) -> [Hook] {
        document.members(object).flatMap { member in
            document.elements(member.value).flatMap { element in
                Self.hooks(of: element, document).compactMap { hook in
                    command(of: hook, document, agent).map { command, program in
                        Hook(
                            event: document.string(member.key) ?? "", command: document.textRange(command),
                            program: program)
                    }
                }
            }
        }
    }

    private static func hooks(of element: JSONElement, _ document: JSONDocument) -> [JSONElement] {
        document.value("hooks", in: element).map(document.elements) ?? []
    }

    private static func command(
        of hook: JSONElement, _ document: JSONDocument, _ agent: AgentName
    ) -> (JSONElement, program: String)? {
        guard let command = document.value("command", in: hook), let text = document.string(command),
            let program = AgentHooks.program(of: text, agent)
        else { return nil }
        return (command, program)
    }
}

// MARK: - Installing

extension HookSettings {
    /// With a hook for each event that has none, and this program in all of them.
    public func installing(_ wanted: AgentHooks) -> Installed {
        let missing = wanted.events.filter { event in !hooks.contains { $0.event == event } }
        var edits: [Edit] = hooks.compactMap { hook in
            guard !hook.program.hasSameBytes(as: wanted.program) else { return nil }
            return Edit(range: hook.command, bytes: Array(JSONValue.string(wanted.command).text().utf8))
        }
        let isExact = edits.isEmpty
        var made: [String] = []
        let (line, unit) = layout
        func member(_ event: String, _ line: String, _ indentation: String) -> String {
            made.append("hooks/\(event)")
            let element = wanted.element(of: event)
            let inner = line.isEmpty ? element : line + indentation + unit + element + line + indentation
            return "\"\(event)\": [\(inner)]"
        }
        func members(_ line: String, _ indentation: String) -> String {
            made.append("hooks")
            let inner = indentation + unit
            let list = missing.map { (line.isEmpty ? "" : line + inner) + member($0, line, inner) }
            return "\"hooks\": {" + list.joined(separator: line.isEmpty ? ", " : ",")
                + (line.isEmpty ? "" : line + indentation) + "}"
        }
        if missing.isEmpty {
            // Nothing is inserted.
        } else if let hooksObject {
            var absent: [String] = []
            for event in missing {
                if let list = document.value(event, in: hooksObject) {
                    edits += appending(to: list) { _, _ in [wanted.element(of: event)] }
                } else {
                    absent.append(event)
                }
            }
            if !absent.isEmpty {
                edits += appending(to: hooksObject) { line, indentation in
                    absent.map { member($0, line, indentation) }
                }
            }
        } else if let root {
            edits += appending(to: root) { line, indentation in [members(line, indentation)] }
        } else {
            let text = "{" + line + unit + members(line, unit) + line + "}" + line
            edits.append(Edit(range: bytes.count..<bytes.count, bytes: Array(text.utf8)))
        }
        let (result, inserted) = applying(edits)
        return Installed(bytes: result, inserted: isExact ? inserted : nil, made: made)
    }

    /// The line end of the file, empty where all of it is on one line, and what a level is indented by.
    private var layout: (line: String, unit: String) {
        guard let root, let first = document.firstMember(root) else {
            return (bytes.contains(0x0D) ? "\r\n" : "\n", "  ")
        }
        guard let end = bytes.firstIndex(of: 0x0A) else { return ("", "") }
        let indentation = indentation(at: document.offset(first.key))
        return (
            end > 0 && bytes[end - 1] == 0x0D ? "\r\n" : "\n",
            indentation.isEmpty || !isFirstOnLine(document.offset(first.key)) ? "  " : indentation
        )
    }

    /// More items at the end of an object or an array.
    ///
    /// - Parameter items: made for a line end and an indentation; the line end is empty where they go on one line.
    private func appending(to container: JSONElement, _ items: (String, String) -> [String]) -> [Edit] {
        let range = document.textRange(container)
        let closing = range.upperBound - 1
        // Behind the last comment.
        let last = endOfText(before: closing, after: range.lowerBound)
        let children = ranges(of: container)
        let isObject = document.kind(container) == .object
        let (line, unit) = layout
        let hasClosingLine = bytes[last..<closing].contains(0x0A)
        var text: String
        if !line.isEmpty, hasClosingLine || children.isEmpty && isObject {
            let outer = indentation(at: hasClosingLine ? closing : range.lowerBound)
            text = items(line, outer + unit).map { line + outer + unit + $0 }.joined(separator: ",")
            if !hasClosingLine { text += line + outer }
        } else {
            text = (children.isEmpty ? "" : " ") + items("", "").joined(separator: ", ")
        }
        guard let end = children.last?.upperBound else {
            return [Edit(range: last..<last, bytes: Array(text.utf8))]
        }
        guard end < last else { return [Edit(range: last..<last, bytes: Array(("," + text).utf8))] }
        return [Edit(range: end..<end, bytes: [UInt8(ascii: ",")]), Edit(range: last..<last, bytes: Array(text.utf8))]
    }

    /// The white space that the line of a place begins with.
    private func indentation(at place: Int) -> String {
        let start = startOfLine(place)
        return String(decoding: bytes[start...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    private func isFirstOnLine(_ place: Int) -> Bool { bytes[startOfLine(place)..<place].allSatisfy(Self.isWhite) }

    private func startOfLine(_ place: Int) -> Int { bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }

    /// Where white space before a place begins.
    private func endOfText(before place: Int, after opening: Int) -> Int {
        var end = place
        while end > opening + 1, Self.isWhite(bytes[end - 1]) { end -= 1 }
        return end
    }

    /// Of an object's members or an array's elements.
    private func ranges(of container: JSONElement) -> [Range<Int>] {
        document.kind(container) == .object
            ? document.members(container).map {
                document.offset($0.key)..<document.textRange($0.value).upperBound
            } : document.elements(container).map(document.textRange)
    }

    private func applying(_ edits: [Edit]) -> (bytes: [UInt8], places: [Range<Int>]) {
        var (result, places): ([UInt8], [Range<Int>]) = ([], [])
        var place = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += bytes[place..<max(place, edit.range.lowerBound)]
            places.append(result.count..<result.count + edit.bytes.count)
            result += edit.bytes
            place = max(place, edit.range.upperBound)
        }
        return (result + bytes[place...], places)
    }
}

// MARK: - Removing

extension HookSettings {
    /// Without the hooks of Usher; containers that are empty then go where Usher has made them.
    ///
    /// - Parameter made: see `Installed`.
    public func removing(made: [String]) -> [UInt8] {
        guard let root, let hooksObject else { return bytes }
        var cuts: [Range<Int>] = []
        let members = document.members(hooksObject)
        let emptied = members.indices.filter { index in
            let list = members[index].value
            let elements = document.elements(list)
            var parts: [Range<Int>] = []
            let gone = elements.indices.filter { place in
                let hooks = Self.hooks(of: elements[place], document)
                let own = hooks.indices.filter { Self.command(of: hooks[$0], document, agent) != nil }
                if !own.isEmpty, own.count < hooks.count, let list = document.value("hooks", in: elements[place]) {
                    parts += self.cuts(own, in: list)
                }
                return !own.isEmpty && own.count == hooks.count
            }
            let isMade = made.contains("hooks/\(document.string(members[index].key) ?? "")")
            guard gone.count < elements.count || gone.isEmpty || !isMade else { return true }
            cuts += parts + self.cuts(gone, in: list)
            return false
        }
        if !emptied.isEmpty, emptied.count == members.count, made.contains("hooks") {
            let places = document.members(root).indices.filter {
                document.members(root)[$0].value == hooksObject
            }
            cuts = self.cuts(places, in: root)
        } else {
            cuts += self.cuts(emptied, in: hooksObject)
        }
        return applying(cuts.map { Edit(range: $0, bytes: []) }).bytes
    }

    /// What goes with some of a container's items: the comma before each, or behind it where none is left before.
    private func cuts(_ places: [Int], in container: JSONElement) -> [Range<Int>] {
        let items = ranges(of: container)
        var hasKept = false
        var cuts: [Range<Int>] = []
        for (place, item) in items.enumerated() {
            guard places.contains(place) else {
                hasKept = true
                continue
            }
            let opening = document.textRange(container).lowerBound
            if hasKept {
                cuts.append(comma(behind: items[place - 1].upperBound))
            } else if place + 1 < items.count {
                cuts.append(comma(behind: item.upperBound))
            }
            cuts.append(endOfText(before: item.lowerBound, after: opening)..<item.upperBound)
        }
        return cuts
    }

    /// The comma that follows an item.
    private func comma(behind place: Int) -> Range<Int> {
        let source = document.source
        let found = source[place...].firstIndex(of: UInt8(ascii: ",")) ?? place
        return found..<found + 1
    }
}
