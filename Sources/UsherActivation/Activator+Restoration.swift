extension Activator {
    /// Keeps the activity of a lost window for the launch that brings it back; the file's path.
    public func keepRestoration(_ activity: [UInt8], nonce: String) throws(ActivationFailure) -> String {
        guard let payloadFiles else { throw .noStateDirectory }
        return try payloadFiles.write(activity, nonce: nonce + "-restoration")
    }
}
