extension App {
    /// Whether an entry of `domains` covers a host, in small letters: `clowntown.example`, `*.example`,
    /// `shop.example/clowns`.
    public func has(host: String) -> Bool {
        domains.contains { domain in
            let name = domain.value.utf8.prefix { $0 != UInt8(ascii: "/") }
            guard name.starts(with: "*.".utf8) else { return name.elementsEqual(host.utf8) }
            let suffix = name.dropFirst()
            return host.utf8.count > suffix.count && host.utf8.suffix(suffix.count).elementsEqual(suffix)
        }
    }

    /// What the app's association file says of an identifier on one of its hosts; nil where the app has no such file, or
    /// not the host.
    public func verdict(on target: TargetContentIdentifier) -> SiteAssociation.Verdict? {
        guard let association, let (host, rest) = target.webHost, has(host: host) else { return nil }
        var address = LinkAddress(rest)
        return association.verdict(on: &address)
    }
}
