internal import Dispatch
internal import Synchronization
internal import UsherActivation
public import UsherEngine
public import UsherLog
package import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// Suggests the notes about a document when its window comes to the front. A document is a target that the `content` of a
/// scene has read from a window.
///
/// A note is suggested once a visit. A visit ends when the window shows another document, or when it was not in front for
/// a minute.
public final class DocumentVisits: Sendable {
    private let store: Store
    private let logger: Logger
    private let opened: @Sendable (_ target: String) -> Void
    private let suggest: @Sendable ([LinkedNoteAnswer]) -> Void
    private let visits = Mutex<[String: Visit]>([:])
    private let queue = DispatchQueue(label: "usher.documents")

    private struct Visit: Sendable {
        var target: String
        var isFront = false
        /// When the window was in front last.
        var left: MonotonicInstant?
        var suggested: Set<String> = []
    }

    /// A shorter absence is part of the visit.
    private static let absence = Duration.seconds(60)
    /// Sessions beyond these are not followed.
    private static let sessionLimit = 1000

    /// - Parameters:
    ///   - opened: called with each document that comes to the front. Must not wait.
    ///   - suggest: is given the notes about it. Must not wait.
    public init(
        _ store: Store, logger: Logger, opened: @escaping @Sendable (_ target: String) -> Void = { _ in },
        suggest: @escaping @Sendable ([LinkedNoteAnswer]) -> Void
    ) {
        self.opened = opened
        self.store = store
        self.logger = logger
        self.suggest = suggest
    }

    /// Notes what a session's window shows, and whether it is in front; sessions whose target was set are passed over.
    package func follow(_ session: SceneSession, _ activation: ActivationState?) {
        guard session.isTargetRead, let target = session.target?.text else { return forget(session.id) }
        let isFront = activation == .foregroundActive
        let now = MonotonicClock.now
        let isArrival = visits.withLock { visits in
            let known = visits[session.id]
            guard known != nil || visits.count < DocumentVisits.sessionLimit else { return false }
            var visit = known ?? Visit(target: target)
            let isSame = visit.target.hasSameBytes(as: target)
            if !isSame || visit.left.map({ now - $0 >= DocumentVisits.absence }) ?? false {
                visit.suggested = []
            }
            let isArrival = isFront && !(visit.isFront && isSame)
            if isFront { visit.left = nil } else if visit.isFront { visit.left = now }
            visit.target = target
            visit.isFront = isFront
            visits[session.id] = visit
            return isArrival
        }
        if isArrival { queue.async { self.look(session, target) } }
    }

    package func forget(_ session: String) { visits.withLock { $0[session] = nil } }

    /// Returns when everything was suggested.
    func flush() { queue.sync {} }

    private func look(_ session: SceneSession, _ target: String) {
        opened(target)
        do throws(StoreError) {
            let found = try store.suggestions(for: [TargetContentIdentifier(target)], app: session.app)
            let new = visits.withLock { visits in
                found.filter { visits[session.id]?.suggested.insert($0.note).inserted ?? false }
            }
            if !new.isEmpty { suggest(new.map(LinkedNoteAnswer.init)) }
        } catch {
            logger.log(.windowsNotFollowed, ["session.id": .text(session.id), "error.message": .text(error.message)])
        }
    }
}
