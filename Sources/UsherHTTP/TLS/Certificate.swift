internal import COpenSSL
internal import Glibc

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
