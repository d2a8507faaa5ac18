internal import CLinux
internal import COpenSSL
internal import Glibc

/// The TLS side of one connection.
@safe
struct TLSSession: ~Copyable {
    enum Handshake {
        case done, wantsInput, wantsOutput, failed
    }

    private let pointer: OpaquePointer

    init?(_ context: TLSContext, descriptor: Int32) {
        guard let method = unsafe SocketBIO.method, let session = unsafe SSL_new(context.pointer) else { return nil }
        guard let bio = unsafe BIO_new(method) else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe BIO_set_data(bio, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
        unsafe SSL_set_bio(session, bio, bio)
        unsafe SSL_set_accept_state(session)
        unsafe pointer = session
    }

    deinit { unsafe SSL_free(pointer) }

    // The queue of errors is the thread's, not the session's: it must be empty before each call.

    func shakeHands() -> Handshake {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(pointer)
        if result == 1 { return .done }
        switch unsafe SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_WANT_WRITE: return .wantsOutput
        default: return .failed
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        ERR_clear_error()
        return unsafe transfer(SSL_read(pointer, buffer.baseAddress, Int32(clamping: buffer.count)))
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        ERR_clear_error()
        return unsafe transfer(SSL_write(pointer, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    /// Sends the peer a close notification: nothing more will be sent.
    func sayGoodbye() {
        ERR_clear_error()
        unsafe _ = SSL_shutdown(pointer)
    }

    private func transfer(_ result: Int32) -> Transfer {
        if result > 0 { return .bytes(Int(result)) }
        switch unsafe SSL_get_error(pointer, result) {
        // Without renegotiation, only a key update makes a reader write; what it wrote goes out with the next write.
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed
        }
    }
}
