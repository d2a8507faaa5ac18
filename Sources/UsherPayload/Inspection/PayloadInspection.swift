import UsherJSON
import UsherScene

/// What `payload inspect` says about an input.
public struct PayloadInspection: Sendable {
    /// One JSON object without a line end.
    public var json: [UInt8]
    /// False when anything in the input is invalid.
    public var isValid: Bool

    /// Inspects an input: JSON Lines give `{"kind":"jsonl","valid","lines":[…]}`, one payload a flat object.
    ///
    /// A size limit binds where one payload is inspected; in lines it is a warning.
    ///
    /// - Parameters:
    ///   - fileName: decides about JSON Lines and simctl; nil for standard input.
    ///   - pushType: sets the size limit; nil is 4096 bytes.
    ///   - pretty: one member a line, for people.
    public static func inspect(
        _ bytes: [UInt8], fileName: String?, format: PayloadFormat = .auto, pushType: String? = nil,
        pretty: Bool = false
    ) -> PayloadInspection {
        var writer = JSONWriter(pretty: pretty)
        let isValid: Bool
        if isSeveral(bytes, fileName: fileName) {
            isValid = inspectLines(bytes, format: format, pushType: pushType, into: &writer)
        } else {
            let isSimulatorFile = InputForm(fileName: fileName) == .simulator
            var reader = PayloadReader(
                format: isSimulatorFile && format == .auto ? .simctl : format, pushType: pushType, bindsSizeLimits: true
            )
            writer.beginObject()
            isValid = inspect(bytes, in: bytes.indices, with: &reader, into: &writer)
            writer.endObject()
        }
        return PayloadInspection(json: writer.bytes, isValid: isValid)
    }

    /// Says whether the answer is a list: the name says JSON Lines, or there is more than one of them.
    private static func isSeveral(_ bytes: [UInt8], fileName: String?) -> Bool {
        if fileName != nil, InputForm(fileName: fileName) == .lines { return true }
        var scratch = JSONDocument()
        guard InputForm(fileName: fileName, bytes: bytes, scratch: &scratch) == .lines else { return false }
        var splitter = JSONLinesSplitter(limit: bytes.count)
        splitter.push(bytes)
        splitter.finish()
        guard splitter.next() != nil, splitter.next() != nil else { return false }
        // A person may pipe one payload of several lines into this command: what does not begin with a whole value is one.
        return fileName != nil || InputForm.beginsWithValue(bytes, &scratch)
    }

    private static func inspectLines(
        _ bytes: [UInt8], format: PayloadFormat, pushType: String?, into writer: inout JSONWriter
    ) -> Bool {
        var lines = JSONWriter()
        var isValid = true
        var reader = PayloadReader(format: format, pushType: pushType)
        var splitter = JSONLinesSplitter()
        splitter.push(bytes)
        splitter.finish()
        var entries: [[UInt8]] = []
        while let line = splitter.next() {
            lines.reset()
            lines.beginObject()
            lines.member("line", line.number)
            switch line.content {
            case .text(let text, let range):
                isValid = inspect(text, in: range, with: &reader, into: &lines) && isValid
            case .tooLong:
                isValid = false
                let error = PayloadError(
                    .sizeLineTooLong, "the line is longer than \(splitter.limit) bytes", limit: splitter.limit)
                write(error, kind: format.reported, into: &lines)
            }
            lines.endObject()
            entries.append(lines.bytes)
        }
        writer.beginObject()
        writer.member("kind", "jsonl")
        writer.member("valid", isValid)
        writer.beginArray("lines")
        for entry in entries { writer.raw(entry) }
        writer.endArray()
        writer.endObject()
        return isValid
    }

    /// Writes the members about one payload; gives its validity.
    private static func inspect(
        _ bytes: [UInt8], in range: Range<Int>, with reader: inout PayloadReader, into writer: inout JSONWriter
    ) -> Bool {
        do throws(PayloadError) {
            write(try reader.read(bytes, in: range), into: &writer)
            return true
        } catch {
            write(error, kind: (error.format ?? reader.format).reported, into: &writer)
            return false
        }
    }
}

extension PayloadFormat {
    /// What is reported where the input did not say what it is: APNs payloads are what is expected.
    fileprivate var reported: String { self == .auto ? Self.apns.rawValue : rawValue }
}

// MARK: - Members

// The members of one payload's inspection: always the same ones, null where there is nothing.

extension PayloadInspection {
    private static func write(_ payload: Payload, into writer: inout JSONWriter) {
        writer.member("kind", payload.format.rawValue)
        writer.member("valid", true)
        writer.nullMember("error")
        writeContent(payload, into: &writer)
        writer.beginArray("warnings")
        for warning in payload.warnings { writer.value(warning.code.name) }
        writer.endArray()
        writer.member("displayable", payload.isDisplayable)
        writer.nullMember("at")
        writer.nullMember("message")
        writer.nullMember("pointer")
        writer.beginArray("details")
        for warning in payload.warnings { warning.write(to: &writer) }
        writer.endArray()
    }

    private static func write(_ error: PayloadError, kind: String, into writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("valid", false)
        writer.member("error", error.code.name)
        for name in ["target_content_id", "title", "subtitle", "body"] { writer.nullMember(name) }
        writer.beginArray("warnings")
        writer.endArray()
        writer.member("displayable", false)
        writer.member("at", error.at)
        writer.member("message", error.message)
        writer.member("pointer", error.pointer)
        writer.member("offset", error.offset)
        writer.member("code", error.code.code)
        writer.member("help", error.help)
    }

    private static func writeContent(_ payload: Payload, into writer: inout JSONWriter) {
        let notification = payload.notification
        let alert = notification?.alert
        writer.member("target_content_id", payload.targetContentIdentifier)
        writer.member("title", payload.title)
        writer.member("subtitle", payload.subtitle)
        writer.member("body", payload.body)
        writer.member("title_loc_key", alert?.titleLocalization?.key)
        writer.member("subtitle_loc_key", alert?.subtitleLocalization?.key)
        writer.member("body_loc_key", alert?.bodyLocalization?.key)
        writer.member("badge", notification?.badge)
        writer.member("sound", notification?.sound?.name)
        writer.member("critical", notification?.sound?.isCritical ?? false)
        writer.member("thread_id", notification?.threadIdentifier)
        writer.member("category", notification?.category)
        writer.member("interruption_level", notification?.interruptionLevel?.rawValue)
        writer.member("content_available", payload.isContentAvailable)
        writer.member("mutable_content", notification?.isMutableContent ?? false)
        writer.member("bundle", payload.simulatorTargetBundle)
        switch payload.carrier {
        case .notification, .url: break
        case .shortcutItem(let item): writer.member("type", item.type)
        case .userActivity(let activity):
            writer.member("activity_type", activity.activityType)
            writer.member("persistent_id", activity.persistentIdentifier)
            writer.member("webpage_url", activity.webpageURL)
        }
        guard payload.isEnvelope else { return }
        writer.member("app", payload.app)
        writer.member("session", payload.session)
        writer.member("sender_id", payload.senderID)
        writer.member("topic", payload.headers.apnsTopic)
        writer.member("push_type", payload.headers.apnsPushType)
    }
}
