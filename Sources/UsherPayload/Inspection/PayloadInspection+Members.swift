import UsherJSON

// The members of one payload's inspection: always the same ones, null where there is nothing.

extension PayloadInspection {
    static func write(_ payload: Payload, into writer: inout JSONWriter) {
        writer.member("kind", payload.format.rawValue)
        writer.member("valid", true)
        writer.nullMember("error")
        writeContent(payload, into: &writer)
        writer.beginArray("warnings")
        for warning in payload.warnings { writer.value(warning.name.rawValue) }
        writer.endArray()
        writer.member("displayable", payload.isDisplayable)
        writer.nullMember("at")
        writer.nullMember("message")
        writer.nullMember("pointer")
        writer.beginArray("details")
        for warning in payload.warnings { warning.write(to: &writer) }
        writer.endArray()
    }

    static func write(_ error: PayloadError, kind: String, into writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("valid", false)
        writer.member("error", error.name.rawValue)
        for name in ["target_content_id", "title", "subtitle", "body"] { writer.nullMember(name) }
        writer.beginArray("warnings")
        writer.endArray()
        writer.member("displayable", false)
        writer.member("at", error.at)
        writer.member("message", error.message)
        writer.member("pointer", error.pointer)
        writer.member("offset", error.offset)
        writer.member("code", error.code)
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
