package import UsherActivation
package import UsherLog
package import UsherPlace
internal import UsherResolution
package import UsherScene
package import UsherStore
package import UsherText

/// What features do for the engine and for each other, which know none of them.
///
/// `StoreFeature.redirecting` says where a redirect leads. What is told of windows goes by `WindowOpenings`.
public struct EngineOpenings: Sendable {
    /// The apps that can show a place, or the way there, the preferred first; asked in the transaction that decides.
    package typealias MapApps =
        @Sendable (Place, Configuration, _ now: Instant, inout StoreState) throws(StoreError) -> [App]

    package var mapApps: MapApps?
    /// What the app of a session is handed back when it is launched again.
    package var restoration: (@Sendable (_ session: String, Store) throws(StoreError) -> [UInt8]?)?
    /// What is handed to the `show` handler of an app beside the content: a JSON object.
    package var suggestion: (@Sendable (_ app: String, Configuration, Store, Logger) -> [UInt8]?)?

    /// Why a session without a window, whose scene has no `focus`, cannot come forward; nil where that is not known.
    package var absence: (@Sendable (SceneSession, Store) -> ActivationFailure?)?

    /// The notes with links to content, by its identifiers, the preferred first.
    package var linkedNotes:
        (@Sendable (_ identifiers: [String], _ app: String?, Store) throws(StoreError) -> [LinkedNoteAnswer])?

    /// The contents that activities and links give an identifier to, where they do not agree on one.
    package var tiedContents:
        (@Sendable (TargetContentIdentifier, _ app: String?, Store) throws(StoreError) -> [TargetContentIdentifier])?

    /// Of no feature.
    public init() {}

    /// See `mapApps`; none without a feature that knows some.
    func mapApps(
        for place: Place, in configuration: Configuration, now: Instant, _ facts: inout some PlanningFacts & ~Copyable
    ) throws(StoreError) -> [App] {
        guard let mapApps else { return [] }
        return try facts.mapApps(mapApps, for: place, in: configuration, now: now)
    }

    /// The ids of the notes that have a link to the content of a decision, the newest first.
    func notes(linkedTo explanation: Explanation, in store: Store) throws(StoreError) -> [String] {
        guard let linkedNotes, let target = explanation.request.target else { return [] }
        let names = explanation.redirection.aliases(of: target).map(\.text)
        // The ids of notes begin with their times.
        return try linkedNotes(names, explanation.app?.id, store).map(\.note).sorted { $1 < $0 }
    }

    /// The contents that the newest identifier of a decision is given by activities and links that do not agree.
    func tiedContents(of explanation: Explanation, in store: Store) throws(StoreError) -> [String] {
        guard let tiedContents, let target = explanation.request.target else { return [] }
        let newest = explanation.redirection.newest(of: target)
        return try tiedContents(newest, explanation.app?.id, store).map(\.text)
    }
}
