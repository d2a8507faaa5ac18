internal import Synchronization
internal import UsherEngine
internal import UsherHook
internal import UsherJSON
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// Shows requests to hooks to the commands that listen (`usher hook listen`), before they are judged.
///
/// Tokens and passwords are masked. A listener that does not keep up misses requests and gets their number. Safe from any thread;
/// costs a look where nothing listens.
public final class HookListeners: Sendable {
    /// Takes requests, from any thread. Must not block.
    public struct Receiver: Sendable {
        /// Takes one object: a captured request, or `{"left_out":N}`. False ends the subscription.
        public var receive: @Sendable ([UInt8]) -> Bool
        /// What waits for the peer.
        public var unsentBytes: @Sendable () -> Int
    }

    private struct Listener {
        /// The name or the path of a hook; nil stands for all.
        var hook: String?
        var receiver: Receiver
        var leftOut = 0
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    /// Unsent bytes of a listener above which it misses requests.
    private static let room = 256 << 10

    public init() {}

    /// - Returns: its number, for `remove`.
    func add(_ hook: String?, _ receiver: Receiver) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = Listener(hook: hook, receiver: receiver)
            return state.next
        }
    }

    func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }

    /// The number of listeners.
    public var count: Int { state.withLock { $0.listeners.count } }

    /// - Parameters:
    ///   - hooks: those of the request's path.
    ///   - request: made only if there is a listener.
    func send(requestTo hooks: [HookDefinition], _ request: () -> HookRequest) {
        let listeners = state.withLock { state in
            state.listeners.isEmpty ? [:] : state.listeners.filter { HookListeners.isMeant($0.value.hook, hooks) }
        }
        guard !listeners.isEmpty else { return }
        let capture = HookCapture(time: Instant.now.text, request().masked(hooks.first?.signature))
        var json = JSONWriter(escaping: .minimal)
        capture.write(to: &json)
        for (number, listener) in listeners {
            guard listener.receiver.unsentBytes() <= HookListeners.room else {
                state.withLock { $0.listeners[number]?.leftOut += 1 }
                continue
            }
            let leftOut = state.withLock { state in
                defer { state.listeners[number]?.leftOut = 0 }
                return state.listeners[number]?.leftOut ?? 0
            }
            let isThere =
                (leftOut == 0 || listener.receiver.receive(LeftOutRequests(leftOut).jsonText))
                && listener.receiver.receive(json.bytes)
            if !isThere { remove(number) }
        }
    }

    private static func isMeant(_ wanted: String?, _ hooks: [HookDefinition]) -> Bool {
        guard let wanted else { return true }
        return hooks.contains {
            $0.name.hasSameBytes(as: wanted) || $0.path.hasSameBytes(as: wanted)
        }
    }
}
