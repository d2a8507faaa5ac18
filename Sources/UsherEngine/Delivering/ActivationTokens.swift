internal import Synchronization

/// The activation tokens of open requests. The desktop gives such a token to the program that makes a request.
///
/// A token brings one window forward, once. If several requests came with the same token, the first of them that opens
/// a window uses it. Tokens are only in memory, because a later run cannot use them; no log or record contains one.
final class ActivationTokens: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// By delivery.
        var held: [String: String] = [:]
        /// Those that were given to a window, by the delivery that it was opened for.
        var taken: [String: String] = [:]
        /// The newest that were given to a window.
        var spent: [String] = []
    }

    /// A request that comes later with a token than so many others that were used finds it unused.
    private static let memory = 64

    func keep(_ token: String?, of delivery: String) {
        guard let token, !token.isEmpty else { return }
        state.withLock { $0.held[delivery] = token }
    }

    /// For the window of this delivery; nil where another one has it.
    func take(of delivery: String) -> String? {
        state.withLock { state in
            guard !state.held.isEmpty, let token = state.held.removeValue(forKey: delivery),
                !state.spent.contains(token)
            else { return nil }
            if state.spent.count == ActivationTokens.memory { state.spent.removeFirst() }
            state.spent.append(token)
            state.taken[delivery] = token
            return token
        }
    }

    /// The window was gone, so the token was not used and is available again.
    func giveBack(of delivery: String) {
        state.withLock { state in
            guard let token = state.taken.removeValue(forKey: delivery) else { return }
            state.spent.removeAll { $0 == token }
            state.held[delivery] = token
        }
    }

    /// A delivery has come to its end.
    ///
    /// - Returns: the token for which the startup notification is complete now: this delivery has used the token, or no
    ///   open delivery can use it any more.
    func forget(of delivery: String) -> String? {
        state.withLock { state in
            if state.held.isEmpty, state.taken.isEmpty { return nil }
            if let token = state.taken.removeValue(forKey: delivery) { return token }
            guard let token = state.held.removeValue(forKey: delivery), !state.spent.contains(token),
                !state.held.values.contains(token)
            else { return nil }
            return token
        }
    }
}
