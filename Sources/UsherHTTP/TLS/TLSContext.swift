internal import CLinux
internal import COpenSSL
internal import Glibc

/// What the TLS connections of a listener have in common: certificate, key, protocols.
///
/// TLS 1.2 and 1.3; with 1.2 only ephemeral keys and authenticated ciphers, as HTTP/2 requires (RFC 9113, 9.2.2).
@safe
final class TLSContext: Sendable {
    /// OpenSSL counts references to it and locks it itself; nothing is changed once `init` has returned.
    nonisolated(unsafe) let pointer: OpaquePointer

    init(_ files: HTTPServer.TLSFiles) throws(TLSError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw .openSSL("TLS is not available") }
        unsafe pointer = context
        guard unsafe usher_ssl_set_minimum(context) == 1,
            unsafe SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        else { throw .openSSL("TLS is not available") }
        unsafe usher_ssl_set_options(context)
        guard unsafe SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
            throw .openSSL("cannot use the certificate \(files.certificate)")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1 else {
            throw .openSSL("cannot use the key \(files.key)")
        }
        guard unsafe SSL_CTX_check_private_key(context) == 1 else {
            throw .openSSL("the key \(files.key) does not belong to the certificate \(files.certificate)")
        }
        unsafe _ = SSL_CTX_set_session_id_context(context, "usher", 5)
        unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
    }

    deinit { unsafe SSL_CTX_free(pointer) }
}

/// Chooses by the server's preference. If the client offers only other protocols, it gets an alert (RFC 7301, 3.2).
private func selectProtocol(
    _ session: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    let ours: StaticString = "\u{8}http/1.1"
    var found: UnsafeMutablePointer<UInt8>?
    let result = unsafe SSL_select_next_proto(
        &found, chosenLength, ours.utf8Start, UInt32(ours.utf8CodeUnitCount), offered, offeredLength)
    guard result == OPENSSL_NPN_NEGOTIATED, let found = unsafe found else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    unsafe chosen?.pointee = unsafe UnsafePointer(found)
    return SSL_TLSEXT_ERR_OK
}

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

/// OpenSSL's way to a socket. Its own one uses write(), which kills the process when the peer of a Unix socket has gone.
@safe
private enum SocketBIO {
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

/// Why a certificate cannot be used.
struct TLSError: Error, Hashable {
    var message: String

    /// With what OpenSSL says about it; its queue is emptied.
    static func openSSL(_ what: String) -> TLSError {
        var text = [CChar](repeating: 0, count: 256)
        let error = ERR_get_error()
        ERR_clear_error()
        guard error != 0 else { return TLSError(message: what) }
        unsafe ERR_error_string_n(error, &text, text.count)
        let reason = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // error:0A000074:SSL routines::reason
        return TLSError(message: "\(what): \(reason.split(separator: ":").last ?? "")")
    }
}
