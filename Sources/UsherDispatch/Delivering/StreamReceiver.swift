public import UsherPayload

/// Takes the payloads of a stream, in their order: a dispatcher, or the way to the one of the daemon.
public protocol StreamReceiver: Sendable {
    /// May wait while too many are on their way.
    ///
    /// - Parameters:
    ///   - sequence: the place in the input, counted from 1 without gaps.
    ///   - source: where it came from, instead of the run's source.
    func handle(
        _ reading: Result<Payload, PayloadError>, input: ArraySlice<UInt8>, sequence: Int, source: String?,
        startedAt started: Int64)

    /// The input pauses: what can be written out is.
    func flush()

    /// The errno of the write of records that failed: nothing more should be handed in.
    var outputFailure: Int32? { get }
}

extension Dispatcher: StreamReceiver {}
