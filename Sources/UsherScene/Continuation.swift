/// How an app takes a user activity that is continued: from a link, a push that carries one, or another device.
///
/// The three handlers have the names of UIWindowSceneDelegate's: `scene(_:willContinueUserActivityWithType:)`,
/// `scene(_:continue:)` and `scene(_:didFailToContinueUserActivityWithType:error:)`.
public struct Continuation: Sendable {
    /// Runs at once, with the type, so that the app can show that an activity will follow.
    public var willContinue: ShowHandler?
    /// Given the activity; its exit status says whether it was handled.
    public var `continue`: ShowHandler?
    /// Runs if the continuation failed; gets the error.
    public var didFail: ShowHandler?
    /// Runs when a command needs a fresh `userInfo`: it gets the activity on its standard input, and writes the new
    /// object to its standard output.
    public var save: Command?
    /// Given an activity of an older version; writes the one to be handed on.
    public var upgrade: Command?
    /// The app's own version, as activities carry it.
    public var version: Located<String>?
    /// The version of its activities' `userInfo`.
    public var schemaVersion: Located<Int>?
    /// What becomes of an activity of a newer version than the app's.
    public var newer = Newer.try

    public enum Newer: String, Sendable, CaseIterable {
        /// Hand it on: the app tolerates what it does not know.
        case `try`
        /// Show its web page.
        case web
        /// Refuse it.
        case refuse
    }

    public init() {}

    /// Whether the app has a say in continuing activities at all.
    public var isHandled: Bool { willContinue != nil || `continue` != nil }
}

/// The versions that an activity carries.
public struct ActivityVersion: Sendable, Hashable {
    /// Of the app that made it.
    public var version: String?
    /// Of its `userInfo`.
    public var schemaVersion: Int?

    public init(version: String? = nil, schemaVersion: Int? = nil) {
        self.version = version
        self.schemaVersion = schemaVersion
    }
}

extension Continuation {
    /// How an activity's version stands to the app's.
    public enum Age: Sendable, Hashable {
        case same, older
        /// Both, and where the app says its own.
        case newer(String, than: String, SourceLocation)
        /// One of them has none, or one that is no number.
        case unknown
    }

    /// Schema versions decide where both have one, else the apps' versions, number by number.
    public func age(of activity: ActivityVersion) -> Age {
        if let own = schemaVersion, let theirs = activity.schemaVersion {
            if theirs == own.value { return .same }
            if theirs < own.value { return .older }
            return .newer("schema version \(theirs)", than: "schema version \(own.value)", own.location)
        }
        guard let own = version, let text = activity.version, let known = DottedVersion(own.value),
            let theirs = DottedVersion(text)
        else { return .unknown }
        if theirs == known { return .same }
        if theirs < known { return .older }
        return .newer("version \(text)", than: "version \(own.value)", own.location)
    }
}
