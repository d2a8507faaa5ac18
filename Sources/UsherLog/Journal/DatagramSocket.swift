internal import CLinux
internal import Glibc

/// A Unix datagram socket that sends to named sockets: how the journal and the service manager are spoken to.
package struct DatagramSocket: ~Copyable {
    private let descriptor: Int32

    /// - Parameter limit: how long sending may wait for the receiver, in milliseconds.
    /// - Returns: nil when there are no descriptors left.
    package init?(limit: Int32) {
        descriptor = usher_datagram_socket(limit)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends one datagram, and with it a descriptor where there is one.
    ///
    /// - Parameters:
    ///   - path: of the receiver; `@` begins an abstract name.
    ///   - waits: false to fail at once where the receiver's queue is full.
    /// - Returns: 0, or the error.
    package func send(
        _ bytes: [UInt8], to path: String, passing passed: Int32 = -1, waits: Bool = true
    ) -> Int32 {
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe usher_send_datagram(
                descriptor, path, buffer.baseAddress, UInt(buffer.count), passed, waits ? 1 : 0)
        }
        return status == 0 ? 0 : errno
    }

    /// Sends bytes as a sealed file in memory: for what no datagram holds. The receiver reads the file.
    package func sendFile(_ bytes: [UInt8], named name: String, to path: String, waits: Bool = true) -> Int32 {
        let file = unsafe usher_memory_file(name)
        guard file >= 0 else { return errno }
        defer { close(file) }
        guard FileOutput.write(bytes, to: file), usher_seal(file) == 0 else { return errno }
        return send([], to: path, passing: file, waits: waits)
    }
}
