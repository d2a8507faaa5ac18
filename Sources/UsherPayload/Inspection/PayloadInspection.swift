import UsherJSON
import UsherScene
internal import UsherText

/// What `payload inspect` says about an input.
public struct PayloadInspection: Sendable {
    /// One JSON object without a line end.
    public var json: [UInt8]
    /// False when anything in the input is invalid.
    public var isValid: Bool

    /// Inspects an input: one payload gives a flat object, several give `{"kind":"jsonl","valid","lines":[…]}`.
    ///
    /// A size limit binds where one payload is inspected; of several it is a warning.
    ///
    /// - Parameters:
    ///   - fileName: decides about JSON Lines, which give a list always, and simctl; nil for standard input.
    ///   - pushType: sets the size limit; nil is 4096 bytes.
    public static func inspect(
        _ bytes: [UInt8], fileName: String?, format: PayloadFormat = .auto, pushType: String? = nil
    ) -> PayloadInspection {
        let form = InputForm(fileName: fileName)
        let isList = fileName != nil && form == .stream
        var cutter = PayloadCutter(PayloadReader(format: format, pushType: pushType))
        cutter.begin(isList || form == .simulator ? form : .document)
        cutter.push(bytes)
        cutter.finish()
        var ahead = cutter
        let first = ahead.next()
        var writer = JSONWriter()
        var isValid = true
        writer.beginObject()
        if !isList, ahead.next() == nil, let first {
            let named = form == .simulator && format == .auto ? .simctl : format
            isValid = write(judge(first, named, pushType: pushType), named, into: &writer)
        } else {
            var texts = JSONWriter()
            texts.beginArray()
            while let text = cutter.next() {
                texts.beginObject()
                texts.member("line", text.begin.line)
                isValid = write(text.reading, format, into: &texts) && isValid
                texts.endObject()
            }
            texts.endArray()
            writer.member("kind", "jsonl")
            writer.member("valid", isValid)
            writer.member("lines", raw: texts.bytes)
        }
        writer.endObject()
        return PayloadInspection(json: writer.bytes, isValid: isValid)
    }

    /// Reads a payload once more, so that a limit of its size binds.
    private static func judge(
        _ text: PayloadCutter.Text, _ format: PayloadFormat, pushType: String?
    ) -> Result<Payload, PayloadError> {
        var reader = PayloadReader(format: format, pushType: pushType, bindsSizeLimits: true)
        do throws(PayloadError) {
            _ = try reader.read(text.bytes, in: text.range)
        } catch {
            if error.code == PayloadCode.sizeTooLarge.code { return .failure(error) }
        }
        return text.reading
    }

    /// Writes the members about one payload; gives its validity.
    private static func write(
        _ reading: Result<Payload, PayloadError>, _ format: PayloadFormat, into writer: inout JSONWriter
    ) -> Bool {
        switch reading {
        case .success(let payload): write(payload, into: &writer)
        case .failure(let error): write(error, kind: (error.format ?? format).reported, into: &writer)
        }
        if case .success = reading { return true } else { return false }
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
        if let excerpt = error.excerpt { writer.member("excerpt", excerpt.lines) }
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
        case .notification, .url, .scene: break
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
