internal import COpenSSL
internal import Glibc
internal import UsherSystem

/// A private certificate authority and a certificate for this machine's loopback, for trying things out.
public enum DevelopmentCertificate {
    /// Makes `ca.pem`, `cert.pem` and `key.pem` in a folder, or keeps them while they belong together and are valid for
    /// another thirty days. A missing folder is made with mode 0700; keys have mode 0600.
    ///
    /// The certificate is for `localhost`, `127.0.0.1` and `::1`, with an ECDSA key on P-256, for a year. A client that
    /// trusts `ca.pem` (`curl --cacert`) trusts only what this authority signed. The key of the authority stays in
    /// `ca-key.pem`, so that a new certificate can be made under the same authority.
    public static func make(in folder: String) throws(HTTPServerError) -> HTTPServer.TLSFiles {
        do throws(TLSError) {
            return try files(in: folder)
        } catch {
            throw HTTPServerError(code: .certificate, listener: "", message: error.message)
        }
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
