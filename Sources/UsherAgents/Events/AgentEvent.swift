internal import UsherJSON
public import UsherScene
internal import UsherText

/// What an event makes of the state of an agent's session.
public enum AgentChange: Hashable, Sendable {
    case working
    case waiting(Kind)
    /// The turn is over. A session that only starts has nothing that the user has not seen.
    case done(isSeen: Bool)
    case ended

    /// What the agent waits for.
    public enum Kind: String, CaseIterable, Sendable {
        /// Whether a tool may be used.
        case permission
        /// What no button can answer.
        case question
    }
}

/// What a hook of a coding agent reports: one JSON object, read as far as Usher needs it.
public struct AgentEvent: Hashable, Sendable {
    public var agent: AgentName
    public var name: String
    /// The session's id, as the agent gives it; never empty.
    public var session: String
    /// nil: the state stays.
    public var change: AgentChange?
    public var tool: String?
    /// The folder that the agent works in.
    public var cwd: String?
    public var title: String?
    /// What the agent wants to do or to know: the whole of it, in parts that are shown below each other. Never stored.
    public var request: [String] = []
    public var isOfSubagent: Bool

    /// Whether the hook may answer what the agent asks.
    public var takesAnswer: Bool { name == agent.answeredEvent && change == .waiting(.permission) }

    /// The size of a text, in bytes.
    public static let longestText = 16 << 20
    static let deepestNesting = 64
    /// Of an id, a folder, a name, in bytes: what is longer is cut.
    static let longestName = 1024

    /// Reads what a hook was given.
    ///
    /// - Parameters:
    ///   - name: of the event, where the command line has it: it goes before that in the text.
    ///   - text: JSON.
    /// - Returns: nil for a text that is no JSON object, exceeds a limit, or does not identify an event and a session.
    public init?(of agent: AgentName, named name: String? = nil, parsing text: [UInt8]) {
        guard text.count <= Self.longestText else { return nil }
        var document = JSONDocument(maximumDepth: Self.deepestNesting)
        do throws(JSONError) { try document.parse(text) } catch { return nil }
        guard let members = AgentMembers(document) else { return nil }
        guard let name = name ?? members.name(["hook_event_name"], ["type"]), !name.isEmpty,
            let session = members.name(
                ["session_id"], ["sessionId"], ["thread-id"], ["properties", "sessionID"], ["properties", "info", "id"])
        else { return nil }
        self.agent = agent
        self.name = Self.cut(name)
        self.session = session
        tool = members.name(["tool_name"], ["toolName"], ["properties", "permission"])
        cwd = members.name(["cwd"], ["properties", "info", "directory"])
        title = members.name(["session_title"], ["properties", "info", "title"])
        isOfSubagent = members.name(["agent_id"], ["properties", "info", "parentID"]) != nil
        let status = members.name(["properties", "status", "type"], ["properties", "status"])
        let change = agent.change(
            name, tool: tool, notification: members.name(["notification_type"]), status: status)
        // A subagent that asks for a permission has the dialog of its session.
        self.change = isOfSubagent && name != agent.answeredEvent ? nil : change
        if case .waiting = self.change { request = members.request }
    }

    /// At most `longestName` bytes, in whole characters of Unicode.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > longestName else { return text }
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= longestName else { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// A name fit for a terminal: characters that control it, or that reorder a text, are blanks.
    public static func blanked(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: Printable.disturbs) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(Printable.disturbs(scalar) ? " " : scalar) }
        return String(result)
    }
}

// MARK: - Members

/// The members of a hook's object.
private struct AgentMembers {
    private let document: JSONDocument
    private let root: JSONElement

    init?(_ document: JSONDocument) {
        guard let root = document.root, document.kind(root) == .object else { return nil }
        (self.document, self.root) = (document, root)
    }

    /// The first of these places that has a text with something in it, cut.
    func name(_ places: [String]...) -> String? {
        for place in places {
            if let text = element(place).flatMap({ document.string($0) }), !text.isEmpty { return AgentEvent.cut(text) }
        }
        return nil
    }

    /// What is asked: all members of the tool's input, else what the agent says about it. One empty part: nothing more than
    /// the tool. No part: that cannot be told.
    var request: [String] {
        let inputs = [["tool_input"], ["toolArgs"], ["toolInput"], ["properties", "metadata"]].compactMap(element)
        var parts = inputs.flatMap(parts)
        if let patterns = element(["properties", "patterns"]), document.kind(patterns) == .array {
            let more = document.elements(patterns).map(text)
            parts = more.filter { !parts.contains($0) } + parts
        }
        if parts.isEmpty, let message = element(["message"]) { parts = [text(message)] }
        return parts.isEmpty && !inputs.isEmpty ? [""] : parts
    }

    private func element(_ place: [String]) -> JSONElement? {
        var element = root
        for name in place {
            guard let value = document.value(name, in: element) else { return nil }
            element = value
        }
        return element
    }

    /// A command and a single member without their names, first; all others with their names.
    private func parts(of input: JSONElement) -> [String] {
        guard document.kind(input) == .object else {
            let text = text(input)
            return text.isEmpty ? [] : [text]
        }
        let members = document.members(input)
        var parts: [String] = []
        for member in members {
            let name = document.string(member.key) ?? ""
            if members.count == 1 || name == "command" {
                parts.insert(text(member.value), at: 0)
            } else {
                parts.append("\(name): \(text(member.value))")
            }
        }
        return parts
    }

    /// A text as it is, any other value as JSON.
    private func text(_ element: JSONElement) -> String {
        document.string(element) ?? String(decoding: document.raw(element), as: UTF8.self)
    }
}
