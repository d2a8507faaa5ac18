/// An error code of an earlier version that nothing reports any more.
///
/// Its number and its name are never used again; `Scripts/generate-error-table` refuses it.
struct RetiredCode {
    let code: String
    let name: String
    /// A sentence: what is reported instead, or what to do.
    let instead: String

    private init(_ code: String, _ name: String, _ instead: String) {
        self.code = code
        self.name = name
        self.instead = instead
    }

    private static let some = [
        RetiredCode("U1512", "activity.content-attribute-set.type", "U1526 attributes.type is reported instead."),
        RetiredCode("U5208", "duplicate.scheme", "U5203 domain.claimed-twice is reported instead, as a warning."),
    ]

    /// Those of which the same is said.
    private static let groups: [(instead: String, codes: String)] = [
        (
            "U1012 member.type is reported instead, with the place.",
            """
            U1111 aps.alert.title.type, U1112 aps.alert.subtitle.type, U1113 aps.alert.body.type,
            U1114 aps.alert.launch-image.type, U1115 aps.alert.title-loc-key.type,
            U1116 aps.alert.title-loc-args.type, U1117 aps.alert.subtitle-loc-key.type,
            U1118 aps.alert.subtitle-loc-args.type, U1119 aps.alert.loc-key.type, U1120 aps.alert.loc-args.type,
            U1121 aps.alert.action.type, U1122 aps.alert.action-loc-key.type, U1123 aps.alert.sound.type,
            U1132 aps.sound.type, U1133 aps.sound.name.type, U1134 aps.sound.critical.type,
            U1136 aps.sound.volume.type, U1141 aps.category.type, U1144 aps.mutable-content.type,
            U1146 aps.interruption-level.type, U1148 aps.relevance-score.type, U1150 aps.filter-criteria.type,
            U1151 aps.stale-date.type, U1152 aps.content-state.type, U1153 aps.timestamp.type,
            U1154 aps.event.type, U1156 aps.dismissal-date.type, U1157 aps.attributes-type.type,
            U1158 aps.attributes.type, U1159 aps.input-push-token.type, U1161 aps.input-push-channel.type,
            U1162 aps.url-args.type, U1402 shortcut.type.type, U1404 shortcut.localized-title.type,
            U1405 shortcut.localized-subtitle.type, U1406 shortcut.icon.type, U1408 shortcut.user-info.type,
            U1502 activity.activity-type.type, U1504 activity.title.type,
            U1505 activity.persistent-identifier.type, U1506 activity.webpage-url.type,
            U1508 activity.user-info.type, U1509 activity.required-user-info-keys.type,
            U1511 activity.keywords.type, U1513 activity.expiration-date.type, U1515 activity.needs-save.type,
            U1516 activity.is-eligible-for-handoff.type, U1517 activity.is-eligible-for-search.type,
            U1518 activity.is-eligible-for-public-indexing.type, U1519 activity.is-eligible-for-prediction.type,
            U1520 activity.version.type, U1525 activity.schema-version.type, U1605 envelope.payload.type,
            U1606 envelope.shortcut-item.type, U1607 envelope.user-activity.type, U1608 envelope.url.type,
            U1609 envelope.headers.type, U1610 envelope.header.type, U1611 envelope.app.type,
            U1612 envelope.session.type, U1613 envelope.traceparent.type, U1622 simctl.bundle.type,
            U1701 plist.type, U1702 plist.shortcut-items.type, U1705 plist.shortcut-item.value.type,
            U1708 plist.activity-types.type
            """
        ),
        (
            "U1103 aps.unknown-key is reported instead, with the place.",
            """
            U1125 aps.alert.unknown-key, U1138 aps.sound.unknown-key
            """
        ),
        (
            "U1013 member.value is reported instead, with the place.",
            """
            U1135 aps.sound.critical.range, U1143 aps.content-available.range, U1145 aps.mutable-content.range,
            U1147 aps.interruption-level.enum, U1160 aps.input-push-token.range, U1507 activity.webpage-url.scheme,
            U1514 activity.expiration-date.syntax
            """
        ),
        (
            "U1017 member.null is reported instead, with the place.",
            """
            U1209 target.null, U1410 shortcut.null-member, U1523 activity.null-member, U1618 envelope.null-member
            """
        ),
        (
            "U1014 member.missing is reported instead, with the place.",
            """
            U1401 shortcut.type.missing, U1501 activity.activity-type.missing,
            U1703 plist.shortcut-item.type.missing, U1704 plist.shortcut-item.title.missing
            """
        ),
        (
            "U1015 member.empty is reported instead, with the place.",
            """
            U1403 shortcut.type.empty, U1503 activity.activity-type.empty, U1623 simctl.bundle.empty,
            U1709 plist.activity-types.empty
            """
        ),
        (
            "U1016 member.unknown is reported instead, with the place.",
            """
            U1409 shortcut.unknown-key, U1522 activity.unknown-key, U1615 envelope.unknown-key,
            U1616 envelope.unknown-header, U1706 plist.shortcut-item.unknown-key
            """
        ),
        (
            "U1210 target.misspelt is reported instead, with the place.",
            """
            U1411 shortcut.misspelt-target, U1524 activity.misspelt-target
            """
        ),
        (
            "U5207 duplicate.value is reported instead, with the place.",
            """
            U5201 duplicate.app, U5202 duplicate.topic, U5204 duplicate.scene, U5205 duplicate.shortcut,
            U5206 duplicate.variable
            """
        ),
        (
            "U5216 reference.unknown is reported instead, with the place.",
            """
            U5211 reference.target, U5212 reference.scene, U5213 reference.reason, U5712 hooks.app
            """
        ),
        (
            "U5542 predicate.value is reported instead, with the place.",
            """
            U5501 predicate.arithmetic, U5502 predicate.array, U5503 predicate.between-bounds,
            U5504 predicate.block, U5505 predicate.boolean, U5508 predicate.format-argument,
            U5509 predicate.function, U5510 predicate.index, U5514 predicate.malformed-number,
            U5517 predicate.nested-array, U5522 predicate.number, U5526 predicate.reserved-word
            """
        ),
        (
            "U5528 predicate.syntax is reported instead, with the place.",
            """
            U5506 predicate.chained-comparison, U5519 predicate.not-a-condition, U5520 predicate.not-a-value,
            U5532 predicate.trailing-text, U5534 predicate.typographic-quote
            """
        ),
        (
            "U5536 predicate.unknown-escape is reported instead, with the place.",
            """
            U5511 predicate.invalid-escape
            """
        ),
        (
            "U5538 predicate.unknown-option is reported instead, with the place.",
            """
            U5513 predicate.locale-option, U5518 predicate.normalized-option, U5523 predicate.options-not-taken,
            U5540 predicate.unterminated-options
            """
        ),
        (
            "U5537 predicate.unknown-operator is reported instead, with the place.",
            """
            U5515 predicate.matches, U5521 predicate.not-in, U5527 predicate.selector,
            U5533 predicate.type-operator
            """
        ),
        (
            "U5524 predicate.quantifier is reported instead, with the place.",
            """
            U5525 predicate.quantifier-without-comparison
            """
        ),
        (
            "U5530 predicate.too-long is reported instead, with the place.",
            """
            U5529 predicate.too-deep, U5531 predicate.too-many-nodes
            """
        ),
        (
            "U5539 predicate.unknown-variable is reported instead, with the place.",
            """
            U5543 predicate.variable
            """
        ),
        (
            "U5613 template.syntax is reported instead, with the place.",
            """
            U5602 template.literal, U5603 template.percent, U5604 template.unopened, U5605 template.unclosed,
            U5606 template.empty-expression, U5607 template.reserved-operator, U5608 template.name,
            U5609 template.prefix, U5610 template.modifier
            """
        ),
        (
            "U5814 association.variable is reported instead, with the place.",
            """
            U5811 association.unknown-variable, U5812 association.cyclic-variable,
            U5813 association.nested-variable
            """
        ),
        (
            "What an identifier means is not judged: only what is a mistake for certain.",
            """
            U7101 lint.local-path, U7102 lint.local-host, U7103 lint.device, U7104 lint.device-store,
            U7105 lint.personal, U7106 lint.temporary-host, U7201 lint.session, U7202 lint.token,
            U7203 lint.timestamp, U7204 lint.view-state, U7205 lint.fragment, U7206 lint.tracking,
            U7207 lint.mutable-title, U7303 lint.moving, U7304 lint.relative, U7501 lint.different-identifiers,
            U7502 lint.only-webpage, U7503 lint.changed-identifier, U7505 lint.large-user-info,
            U7506 lint.no-title
            """
        ),
    ]

    /// - Parameter word: a number or a name.
    static func named(_ word: String) -> RetiredCode? {
        if let one = some.first(where: { $0.code == word || $0.name == word }) { return one }
        for group in groups {
            let words = group.codes.split { $0 == " " || $0 == "," || $0 == "\n" }.map(String.init)
            guard let place = words.firstIndex(of: word) else { continue }
            let code = place - place % 2
            return RetiredCode(words[code], words[code + 1], group.instead)
        }
        return nil
    }

    var text: String { "\(code) \(name) is not reported any more. \(instead)\n" }
}
