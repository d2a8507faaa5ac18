internal import COpenSSL
internal import Glibc
internal import UsherSystem

/// An ECDSA key on P-256.
@safe
struct PrivateKey: ~Copyable {
    let pointer: OpaquePointer

    /// A new one.
    init() throws(TLSError) {
        ERR_clear_error()
        guard let key = unsafe usher_make_p256() else { throw .openSSL("cannot make a key") }
        unsafe pointer = key
    }

    /// Nil when there is none that can be read.
    init?(contentsOf path: String) {
        guard let bio = unsafe BIO_new_file(path, "r") else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe _ = BIO_free(bio) }
        guard let key = unsafe PEM_read_bio_PrivateKey(bio, nil, nil, nil) else {
            ERR_clear_error()
            return nil
        }
        unsafe pointer = key
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    func belongs(to certificate: borrowing Certificate) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_private_key(certificate.pointer, pointer) == 1
    }

    func write(to path: String) throws(TLSError) {
        try unsafe PEMFile.write(path, mode: 0o600) { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil)
        }
    }
}

/// Files that are there whole or not at all, and never readable by others for a moment.
enum PEMFile {
    static func write(_ path: String, mode: mode_t, _ body: (OpaquePointer) -> Int32) throws(TLSError) {
        ERR_clear_error()
        let temporary = path + ".new"
        unsafe _ = unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw TLSError(message: "cannot write \(path): \(SystemError.text(errno))") }
        guard let bio = unsafe BIO_new_fd(descriptor, BIO_CLOSE) else {
            close(descriptor)
            throw .openSSL("cannot write \(path)")
        }
        let result = unsafe body(bio)
        unsafe _ = BIO_free(bio)
        guard result == 1, unsafe rename(temporary, path) == 0 else {
            unsafe _ = unlink(temporary)
            throw .openSSL("cannot write \(path)")
        }
    }
}
