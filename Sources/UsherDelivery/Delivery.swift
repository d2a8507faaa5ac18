public import UsherScene

/// One request while it is open, from its acceptance to its terminal record. Its state changes through `apply` only.
public struct Delivery: Sendable {
    /// A UUIDv7 as text: the journal's name for it.
    public let id: String
    /// Counted from 1 by the engine: the order of arrival.
    public let number: Int
    public private(set) var state: State
    /// How often its effect was begun, in all runs.
    public private(set) var attempts: Int

    public enum State: Sendable, Hashable {
        /// On its way into the journal.
        case arriving
        /// In the journal, not decided: it waits for a place in a lane, or for its next try.
        case accepted
        /// Decided, and its window claimed; the effect has not begun.
        case resolved
        /// The journal says that its effect begins.
        case acting
        /// It has its terminal record.
        case ended(DeliveryState)
    }

    public enum Event: Sendable, Hashable {
        /// It is in the journal and waits there.
        case accepted
        case claimed
        case began
        /// Its window is gone, or its program: it is decided again.
        case decidedAgain
        /// The try failed; the next one follows later.
        case retryScheduled
        case ended(DeliveryState)
    }

    /// An event that does not fit the state.
    public struct IllegalTransition: Error, Hashable {
        public var from: State
        public var event: Event
    }

    public init(id: String, number: Int, state: State = .arriving, attempts: Int = 0) {
        self.id = id
        self.number = number
        self.state = state
        self.attempts = attempts
    }

    /// Moves on. Every way from state to state is in this table; a terminal delivery never changes.
    public mutating func apply(_ event: Event) throws(IllegalTransition) {
        switch (state, event) {
        case (.arriving, .accepted), (.acting, .retryScheduled), (.resolved, .retryScheduled): state = .accepted
        case (.arriving, .claimed), (.accepted, .claimed): state = .resolved
        case (.acting, .decidedAgain), (.resolved, .decidedAgain): state = .accepted
        case (.resolved, .began), (.acting, .began):
            state = .acting
            attempts += 1
        case (.arriving, .ended(let end)), (.accepted, .ended(let end)), (.resolved, .ended(let end)),
            (.acting, .ended(let end)):
            state = .ended(end)
        default: throw IllegalTransition(from: state, event: event)
        }
    }
}

extension Delivery.State {
    /// As the journal names it.
    public init(_ state: DeliveryState) {
        self =
            switch state {
            case .accepted: .accepted
            case .resolved: .resolved
            case .acting: .acting
            case .done, .failed, .expired, .collapsed, .duplicate: .ended(state)
            }
    }
}
