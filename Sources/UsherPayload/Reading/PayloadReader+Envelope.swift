import UsherJSON

// Envelopes: a carrier, and beside it what a transport would have said.

extension PayloadReader {
    private enum Member: String, CaseIterable, Sendable {
        case payload, shortcutItem, userActivity, url, headers, app, session, traceparent
    }

    private static let members = MemberTable<Member>()

    /// An envelope taken apart, nothing in it read yet.
    private struct Parts {
        var carrier: (member: Member, value: JSONElement)?
        var headers: JSONElement?
        var app: JSONElement?
        var session: JSONElement?
        var traceparent: JSONElement?
    }

    mutating func readEnvelope(_ root: JSONElement) throws(PayloadError) -> Payload {
        let parts = try takeApart(root)
        guard let (member, value) = parts.carrier else {
            throw failure(
                .envelopeNoCarrier, root, "there is neither payload, shortcutItem, userActivity nor url")
        }
        // The headers' push type decides how the payload is judged.
        let headers =
            try parts.headers.map { element throws(PayloadError) in try readHeaders(element) } ?? APNsHeaders()
        let app = try parts.app.map { element throws(PayloadError) in try string(element, .envelopeAppType) }
        let session = try parts.session.map { element throws(PayloadError) in
            try string(element, .envelopeSessionType)
        }
        let traceparent = try parts.traceparent.map { element throws(PayloadError) in try readTraceparent(element) }
        let content = try readCarrier(member, value, pushType: headers.apnsPushType ?? pushType)
        return Payload(
            carrier: content.carrier, format: content.format, app: app, session: session,
            traceparent: traceparent ?? nil, headers: headers, simulatorTargetBundle: content.simulatorTargetBundle,
            raw: document.raw(value), isEnvelope: true, warnings: warnings)
    }

    private mutating func takeApart(_ root: JSONElement) throws(PayloadError) -> Parts {
        var parts = Parts()
        var next = document.firstMember(root)
        while let member = next {
            next = document.nextMember(member, in: root)
            let value = member.value
            guard let known = Self.members.key(member.key, in: document) else {
                warnUnknownEnvelopeMember(member)
                continue
            }
            if document.kind(value) == .null {
                warn(.envelopeNullMember, value)
                continue
            }
            switch known {
            case .payload, .shortcutItem, .userActivity, .url:
                if let earlier = parts.carrier?.member {
                    throw failure(
                        .envelopeSeveralCarriers, value, "there is \(known.rawValue) after \(earlier.rawValue)")
                }
                parts.carrier = (known, value)
            case .headers: parts.headers = value
            case .app: parts.app = value
            case .session: parts.session = value
            case .traceparent: parts.traceparent = value
            }
        }
        return parts
    }

    private mutating func readCarrier(
        _ member: Member, _ value: JSONElement, pushType: String?
    ) throws(PayloadError) -> Content {
        switch member {
        case .shortcutItem:
            guard document.kind(value) == .object else {
                throw wrongType(.envelopeShortcutItemType, value, expected: "an object")
            }
            return Content(carrier: .shortcutItem(try readShortcutItem(value)), format: .shortcut)
        case .userActivity:
            guard document.kind(value) == .object else {
                throw wrongType(.envelopeUserActivityType, value, expected: "an object")
            }
            return Content(carrier: .userActivity(try readUserActivity(value)), format: .activity)
        case .url:
            return Content(carrier: .url(try identifier(value, type: .envelopeURLType)), format: .envelope)
        case .payload, .headers, .app, .session, .traceparent:
            guard document.kind(value) == .object else {
                throw wrongType(.envelopePayloadType, value, expected: "an object")
            }
            let members = RootMembers(of: value, in: document)
            let format = members.format(in: document, root: value)
            return try readContent(value, members, format, pushType: pushType)
        }
    }

    private mutating func warnUnknownEnvelopeMember(_ member: JSONMember) {
        guard takesWarnings else { return }
        let name = document.string(member.key) ?? ""
        if NameSuggestion.looksLikeTarget(document.stringBytes(member.key), loosely: false) {
            warn(
                .targetMisplaced, member.value,
                "\(Self.printable(name)) is in the envelope: it belongs into the carrier",
                help: "in a payload write {\"aps\":{\"target-content-id\": …}}, elsewhere targetContentIdentifier")
            return
        }
        warn(
            .envelopeUnknownKey, member.value, "\(Self.printable(name)) is not defined here and is ignored",
            help: Self.members.suggestion(for: name).map { "did you mean \($0)?" })
    }

    /// The trace context where it is well formed (W3C Trace Context, version 00), else nil and a warning.
    private mutating func readTraceparent(_ element: JSONElement) throws(PayloadError) -> String? {
        let text = try string(element, .envelopeTraceparentType)
        let fields = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
        let isHexadecimal = fields.allSatisfy { field in
            field.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        guard isHexadecimal, fields.map(\.count) == [2, 32, 16, 2], !fields[0].elementsEqual("ff".utf8),
            fields[1].contains(where: { $0 != 0x30 }), fields[2].contains(where: { $0 != 0x30 })
        else {
            warn(.envelopeTraceparentSyntax, element)
            return nil
        }
        return text
    }
}
