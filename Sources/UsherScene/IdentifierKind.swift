/// What has ids that can be shortened in commands and requests. The raw value is the name for people, and that of the table
/// in the store.
public enum IdentifierKind: String, Sendable, Hashable, CaseIterable {
    case note
    case link
    case activity
    case delivery
    case reminder

    public var plural: String {
        switch self {
        case .note: "notes"
        case .link: "links"
        case .activity: "activities"
        case .delivery: "deliveries"
        case .reminder: "reminders"
        }
    }
}
