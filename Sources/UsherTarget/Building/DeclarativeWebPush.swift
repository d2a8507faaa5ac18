/// A web push that browsers show without running a script: Declarative Web Push.
///
///     let push = DeclarativeWebPush(title: "Your clown is on the way", navigate: "https://clowntown.example/clowns/crusty")
///     let message = try push.text()  // to be encrypted (RFC 8291) and sent to the subscription's endpoint
///
/// W3C Push API, declarative push message. `navigate` is the address that a click opens, and what names the content.
public struct DeclarativeWebPush: Sendable {
    /// Which way the text runs.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        case auto
        case leftToRight = "ltr"
        case rightToLeft = "rtl"
    }

    /// A button of the notification.
    public struct Action: Sendable, Hashable {
        /// The name that scripts know it by.
        public var action: String
        public var title: String
        /// The address that it opens.
        public var navigate: String
        /// The address of a picture.
        public var icon: String?

        public init(_ action: String, title: String, navigate: String, icon: String? = nil) {
            self.action = action
            self.title = title
            self.navigate = navigate
            self.icon = icon
        }
    }

    public var title: String
    /// The address that a click opens; it may be relative to the service worker's scope.
    public var navigate: String
    public var body: String?
    /// A language tag, as in `de`. RFC 5646.
    public var language: String?
    public var direction: Direction?
    /// Replaces an earlier notification with the same tag.
    public var tag: String?
    /// Sounds again when it replaces one; needs a tag.
    public var renotifies = false
    /// Without a sound.
    public var isSilent = false
    /// Stays until the user acts.
    public var requiresInteraction = false
    /// The address of a picture.
    public var icon: String?
    /// The address of a larger picture.
    public var image: String?
    /// Buttons, in order; browsers show the first few.
    public var actions: [Action] = []
    /// Data for the page.
    public var data: PayloadValue?
    /// The number on the app's icon.
    public var appBadge: UInt32?
    /// Lets a service worker replace the notification.
    public var isMutable = false

    public init(title: String, navigate: String) {
        self.title = title
        self.navigate = navigate
    }

    /// What an encrypted message of 4096 bytes can hold. RFC 8291, section 4.
    public static let sizeLimit = 3993

    /// The JSON text.
    ///
    /// - Throws: ``BuildingError``: a title or address that is empty or a script, what the standard excludes, more than
    ///   ``sizeLimit`` bytes (and how many).
    public func text() throws(BuildingError) -> [UInt8] {
        try check()
        var notification: [PayloadValue.Member] = [.init("title", .string(title))]
        func add(_ name: String, _ text: String?) { if let text { notification.append(.init(name, .string(text))) } }
        func add(_ name: String, _ flag: Bool) { if flag { notification.append(.init(name, true)) } }
        add("navigate", navigate)
        add("body", body)
        add("lang", language)
        add("dir", direction?.rawValue)
        add("tag", tag)
        add("icon", icon)
        add("image", image)
        add("renotify", renotifies)
        add("silent", isSilent)
        add("requireInteraction", requiresInteraction)
        if !actions.isEmpty { notification.append(.init("actions", .array(actions.map(\.value)))) }
        if let data { notification.append(.init("data", data)) }
        var message: [PayloadValue.Member] = [.init("web_push", 8030), .init("notification", .object(notification))]
        if let appBadge { message.append(.init("app_badge", .integer(Int64(appBadge)))) }
        if isMutable { message.append(.init("mutable", true)) }
        let bytes = PayloadValue.object(message).bytes
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge("message", bytes.count, limit: Self.sizeLimit) }
        return bytes
    }

    private func check() throws(BuildingError) {
        guard !title.isEmpty else { throw BuildingError(.value, "notification.title", "is empty") }
        try Self.check(address: navigate, at: "notification.navigate")
        if renotifies, tag ?? "" == "" {
            throw BuildingError(.conflict, "notification.renotify", "needs a tag")
        }
        for action in actions {
            guard !action.action.isEmpty, !action.title.isEmpty else {
                throw BuildingError(.value, "notification.actions", "a button has a name and a title")
            }
            try Self.check(address: action.navigate, at: "notification.actions.navigate")
        }
    }

    /// What may be opened: an identifier that is a web address, or relative.
    private static func check(address: String, at place: String) throws(BuildingError) {
        try BuildingError.check(target: address, at: place)
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw BuildingError(.value, place, "has spaces or control characters")
        }
        let scheme = IdentifierParts(address).lowercaseScheme
        guard ["", "http", "https"].contains(scheme) else {
            throw BuildingError(.value, place, "'\(scheme):' is not opened by browsers; use https:")
        }
    }
}

extension DeclarativeWebPush.Action {
    fileprivate var value: PayloadValue {
        var members: [PayloadValue.Member] = [
            .init("action", .string(action)), .init("title", .string(title)), .init("navigate", .string(navigate)),
        ]
        if let icon { members.append(.init("icon", .string(icon))) }
        return .object(members)
    }
}
