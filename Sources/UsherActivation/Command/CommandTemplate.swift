import UsherScene
internal import UsherText

/// A command with its placeholders parsed, to be filled in for one request after the other.
struct CommandTemplate: Sendable {
    let program: String
    private let arguments: [PlaceholderText]
    private let environment: [(name: String, value: PlaceholderText)]

    init(_ command: Command) throws(ActivationFailure) {
        guard let first = command.arguments.first, !first.isEmpty else { throw .emptyCommand }
        let program = try PlaceholderText(first)
        if program.hasPlaceholders { throw .badTemplate(first, "the program may not depend on a payload") }
        if case .literal(let text) = program.segments.first { self.program = text } else { throw .emptyCommand }
        var arguments: [PlaceholderText] = []
        for argument in command.arguments.dropFirst() { arguments.append(try PlaceholderText(argument)) }
        self.arguments = arguments
        var environment: [(name: String, value: PlaceholderText)] = []
        for (name, value) in command.environment.sorted(by: { $0.key < $1.key }) {
            environment.append((name, try PlaceholderText(value)))
        }
        self.environment = environment
    }

    /// Whether it names a file that is to be made first.
    var usesPayloadFile: Bool {
        arguments.contains { $0.usesPayloadFile } || environment.contains { $0.value.usesPayloadFile }
    }

    /// The arguments after the program's name. No value is split, and none becomes an option: an argument that begins with
    /// a placeholder must not begin with `-`, unless a literal `--` stands before it.
    func expandArguments(_ task: ActivationTask, payloadFile: String) throws(ActivationFailure) -> [String] {
        var expanded: [String] = []
        var optionsEnded = false
        for template in arguments {
            let value = template.expand(task, payloadFile: payloadFile)
            if !optionsEnded, template.beginsWithPlaceholder, value.utf8.first == UInt8(ascii: "-") {
                throw .dashArgument(template.text, value: value)
            }
            if value.utf8.contains(0) { throw .holdsNUL("the argument \(Printable.text(template.text))") }
            if template.segments == [.literal("--")] { optionsEnded = true }
            expanded.append(value)
        }
        return expanded
    }

    func expandEnvironment(_ task: ActivationTask, payloadFile: String) throws(ActivationFailure)
        -> [EnvironmentVariable]
    {
        var variables: [EnvironmentVariable] = []
        for (name, template) in environment {
            let value = template.expand(task, payloadFile: payloadFile)
            if value.utf8.contains(0) { throw .holdsNUL("the environment variable \(Printable.text(name))") }
            variables.append(EnvironmentVariable(name, value))
        }
        return variables
    }
}

extension Command {
    /// The program as it is written.
    var name: String { arguments.first ?? "" }
}

/// Text with placeholders in braces; `{{` and `}}` are literal braces.
struct PlaceholderText: Sendable {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case placeholder(Placeholder)
        /// `{value.NAME}`: a value of a hook.
        case value(String)
    }

    let text: String
    let segments: [Segment]

    /// O(bytes). A brace that is neither doubled nor part of a known placeholder is an error.
    init(_ text: String) throws(ActivationFailure) {
        self.text = text
        var segments: [Segment] = []
        var literal: [UInt8] = []
        var rest = text.utf8[...]
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        while let brace = rest.firstIndex(where: { $0 == open || $0 == close }) {
            let byte = rest[brace]
            literal += rest[..<brace]
            rest = rest[brace...].dropFirst()
            if rest.first == byte {
                literal.append(byte)
                rest = rest.dropFirst()
                continue
            }
            guard byte == open else { throw .badTemplate(text, "a } stands alone") }
            guard let end = rest.firstIndex(of: close) else { throw .badTemplate(text, "a { is not closed") }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let segment: Segment
            if let placeholder = Placeholder(rawValue: name) {
                segment = .placeholder(placeholder)
            } else if name.utf8.starts(with: "value.".utf8) {
                segment = .value(String(name.dropFirst("value.".count)))
            } else {
                throw .badTemplate(text, "there is no placeholder {\(Printable.text(name))}")
            }
            if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
            literal = []
            segments.append(segment)
            rest = rest[end...].dropFirst()
        }
        literal += rest
        if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
        self.segments = segments
    }

    var beginsWithPlaceholder: Bool {
        if case .literal = segments.first { return false }
        return !segments.isEmpty
    }

    var hasPlaceholders: Bool {
        segments.contains { if case .literal = $0 { false } else { true } }
    }

    /// See `Placeholder.isPayloadFile`.
    var usesPayloadFile: Bool {
        segments.contains { if case .placeholder(let placeholder) = $0 { placeholder.isPayloadFile } else { false } }
    }

    func expand(_ task: ActivationTask, payloadFile: String) -> String {
        var result = ""
        for segment in segments {
            switch segment {
            case .literal(let text): result += text
            case .placeholder(let placeholder): result += placeholder.value(in: task, payloadFile: payloadFile)
            case .value(let name): result += task.hook?.values[name] ?? ""
            }
        }
        return result
    }
}

/// A value that a command may name in braces; the cases spell `Command.placeholders`.
enum Placeholder: String, Sendable, CaseIterable {
    case target, resolved
    case originalTarget = "original-target"
    case path, session, scene, app, title, subtitle, body, url
    case payloadFile = "payload-file"
    case delivery, action, reason, handle
    case shortcutType = "shortcut-type"
    case activityType = "activity-type"
    case activityFile = "activity-file"
    case restorationFile = "restoration-file"
    case error
    case errorCode = "error-code"
    case notificationAction = "notification-action"

    /// Whether its value is a file that is to be made first.
    var isPayloadFile: Bool { self == .payloadFile || self == .activityFile }

    /// Its value; "" where the request has none, so that the number of arguments never depends on a payload.
    func value(in task: ActivationTask, payloadFile: String) -> String {
        switch self {
        // Content that has moved is asked for by its new name.
        case .target, .resolved: task.resolved ?? task.target ?? ""
        case .originalTarget: task.target ?? ""
        case .path: path(of: task.resolved ?? task.target)
        case .session: task.session ?? ""
        case .scene: task.scene ?? ""
        case .app: task.app
        case .title: task.title ?? ""
        case .subtitle: task.subtitle ?? ""
        case .body: task.body ?? ""
        case .url: task.url ?? ""
        case .payloadFile: payloadFile
        case .delivery: task.delivery
        case .action: task.action.rawValue
        case .reason: task.reason.rawValue
        case .handle: task.handle ?? ""
        case .shortcutType: task.shortcutType ?? ""
        case .activityType: task.activityType ?? ""
        // A payload that is an activity is nothing else.
        case .activityFile: task.isActivity ? payloadFile : ""
        case .restorationFile: task.restorationFile ?? ""
        case .error: task.error?.message ?? ""
        case .errorCode: task.error?.code.code ?? ""
        case .notificationAction: task.notificationAction ?? ""
        }
    }

    /// The path of a `file:` URL; "" for any other target, and for a path that is not UTF-8.
    private func path(of target: String?) -> String {
        target.flatMap { TargetContentIdentifier($0).filePath }.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    }
}
