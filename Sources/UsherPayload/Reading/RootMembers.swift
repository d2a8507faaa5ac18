import UsherJSON

/// The members of the outermost object: enough to distinguish the formats in one pass over its names.
struct RootMembers {
    /// Names that some format gives a meaning to; `table` has them in the same order.
    private enum Name: Int {
        case aps, bundle, payload, shortcutItem, userActivity, url
        case type, localizedTitle, localizedSubtitle, icon, userInfo, targetContentIdentifier, targetContentID
        case activityType
        case message, to, registrationIDs, data, notification
        case webPush, specversion, timestamp, topic, event, title, click, summary, body, appName, hints, actions
        case pushToken, version, extras, priority, hookEventName, turnID, alerts, receiver, repository, sender
        // Members of aps.
        case alert, badge, sound, threadID, contentAvailable, mutableContent, interruptionLevel
        // The same in the spelling of a sender's library.
        case camelThreadID, camelContentAvailable, camelMutableContent, camelInterruptionLevel

        var bit: UInt64 { 1 << UInt64(rawValue) }
    }

    private static let table = JSONNameTable([
        "aps", "Simulator Target Bundle", "payload", "shortcutItem", "userActivity", "url",
        "type", "localizedTitle", "localizedSubtitle", "icon", "userInfo", "targetContentIdentifier",
        "target-content-id", "activityType",
        "message", "to", "registration_ids", "data", "notification",
        "web_push", "specversion", "timestamp", "topic", "event", "title", "click", "summary", "body", "app_name",
        "hints", "actions",
        "push_token", "version", "extras", "priority", "hook_event_name", "turn-id", "alerts", "receiver", "repository",
        "sender",
        "alert", "badge", "sound", "thread-id", "content-available", "mutable-content", "interruption-level",
        "threadId", "contentAvailable", "mutableContent", "interruptionLevel",
    ])

    /// One bit a name.
    private var seen: UInt64 = 0
    private var unknownCount = 0
    private(set) var aps: JSONElement?
    private(set) var bundle: JSONElement?
    /// A member beside aps that should have been inside.
    private(set) var misplacedTarget: JSONMember?
    /// Another one.
    private(set) var misplaced: JSONMember?

    init(of root: JSONElement, in document: borrowing JSONDocument) {
        var next = document.firstMember(root)
        while let member = next {
            next = document.nextMember(member, in: root)
            let known = Self.table.index(of: member.key, in: document).flatMap(Name.init)
            switch known {
            case .aps: aps = member.value
            case .bundle: bundle = member.value
            case .some(let known):
                seen |= known.bit
                if known.rawValue >= Name.alert.rawValue { misplaced = misplaced ?? member }
            case nil: unknownCount += 1
            }
            if known == nil || known == .targetContentIdentifier || known == .targetContentID,
                NameSpelling.looksLikeTarget(document.stringBytes(member.key), loosely: false)
            {
                misplacedTarget = member
            }
        }
    }

    /// The format of a payload by its members. Whatever has an `aps` is a notification.
    func format(in document: JSONDocument, root: JSONElement) -> PayloadFormat {
        if bundle != nil { return .simctl }
        if aps != nil || seen == 0 { return .apns }
        if has(.payload) || has(.shortcutItem) || has(.userActivity) || has(.url) { return .envelope }
        if has(.activityType) { return .activity }
        if has(.webPush) { return .webpush }
        if has(.specversion) { return .cloudevents }
        if isFirebase(document, root) { return .fcm }
        if has(.type), has(.timestamp), has(.data) { return .webhook }
        if isShortcutItem { return .shortcut }
        if has(.topic), has(.message) || has(.event) || has(.title) || has(.click) { return .ntfy }
        if has(.summary), has(.body) || has(.appName) || has(.hints) || has(.actions) { return .fdo }
        if has(.pushToken), has(.message) { return .homeAssistant }
        if has(.version), has(.message), has(.type) { return .apprise }
        if has(.message), has(.extras) || has(.priority) { return .gotify }
        if has(.hookEventName) || has(.type) && has(.turnID) { return .agent }
        if has(.alerts), has(.receiver) { return .alertmanager }
        if has(.repository), has(.sender) { return .github }
        if isMatrix(document, root) { return .matrix }
        return .apns
    }

    private func has(_ name: Name) -> Bool { seen & name.bit != 0 }

    /// A type, and nothing that a shortcut item does not have.
    private var isShortcutItem: Bool {
        if has(.localizedTitle), has(.type) { return true }
        let own: [Name] = [
            .type, .localizedTitle, .localizedSubtitle, .icon, .userInfo, .targetContentIdentifier, .targetContentID,
        ]
        let others = own.reduce(seen) { $0 & ~$1.bit }
        return has(.type) && unknownCount == 0 && others == 0
    }

    private func isMatrix(_ document: JSONDocument, _ root: JSONElement) -> Bool {
        guard has(.notification), let notification = document.value("notification", in: root) else { return false }
        return document.value("devices", in: notification) != nil
    }

    private func isFirebase(_ document: JSONDocument, _ root: JSONElement) -> Bool {
        if has(.registrationIDs) || has(.to) && (has(.notification) || has(.data)) { return true }
        guard has(.message), let message = document.value("message", in: root) else { return false }
        let names = ["token", "topic", "condition", "fid", "notification", "android", "apns", "webpush"]
        return names.contains { document.value($0, in: message) != nil }
    }
}

/// The members one kind of object may have, or the words one of them may be, found by the bytes of their names.
struct MemberTable<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == String {
    private let names: JSONNameTable
    private let keys: [Key]

    init() {
        keys = Array(Key.allCases)
        names = JSONNameTable(keys.map(\.rawValue))
    }

    func key(_ name: ArraySlice<UInt8>) -> Key? {
        names.index(of: name).map { keys[$0] }
    }

    /// The one that a string of a document names; nil also of any other kind.
    func key(_ name: JSONElement, in document: JSONDocument) -> Key? {
        names.index(of: name, in: document).map { keys[$0] }
    }

    /// The name that was probably meant by one that is not in the table.
    func suggestion(for name: String) -> String? {
        NameSpelling.closest(to: name, in: names.names)
    }
}
