// Global: the same on every device and for everybody.
extension LintPass {
    /// Places that only one device or network knows.
    mutating func judgePlaces() {
        if parts.isBare, Self.isLocalPath(parts.text) { find(.localPath, parts.text) }
        if parts.lowercaseScheme == "file" || parts.hasAuthority && parts.host == "file" {
            find(.localPath, parts.text)
        }
        for parameter in parts.query where Self.isLocalPath(parameter.value) { find(.localPath, parameter.value) }
        if LintWords.deviceStores.contains(parts.lowercaseScheme) { find(.deviceStore, parts.scheme ?? "") }
        judgeHost()
        judgeRelative()
    }

    /// Device stores and hosts whose schemes are not judged further.
    mutating func judgeMadeUpScheme() {
        guard !has(.deviceStore) else { return }
        if LintWords.deviceStores.contains(parts.lowercaseScheme) { find(.deviceStore, parts.scheme ?? "") }
        // A local identifier of a photo library.
        if parts.isBare, let first = parts.segments.first, TextShape.isUUID(first), parts.segments.count == 3,
            parts.segments[1] == "L0"
        {
            find(.deviceStore, parts.text)
        }
    }

    private static let roots = [
        "/home/", "/Users/", "/root/", "/tmp/", "/var/", "/etc/", "/opt/", "/mnt/", "/media/", "/Volumes/", "/private/",
        "/data/user/", "/data/data/", "/storage/emulated/", "/sdcard/", "/usr/", "/srv/", "/Applications/", "/Library/",
        "/System/", "/proc/", "/dev/", "/run/", "~/", "\\\\", "$HOME", "%USERPROFILE%", "%APPDATA%", "%TEMP%",
    ]

    private static func isLocalPath(_ text: String) -> Bool {
        if roots.contains(where: { text.utf8.starts(with: $0.utf8) }) { return true }
        let bytes = Array(text.utf8.prefix(3))
        // C:\ and C:/
        if bytes.count == 3, ASCII.isLetter(bytes[0]), bytes[1] == ASCII.colon,
            bytes[2] == 0x5C || bytes[2] == ASCII.slash
        {
            return true
        }
        // ~ada/
        return bytes.first == 0x7E && text.contains("/") && !text.contains(":")
    }

    private mutating func judgeHost() {
        guard parts.hasAuthority, !parts.host.isEmpty, parts.lowercaseScheme != "file", parts.host != "file" else {
            if parts.isBare, !parts.text.contains("/"), parts.text.lowercased().hasSuffix(".local") {
                find(.localHost, parts.text)
            }
            return
        }
        var host = parts.host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if host == "localhost" || Self.isPrivateAddress(host)
            || LintWords.localSuffixes.contains(where: { host.hasSuffix($0) })
        {
            find(.localHost, parts.host)
        } else if LintWords.networkSchemes.contains(parts.lowercaseScheme), !host.contains("."), !host.contains(":"),
            !host.contains("{")
        {
            find(.localHost, parts.host)
        }
        let isPreview =
            host.hasSuffix(".vercel.app") && host.contains("-git-")
            || host.hasSuffix(".netlify.app") && host.hasPrefix("deploy-preview-")
        if isPreview || LintWords.temporarySuffixes.contains(where: { host.hasSuffix($0) }) {
            find(.temporaryHost, parts.host)
        }
    }

    /// Loopback, private, link-local and shared addresses. RFC 6890.
    private static func isPrivateAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            let address = host.dropFirst()
            return host == "[::1]" || host == "[::]"
                || ["fe8", "fe9", "fea", "feb", "fc", "fd"].contains { address.hasPrefix($0) }
        }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard numbers.count == 4, let first = numbers[0], let second = numbers[1], numbers[2] != nil, numbers[3] != nil
        else { return false }
        switch (first, second) {
        case (0, _), (10, _), (127, _), (192, 168), (169, 254), (172, 16...31), (100, 64...127): return true
        default: return false
        }
    }

    private mutating func judgeRelative() {
        guard parts.isBare else { return }
        if ["../", "./", "?", "#", "//"].contains(where: { parts.text.utf8.starts(with: $0.utf8) }) {
            find(.relative, parts.text)
        }
    }

    // MARK: Devices

    mutating func judgeDevices() {
        for parameter in parts.query where LintWords.devices.contains(parameter.key) {
            // A number names a thing that is content itself: a sensor, a lamp.
            if !parameter.value.isEmpty, !TextShape.isDigits(parameter.value) { find(.device, parameter.text) }
        }
        let places = parts.isBare ? parts.segments : Array(parts.segments.prefix(1)) + [parts.host]
        for place in places where Self.isDeviceName(place) { find(.device, place) }
    }

    private static let kinds = ["iphone", "ipad", "macbook", "imac", "mac-mini", "mac mini", "mac-studio"]

    /// `Adas-MacBook-Pro`, `iPhone von Ada`, `DESKTOP-4F3K2L1`: as systems name devices by themselves.
    private static func isDeviceName(_ text: String) -> Bool {
        for (prefix, length) in [("DESKTOP-", 7), ("LAPTOP-", 8)] where text.hasPrefix(prefix) {
            let rest = text.dropFirst(prefix.count).prefix { ![".", "/", "\\"].contains($0) }
            if rest.utf8.count == length, rest.utf8.allSatisfy({ TextShape.isDigit($0) || (0x41...0x5A).contains($0) })
            {
                return true
            }
        }
        let lower = text.lowercased()
        guard kinds.contains(where: { lower.contains($0) }), lower != text else { return false }
        let owners = ["s-", "’s ", "'s ", "s’ ", "s "]
        return kinds.contains { kind in owners.contains { lower.contains($0 + kind) } }
            || ["-von-", " von ", "-de-", " de ", "-di-", " di ", "-van-"].contains { lower.contains($0) }
    }

    // MARK: Persons

    mutating func judgePersons() {
        guard parts.hasAuthority else { return }
        for (index, segment) in parts.segments.enumerated() {
            let next = index + 1 < parts.segments.count ? parts.segments[index + 1] : nil
            switch segment {
            case "me", "self": find(.personal, segment)
            case "my" where next != nil: find(.personal, segment)
            // The first of the accounts that this browser is signed in to.
            case "u" where next.map { $0.utf8.count == 1 && TextShape.isDigits($0) } ?? false:
                let before = index > 0 ? parts.segments[index - 1] : ""
                if ["mail", "calendar", "drive", "document", "spreadsheets", "photos"].contains(before) {
                    find(.personal, "u/" + (next ?? ""))
                }
            default:
                if index > 0, LintWords.people.contains(parts.segments[index - 1].lowercased()), Self.isAddress(segment)
                {
                    find(.personal, segment)
                }
            }
        }
        for parameter in parts.query {
            if parameter.key == "authuser"
                || LintWords.personParameters.contains(parameter.key) && Self.isAddress(parameter.value)
            {
                find(.personal, parameter.text)
            }
        }
    }

    /// An e-mail address.
    private static func isAddress(_ text: String) -> Bool {
        let pieces = text.split(separator: "@", omittingEmptySubsequences: false)
        return pieces.count == 2 && !pieces[0].isEmpty && pieces[1].contains(".")
    }
}
