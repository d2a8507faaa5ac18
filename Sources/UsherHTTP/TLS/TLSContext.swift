internal import COpenSSL
internal import Glibc

/// What the TLS connections of a listener have in common: certificate, key, protocols.
///
/// TLS 1.2 and 1.3; with 1.2 only ephemeral keys and authenticated ciphers, as HTTP/2 wants them (RFC 9113, 9.2.2).
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
