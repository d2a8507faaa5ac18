extension HTTPServer {
    /// What a client may take of the server: bytes, and seconds from the beginning of each part to its end.
    public struct Limits: Sendable {
        /// Bytes of request line and fields.
        public var head = 16 * 1024
        public var fieldCount = 100
        /// From the first byte of a head to its end.
        public var headSeconds = 10.0
        /// From the end of the head to the end of the body.
        public var bodySeconds = 30.0
        /// Of TLS.
        public var handshakeSeconds = 10.0
        /// Between requests.
        public var idleSeconds = 60.0
        /// A client that has something to read takes so many bytes within these seconds, or all there is.
        public var writeSeconds = 20.0
        public var writeBytes = 4096
        /// From a request to its answer; nil waits.
        public var answerSeconds: Double?
        /// How long, and for how many bytes, the rest of a refused body is read, so that the refusal is seen.
        public var lingerSeconds = 2.0
        public var lingerBytes = 16 << 20
        /// Connections at a time; nil derives them from the limit of descriptors, leaving a quarter to others. Seven
        /// eighths are for TCP.
        public var connections: Int?
        /// Unsent bytes of a connection above which nothing more is read from it.
        public var highWater = 256 * 1024
        /// Unsent bytes of a stream above which its reader is dropped.
        public var streamBuffer = 64 * 1024
        /// Bytes of request bodies in memory, of all connections together.
        public var bodiesInMemory = 64 << 20
        /// Bytes of one line of a connection of lines.
        public var line = 2 << 20
        /// Unsent bytes of a connection of lines above which it is dropped.
        public var lineBuffer = 8 << 20

        public init() {}
    }
}
