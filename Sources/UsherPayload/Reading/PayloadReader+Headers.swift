import UsherJSON

// The headers of an envelope: Apple's request headers, by their names in any case.

extension PayloadReader {
    private enum Header: String, CaseIterable, Sendable {
        case topic = "apns-topic"
        case id = "apns-id"
        case pushType = "apns-push-type"
        case priority = "apns-priority"
        case expiration = "apns-expiration"
        case collapseID = "apns-collapse-id"
    }

    private static let headers = MemberTable<Header>()

    mutating func readHeaders(_ element: JSONElement) throws(PayloadError) -> APNsHeaders {
        guard document.kind(element) == .object else {
            throw wrongType(.envelopeHeadersType, element, expected: "an object")
        }
        var headers = APNsHeaders()
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let name = document.stringBytes(member.key).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard let known = Self.headers.key(name[...]) else {
                warnUnknownHeader(member)
                continue
            }
            if document.kind(member.value) == .null {
                warn(.envelopeNullMember, member.value)
                continue
            }
            guard let value = document.string(member.value) else {
                let digits = document.numberText(member.value).map { "quote it: \"\(Self.printable($0))\"" }
                throw wrongType(.envelopeHeaderType, member.value, expected: "a string", help: digits)
            }
            judge(known, value, member.value)
            switch known {
            case .topic: headers.apnsTopic = value
            case .id: headers.apnsID = value
            case .pushType: headers.apnsPushType = value
            case .priority: headers.apnsPriority = value
            case .expiration: headers.apnsExpiration = value
            case .collapseID: headers.apnsCollapseID = value
            }
        }
        return headers
    }

    /// Warns about values the real service refuses.
    private mutating func judge(_ header: Header, _ value: String, _ element: JSONElement) {
        let problem: String? =
            switch header {
            case .topic: value.isEmpty ? "is empty" : nil
            case .id: Self.isUUID(value) ? nil : "is not a UUID"
            case .pushType: APNsHeaders.pushTypes.contains(value) ? nil : "is not one of Apple's push types"
            case .priority: ["10", "5", "1"].contains(value) ? nil : "is none of 10, 5 and 1"
            case .expiration:
                Int64(value) != nil && !value.hasPrefix("-") && !value.hasPrefix("+")
                    ? nil : "is not a number of seconds"
            case .collapseID: value.utf8.count <= 64 ? nil : "is longer than 64 bytes"
            }
        if let problem {
            warn(.envelopeHeaderValue, element, "\(header.rawValue) \"\(Self.printable(value))\" \(problem)")
        }
    }

    private mutating func warnUnknownHeader(_ member: JSONMember) {
        guard takesWarnings else { return }
        let name = document.string(member.key) ?? ""
        warn(
            .envelopeUnknownHeader, member.value, "\(Self.printable(name)) is not defined here and is ignored",
            help: Self.headers.suggestion(for: name).map { "did you mean \($0)?" })
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { group in
                group.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0)
                }
            }
    }
}
