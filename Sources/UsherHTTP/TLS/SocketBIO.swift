internal import CLinux
internal import COpenSSL
internal import Glibc

/// OpenSSL's way to a socket. Its own one uses write(), which kills the process when the peer of a Unix socket has gone.
@safe
enum SocketBIO {
    /// Made once, and not changed after that.
    nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "usher socket") else {
            return unsafe Optional.none
        }
        unsafe BIO_meth_set_create(method, create)
        unsafe BIO_meth_set_write(method, write)
        unsafe BIO_meth_set_read(method, read)
        unsafe BIO_meth_set_ctrl(method, control)
        return unsafe method
    }()
}

private func descriptor(_ bio: OpaquePointer?) -> Int32 {
    unsafe Int32(truncatingIfNeeded: Int(bitPattern: BIO_get_data(bio)))
}

private func create(_ bio: OpaquePointer?) -> Int32 {
    unsafe BIO_set_init(bio, 1)
    return 1
}

private func write(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    let result = unsafe usher_send(descriptor(bio), bytes, UInt(count))
    let isBlocked = result < 0 && errno == EAGAIN
    unsafe usher_bio_clear_retry(bio)
    if isBlocked { unsafe usher_bio_retry_write(bio) }
    return Int32(truncatingIfNeeded: result)
}

private func read(_ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
    let result = unsafe usher_receive(descriptor(bio), bytes, UInt(count))
    let isBlocked = result < 0 && errno == EAGAIN
    unsafe usher_bio_clear_retry(bio)
    if isBlocked { unsafe usher_bio_retry_read(bio) }
    if result == 0 { unsafe BIO_set_flags(bio, BIO_FLAGS_IN_EOF) }
    return Int32(truncatingIfNeeded: result)
}

private func control(
    _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ argument: UnsafeMutableRawPointer?
) -> Int {
    switch command {
    case BIO_CTRL_FLUSH: 1
    // Asked when nothing could be read: an end without close_notify is an end only if this says so.
    case BIO_CTRL_EOF: unsafe BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0
    default: 0
    }
}
