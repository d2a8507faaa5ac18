/// What can be wrong with an identifier, under names and numbers that never change meaning.
///
/// The raw value is the dotted name; ``number`` is what logs and answers call `code`. Numbers are grouped by the quality
/// that is missing: U71xx global, U72xx stable, U73xx unique, U74xx safe to compare and to show.
public enum LintCode: String, Sendable, Hashable, CaseIterable {
    /// A file's place on one device.
    case localPath = "lint.local-path"
    /// A host that only some networks know.
    case localHost = "lint.local-host"
    /// A name or number of one device.
    case device = "lint.device"
    /// A handle of a store that exists on one device only.
    case deviceStore = "lint.device-store"
    /// An address that means something else to everybody who follows it.
    case personal = "lint.personal"
    /// A tunnel or preview host that is gone tomorrow.
    case temporaryHost = "lint.temporary-host"
    /// A session's number.
    case session = "lint.session"
    /// A secret that grants access, or expires.
    case token = "lint.token"
    /// A moment at which the content was looked at.
    case timestamp = "lint.timestamp"
    /// How the content was looked at: zoom, scroll position, sort order.
    case viewState = "lint.view-state"
    /// A place within the content.
    case fragment = "lint.fragment"
    /// Where a visitor came from.
    case tracking = "lint.tracking"
    /// A title or file name that somebody may change.
    case mutableTitle = "lint.mutable-title"
    /// No identifier at all.
    case empty = "lint.empty"
    /// A name that was never filled in.
    case placeholder = "lint.placeholder"
    /// A word whose content changes: current, latest.
    case moving = "lint.moving"
    /// A part of an address without its beginning.
    case relative = "lint.relative"
    /// A user name or password in an address.
    case credentials = "lint.credentials"
    /// Something that other programs write differently: letter case, encoding, invisible characters.
    case spelling = "lint.spelling"
    /// More bytes than an identifier may have.
    case tooLong = "lint.too-long"

    /// `U` and four digits, one to one with the name.
    public var number: String {
        switch self {
        case .localPath: "U7101"
        case .localHost: "U7102"
        case .device: "U7103"
        case .deviceStore: "U7104"
        case .personal: "U7105"
        case .temporaryHost: "U7106"
        case .session: "U7201"
        case .token: "U7202"
        case .timestamp: "U7203"
        case .viewState: "U7204"
        case .fragment: "U7205"
        case .tracking: "U7206"
        case .mutableTitle: "U7207"
        case .empty: "U7301"
        case .placeholder: "U7302"
        case .moving: "U7303"
        case .relative: "U7304"
        case .credentials: "U7401"
        case .spelling: "U7402"
        case .tooLong: "U7403"
        }
    }
}
