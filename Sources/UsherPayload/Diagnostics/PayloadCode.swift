public import UsherScene

/// What can be wrong with a payload: its code, and the texts that do not depend on the payload.
///
/// Numbers and names are stable: they are only ever added.
public struct PayloadCode: Hashable, Sendable {
    public enum Severity: Hashable, Sendable {
        case error, warning
        /// An error where it makes the payload useless, else a warning.
        case either
    }

    public let code: DiagnosticCode
    public let severity: Severity
    /// What it stands for, in one line.
    public let meaning: String
    /// What the sender should do.
    public let help: String

    private init(_ code: String, _ name: String, severity: Severity = .error, _ meaning: String, help: String) {
        self.code = DiagnosticCode(code, name)
        self.severity = severity
        self.meaning = meaning
        self.help = help
    }
}

// MARK: - Text

extension PayloadCode {
    public static let jsonEmpty = PayloadCode(
        "U1001", "json.empty", "there is nothing but white space", help: "send one JSON object")
    public static let jsonBOM = PayloadCode(
        "U1002", "json.bom", "the text begins with a byte order mark",
        help: "save the text as UTF-8 without a byte order mark")
    public static let jsonInvalidUTF8 = PayloadCode(
        "U1003", "json.invalid-utf8", "the text is not UTF-8", help: "send UTF-8; UTF-16 and Latin-1 are not read")
    public static let jsonSyntax = PayloadCode(
        "U1004", "json.syntax", "the text is not JSON (RFC 8259)",
        help: "correct the text there; comments, trailing commas and single quotes are not JSON")
    public static let jsonTrailingData = PayloadCode(
        "U1005", "json.trailing-data", "something follows the end of the value",
        help: "send one value; only a stream, as standard input is one, has several")
    public static let jsonDuplicateKey = PayloadCode(
        "U1006", "json.duplicate-key", "one object has the same member twice",
        help: "keep one of the two members; readers disagree about which one counts")
    public static let jsonDepth = PayloadCode(
        "U1007", "json.depth", "values are nested deeper than 512 levels", help: "flatten the payload")
    public static let jsonNumberRange = PayloadCode(
        "U1008", "json.number-range", "a number is beyond the range of a double", help: "send the number as a string")
    public static let jsonLoneSurrogate = PayloadCode(
        "U1009", "json.lone-surrogate", "an escape is half of a surrogate pair",
        help: #"escape characters above U+FFFF as two \u escapes, or send them as UTF-8"#)
    public static let jsonTooLarge = PayloadCode(
        "U1010", "json.too-large", "the text is 4 GiB or more", help: "send less")
    public static let jsonTopLevelNotObject = PayloadCode(
        "U1011", "json.top-level-not-object", "the outermost value is not an object",
        help: #"send an object, such as {"aps":{…}}"#)
    /// Of any member whose type no code of its own is about.
    public static let memberType = PayloadCode(
        "U1012", "member.type", "a member has the wrong JSON type", help: "send what the message names")
    public static let memberValue = PayloadCode(
        "U1013", "member.value", "a member has a value that it cannot have", help: "send what the message names")
    public static let memberMissing = PayloadCode(
        "U1014", "member.missing", "a member is missing that has to be there", help: "add the member")
    public static let memberEmpty = PayloadCode(
        "U1015", "member.empty", "a member is an empty text", help: "send a text")
    public static let memberUnknown = PayloadCode(
        "U1016", "member.unknown", severity: .warning, "a member is not defined; it is ignored",
        help: "check the spelling; your own values go into userInfo or the payload")
    public static let memberNull = PayloadCode(
        "U1017", "member.null", severity: .warning, "a member is null and counts as absent",
        help: "leave the member out")
}

// MARK: - The aps dictionary

extension PayloadCode {
    public static let apsType = PayloadCode(
        "U1101", "aps.type", "aps is not an object", help: #"make aps an object: {"aps":{"alert":"…"}}"#)
    public static let apsMissing = PayloadCode(
        "U1102", "aps.missing", severity: .either, "there is no aps",
        help: #"add {"aps":{…}} unless this is a Wallet or MDM push"#)
    public static let apsUnknownKey = PayloadCode(
        "U1103", "aps.unknown-key", severity: .warning, "aps has a member Apple does not define; it is ignored",
        help: "put your own keys beside aps")
    public static let apsMisplaced = PayloadCode(
        "U1163", "aps.misplaced", severity: .warning, "a member of aps stands beside it, where it shows nothing",
        help: "move it into aps")
    public static let apsMisspeltTarget = PayloadCode(
        "U1104", "aps.misspelt-target", severity: .warning,
        "a member of aps looks like a misspelt target-content-id; it is ignored",
        help: "write target-content-id")
    public static let apsFlagIsBoolean = PayloadCode(
        "U1105", "aps.flag-is-boolean", severity: .warning, "a flag is true or false where a number is documented",
        help: "send 1 or 0")
    public static let apsNullMember = PayloadCode(
        "U1106", "aps.null-member", severity: .warning, "a member of aps is null and counts as absent",
        help: "leave the member out")
    public static let apsBackgroundWithAlert = PayloadCode(
        "U1107", "aps.background-with-alert", severity: .warning, "a background push has something to show",
        help: "send push type alert, or leave alert, badge and sound out")
    public static let apsEventStartIncomplete = PayloadCode(
        "U1108", "aps.event.start-incomplete", severity: .warning,
        "the start of a Live Activity lacks attributes-type, attributes or alert",
        help: "add the missing members")
    public static let apsAlertType = PayloadCode(
        "U1110", "aps.alert.type", "alert is neither a string nor an object",
        help: "send a string, or an object with title and body")
    public static let apsAlertArgsWithoutKey = PayloadCode(
        "U1124", "aps.alert.args-without-key", severity: .warning, "arguments have no key to be put into",
        help: "add the key, or leave the arguments out")
    public static let apsBadgeType = PayloadCode(
        "U1130", "aps.badge.type", "badge is not a number", help: "send a number without quotes")
    public static let apsBadgeRange = PayloadCode(
        "U1131", "aps.badge.range", "badge is not a whole number from 0",
        help: "send 0 to remove the badge, or a positive whole number")
    public static let apsSoundVolumeRange = PayloadCode(
        "U1137", "aps.sound.volume.range", "volume is outside 0…1", help: "send a number from 0 to 1")
    public static let apsThreadIdType = PayloadCode(
        "U1140", "aps.thread-id.type", "thread-id is not a string", help: "quote it")
    public static let apsContentAvailableType = PayloadCode(
        "U1142", "aps.content-available.type", "content-available is not a number", help: "send 1 without quotes")
    public static let apsRelevanceScoreRange = PayloadCode(
        "U1149", "aps.relevance-score.range", "relevance-score is outside 0…1",
        help: "send a number from 0 to 1; only Live Activities may exceed it")
    public static let apsEventEnum = PayloadCode(
        "U1155", "aps.event.enum", "event is none of start, update and end", help: "send start, update or end")
}

// MARK: - Identifiers

extension PayloadCode {
    public static let targetEmpty = PayloadCode(
        "U1201", "target.empty", "the identifier is empty",
        help: "send the identifier of the content, or leave the member out")
    public static let targetBlank = PayloadCode(
        "U1202", "target.blank", severity: .warning, "the identifier is nothing but white space; it is used as it is",
        help: "send the identifier of the content")
    public static let targetType = PayloadCode(
        "U1203", "target.type", "the identifier is not a string", help: "send a string; quote numbers")
    public static let targetNul = PayloadCode(
        "U1204", "target.nul", "the identifier contains a NUL character",
        help: "leave the NUL out; it would cut the identifier short in argv and in databases")
    public static let targetControlCharacter = PayloadCode(
        "U1205", "target.control-character", severity: .warning, "the identifier contains control characters",
        help: "send an identifier without line breaks and escapes")
    public static let targetBidi = PayloadCode(
        "U1206", "target.bidi", severity: .warning, "the identifier contains characters that reorder text on a screen",
        help: "send an identifier without bidirectional controls")
    public static let targetTooLong = PayloadCode(
        "U1207", "target.too-long", "the identifier is longer than 16 KiB", help: "send a shorter identifier")
    public static let targetMisplaced = PayloadCode(
        "U1208", "target.misplaced", severity: .warning, "the identifier is not inside aps; it is ignored",
        help: "move it into aps")
    public static let targetMisspelt = PayloadCode(
        "U1210", "target.misspelt", severity: .warning,
        "a member looks like a misspelt targetContentIdentifier; it is ignored",
        help: "write targetContentIdentifier")
}

// MARK: - Sizes

extension PayloadCode {
    public static let sizeTooLarge = PayloadCode(
        "U1301", "size.too-large", severity: .either, "the payload is larger than its push type allows",
        help: "send less: 4096 bytes, 5120 for voip")
    public static let sizeLineTooLong = PayloadCode(
        "U1302", "size.line-too-long", "a line is longer than 1 MiB", help: "send shorter lines")
}

// MARK: - Shortcut items

extension PayloadCode {
    public static let shortcutIconAmbiguous = PayloadCode(
        "U1407", "shortcut.icon.ambiguous", severity: .warning,
        "icon has more than one of symbolName, templateImageName and type",
        help: "keep one")
    public static let shortcutUnknownType = PayloadCode(
        "U1412", "shortcut.unknown-type", severity: .either,
        "no app has a shortcut item of that type; nothing completes a payload of it",
        help: "declare the type as [[shortcuts]] in the app's manifest, or register it with usher shortcut add")
    public static let shortcutTargetsDiffer = PayloadCode(
        "U1413", "shortcut.targets-differ", "targetContentIdentifier and target-content-id are not the same",
        help: "keep one of the two members")
}

// MARK: - User activities

extension PayloadCode {
    public static let activityRequiredUserInfoKeysAbsent = PayloadCode(
        "U1510", "activity.required-user-info-keys.absent", severity: .warning, "userInfo lacks a required key",
        help: "add the key to userInfo")
    public static let activityNoSubject = PayloadCode(
        "U1521", "activity.no-subject", severity: .warning,
        "nothing says which content the activity is about; it takes part in nothing",
        help: "add targetContentIdentifier, persistentIdentifier or webpageURL")
    public static let attributesType = PayloadCode(
        "U1526", "attributes.type",
        "a member of contentAttributeSet or mapItem has the wrong JSON type, or one of them is no object",
        help: "send degrees as a number, such as 47.37; names and parts of addresses as strings")
    public static let attributesLatitude = PayloadCode(
        "U1527", "attributes.latitude", "the latitude in contentAttributeSet is beyond 90 degrees",
        help: "send degrees from -90 to 90; check that latitude and longitude are not exchanged")
    public static let attributesLongitude = PayloadCode(
        "U1528", "attributes.longitude", "the longitude in contentAttributeSet is beyond 180 degrees",
        help: "send degrees from -180 to 180")
    public static let attributesCoordinate = PayloadCode(
        "U1529", "attributes.coordinate", "contentAttributeSet has one of latitude and longitude",
        help: "send both, or neither")
    public static let attributesNamedLocation = PayloadCode(
        "U1530", "attributes.named-location", "contentAttributeSet has an address or coordinates, and no namedLocation",
        help: "say in namedLocation what the place is called")
    public static let attributesPhoneNumber = PayloadCode(
        "U1531", "attributes.phone-number",
        "phoneNumbers is no array of telephone numbers: 3 to 20 digits each, with blanks and + ( ) - . / # * , ; ext",
        help: "send strings such as \"+48 22 123 45 67\"")
    public static let attributesPerson = PayloadCode(
        "U1532", "attributes.person", "contentAttributeSet is about a person, and gives no name",
        help: "send displayName, or givenName and familyName")
}

// MARK: - Formats and envelopes

extension PayloadCode {
    public static let formatUnsupported = PayloadCode(
        "U1601", "format.unsupported", "the payload is of a format that is not read yet",
        help: "send apns, simctl, shortcut, activity or an envelope")
    public static let envelopeNoCarrier = PayloadCode(
        "U1602", "envelope.no-carrier", "the envelope carries nothing",
        help: "add payload, shortcutItem, userActivity or url")
    public static let envelopeSeveralCarriers = PayloadCode(
        "U1603", "envelope.several-carriers", "the envelope carries more than one thing",
        help: "send one line for each")
    public static let envelopeNested = PayloadCode(
        "U1604", "envelope.nested", "an envelope is inside an envelope", help: "unpack the inner one")
    public static let envelopeTraceparentSyntax = PayloadCode(
        "U1614", "envelope.traceparent.syntax", severity: .warning,
        "traceparent is not a W3C trace context; it is ignored",
        help: "send 00-<32 hexadecimal digits>-<16>-<2>")
    public static let envelopeHeaderValue = PayloadCode(
        "U1617", "envelope.header.value", severity: .warning, "a header's value is not one that APNs takes",
        help: "see the message for what the header takes")
    public static let simctlMissingBundle = PayloadCode(
        "U1621", "simctl.missing-bundle", severity: .warning, "the file names no Simulator Target Bundle",
        help: #"add "Simulator Target Bundle", or name the app on the command line"#)
}

// MARK: - Info.plist

extension PayloadCode {
    public static let plistShortcutItemDuplicateType = PayloadCode(
        "U1707", "plist.shortcut-item.duplicate-type", severity: .warning, "two shortcut items have the same type",
        help: "give each item a type of its own")
}
