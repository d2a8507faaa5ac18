internal import COpenSSL
internal import Glibc
internal import UsherSystem

/// An X.509 certificate, read or made. RFC 5280.
@safe
struct Certificate: ~Copyable {
    enum Purpose {
        case authority, localhost

        var name: String {
            switch self {
            case .authority: "Usher development authority"
            case .localhost: "localhost"
            }
        }

        /// Extensions by OpenSSL's names of them, and their values in its notation.
        var extensions: [(identifier: Int32, value: String)] {
            switch self {
            case .authority:
                [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign"),
                    (NID_subject_key_identifier, "hash"),
                    // Limits trust in this authority to certificates for the local machine.
                    (
                        NID_name_constraints,
                        "critical,permitted;DNS:localhost,permitted;IP:127.0.0.1/255.255.255.255,"
                            + "permitted;IP:::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
                    ),
                ]
            case .localhost:
                [
                    (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                    (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"),
                    (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid"),
                ]
            }
        }
    }

    let pointer: OpaquePointer

    private static let day = 24 * 60 * 60

    /// Nil when there is none that can be read.
    init?(contentsOf path: String) {
        guard let bio = unsafe BIO_new_file(path, "r") else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe _ = BIO_free(bio) }
        guard let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) else {
            ERR_clear_error()
            return nil
        }
        unsafe pointer = certificate
    }

    private init(adopting pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Makes one for a year.
    ///
    /// - Parameter issuer: the certificate of `issuerKey`; nil where that is `key`.
    static func make(
        _ purpose: Purpose, key: borrowing PrivateKey, issuer: OpaquePointer?, issuerKey: borrowing PrivateKey
    ) throws(TLSError) -> Certificate {
        ERR_clear_error()
        guard let pointer = unsafe X509_new() else { throw .openSSL("cannot make a certificate") }
        let certificate = unsafe Certificate(adopting: pointer)
        let signer = unsafe issuer ?? pointer
        var isMade = certificate.setSerialNumber() && certificate.setName(purpose.name)
        unsafe isMade =
            isMade && X509_set_version(pointer, 2) == 1
            && X509_set_issuer_name(pointer, X509_get_subject_name(signer)) == 1
            // Clocks differ, and a certificate that begins now is not valid yet for some.
            && X509_gmtime_adj(X509_getm_notBefore(pointer), -3600) != nil
            && X509_gmtime_adj(X509_getm_notAfter(pointer), 365 * day) != nil
            && X509_set_pubkey(pointer, key.pointer) == 1
        for item in purpose.extensions where isMade {
            isMade = unsafe certificate.add(item.identifier, item.value, signer: signer)
        }
        unsafe isMade = isMade && X509_sign(pointer, issuerKey.pointer, EVP_sha256()) > 0
        guard isMade else { throw .openSSL("cannot make a certificate") }
        return certificate
    }

    deinit { unsafe X509_free(pointer) }

    /// Whether it is valid and will be for thirty days.
    var isGood: Bool {
        var later = time(nil) + 30 * Self.day
        return unsafe X509_cmp_current_time(X509_get0_notBefore(pointer)) < 0
            && X509_cmp_time(X509_get0_notAfter(pointer), &later) > 0
    }

    /// How many whole days it is still valid; negative once it has expired.
    var daysLeft: Int? {
        var (days, seconds) = (Int32(0), Int32(0))
        guard unsafe ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(pointer)) == 1 else { return nil }
        return days == 0 && seconds < 0 ? -1 : Int(days)
    }

    func isSigned(by authority: borrowing Certificate) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_verify(pointer, X509_get0_pubkey(authority.pointer)) == 1
    }

    func write(to path: String) throws(TLSError) {
        try unsafe PEMFile.write(path, mode: 0o644) { bio in unsafe PEM_write_bio_X509(bio, pointer) }
    }

    // MARK: Parts

    private func setSerialNumber() -> Bool {
        var generator = SystemRandomNumberGenerator()
        // Positive, and not 0.
        let number = generator.next() >> 1 | 1
        return unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), number) == 1
    }

    private func setName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return unsafe X509_NAME_add_entry_by_NID(
            X509_get_subject_name(pointer), NID_commonName, MBSTRING_ASC | 1, bytes, Int32(bytes.count), -1, 0) == 1
    }

    private func add(_ identifier: Int32, _ value: String, signer: OpaquePointer) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, signer, pointer, nil, nil, 0)
        guard let item = unsafe X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
        defer { unsafe X509_EXTENSION_free(item) }
        return unsafe X509_add_ext(pointer, item, -1) == 1
    }
}

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
private enum PEMFile {
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

/// A certificate that is read again when its files change, and kept when the new ones cannot be used.
struct ReloadingCertificate: Sendable {
    enum Outcome {
        case unchanged
        case reloaded
        case failed(String)
    }

    private(set) var context: TLSContext
    private let files: HTTPServer.TLSFiles
    /// What the files looked like just before they were read.
    private var seen: [FileMark?]
    private var nextLook: Milliseconds = 0

    init(_ files: HTTPServer.TLSFiles) throws(TLSError) {
        self.files = files
        seen = Self.marks(files)
        context = try TLSContext(files)
    }

    /// Looks at the files at most once a second.
    mutating func reload(now: Milliseconds) -> Outcome {
        guard now >= nextLook else { return .unchanged }
        nextLook = now + 1000
        let marks = Self.marks(files)
        guard marks != seen else { return .unchanged }
        // A pair of which only half is new is looked at again when the other half comes.
        seen = marks
        do throws(TLSError) {
            context = try TLSContext(files)
            return .reloaded
        } catch {
            return .failed(error.message)
        }
    }

    private static func marks(_ files: HTTPServer.TLSFiles) -> [FileMark?] {
        [FileMark(files.certificate), FileMark(files.key)]
    }

    private struct FileMark: Hashable, Sendable {
        private var inode: UInt
        private var size: Int
        private var seconds: Int
        private var nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            seconds = Int(status.st_mtim.tv_sec)
            nanoseconds = Int(status.st_mtim.tv_nsec)
        }
    }
}

extension HTTPServer.TLSFiles {
    /// For how many whole days the certificate is still valid; negative once it has expired, nil where it cannot be read.
    public var daysLeft: Int? { Certificate(contentsOf: certificate)?.daysLeft }

    /// Whether others than its owner can read the key.
    public var isKeyExposed: Bool {
        var status = stat()
        return unsafe stat(key, &status) == 0 && status.st_mode & 0o044 != 0
    }
}

/// A private certificate authority and a certificate for this machine's loopback, for trying things out.
public enum DevelopmentCertificate {
    /// Makes `ca.pem`, `cert.pem` and `key.pem` in a folder, or keeps them while they belong together and are valid for
    /// another thirty days. A missing folder is made with mode 0700; keys have mode 0600.
    ///
    /// The certificate is for `localhost`, `127.0.0.1` and `::1`, with an ECDSA key on P-256, for a year. A client that
    /// trusts `ca.pem` (`curl --cacert`) trusts only what this authority signed. The key of the authority stays in
    /// `ca-key.pem`, so that a new certificate can be made under the same authority.
    public static func make(in folder: String) throws(HTTPServerError) -> HTTPServer.TLSFiles {
        try Result { () throws(TLSError) in try files(in: folder) }
            .mapError { HTTPServerError(code: .certificate, listener: "", message: $0.message) }.get()
    }

    private static func files(in folder: String) throws(TLSError) -> HTTPServer.TLSFiles {
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw TLSError(message: "cannot make \(folder): \(SystemError.text(errno))")
        }
        let files = HTTPServer.TLSFiles(certificate: folder + "/cert.pem", key: folder + "/key.pem")
        let authorityPath = folder + "/ca.pem"
        let authorityKeyPath = folder + "/ca-key.pem"
        if let authority = Certificate(contentsOf: authorityPath), authority.isGood {
            if isUsable(files, under: authority) { return files }
            if let key = PrivateKey(contentsOf: authorityKeyPath), key.belongs(to: authority) {
                try issue(files, by: authority, key)
                return files
            }
        }
        let key = try PrivateKey()
        let authority = try unsafe Certificate.make(.authority, key: key, issuer: Optional.none, issuerKey: key)
        try key.write(to: authorityKeyPath)
        try authority.write(to: authorityPath)
        try issue(files, by: authority, key)
        return files
    }

    private static func isUsable(_ files: HTTPServer.TLSFiles, under authority: borrowing Certificate) -> Bool {
        guard let leaf = Certificate(contentsOf: files.certificate), let key = PrivateKey(contentsOf: files.key) else {
            return false
        }
        return leaf.isGood && leaf.isSigned(by: authority) && key.belongs(to: leaf)
    }

    private static func issue(
        _ files: HTTPServer.TLSFiles, by authority: borrowing Certificate, _ authorityKey: borrowing PrivateKey
    ) throws(TLSError) {
        let key = try PrivateKey()
        let leaf = try unsafe Certificate.make(.localhost, key: key, issuer: authority.pointer, issuerKey: authorityKey)
        try key.write(to: files.key)
        try leaf.write(to: files.certificate)
    }
}
