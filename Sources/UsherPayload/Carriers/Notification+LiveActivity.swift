extension Notification {
    /// What a push says to a Live Activity. Times are seconds since 1970.
    public struct LiveActivity: Sendable {
        public enum Event: String, CaseIterable, Hashable, Sendable {
            case start, update, end
        }

        public var event: Event?
        /// When it was sent; older than the last one seen means ignore.
        public var timestamp: Double?
        /// When the activity's content is out of date.
        public var staleDate: Double?
        /// When an ended activity disappears; may be in the past.
        public var dismissalDate: Double?
        /// The new state: an object's bytes as sent.
        public var contentState: ArraySlice<UInt8>?
        /// With `start`: the name of the attributes' type, and the attributes' bytes as sent.
        public var attributesType: String?
        public var attributes: ArraySlice<UInt8>?
        /// With `start`: asks for an update token, or subscribes to a broadcast channel.
        public var requestsInputPushToken = false
        public var inputPushChannel: String?

        public init() {}
    }
}
