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
        help: "correct the text at the offset given; comments, trailing commas and single quotes are not JSON")
    public static let jsonTrailingData = PayloadCode(
        "U1005", "json.trailing-data", "something follows the end of the value",
        help: "send one value; several payloads go one a line")
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
    public static let apsAlertTitleType = PayloadCode(
        "U1111", "aps.alert.title.type", "title is not a string", help: "send a string")
    public static let apsAlertSubtitleType = PayloadCode(
        "U1112", "aps.alert.subtitle.type", "subtitle is not a string", help: "send a string")
    public static let apsAlertBodyType = PayloadCode(
        "U1113", "aps.alert.body.type", "body is not a string", help: "send a string")
    public static let apsAlertLaunchImageType = PayloadCode(
        "U1114", "aps.alert.launch-image.type", "launch-image is not a string", help: "send the image's file name")
    public static let apsAlertTitleLocKeyType = PayloadCode(
        "U1115", "aps.alert.title-loc-key.type", "title-loc-key is not a string",
        help: "send a key of the app's string table")
    public static let apsAlertTitleLocArgsType = PayloadCode(
        "U1116", "aps.alert.title-loc-args.type", "title-loc-args is not an array of strings",
        help: "send an array of strings")
    public static let apsAlertSubtitleLocKeyType = PayloadCode(
        "U1117", "aps.alert.subtitle-loc-key.type", "subtitle-loc-key is not a string",
        help: "send a key of the app's string table")
    public static let apsAlertSubtitleLocArgsType = PayloadCode(
        "U1118", "aps.alert.subtitle-loc-args.type", "subtitle-loc-args is not an array of strings",
        help: "send an array of strings")
    public static let apsAlertLocKeyType = PayloadCode(
        "U1119", "aps.alert.loc-key.type", "loc-key is not a string", help: "send a key of the app's string table")
    public static let apsAlertLocArgsType = PayloadCode(
        "U1120", "aps.alert.loc-args.type", "loc-args is not an array of strings", help: "send an array of strings")
    public static let apsAlertActionType = PayloadCode(
        "U1121", "aps.alert.action.type", "action is not a string", help: "send a string")
    public static let apsAlertActionLocKeyType = PayloadCode(
        "U1122", "aps.alert.action-loc-key.type", "action-loc-key is not a string",
        help: "send a key of the app's string table")
    public static let apsAlertSoundType = PayloadCode(
        "U1123", "aps.alert.sound.type", "the sound of a Live Activity's alert is neither a string nor an object",
        help: "send the sound's file name")
    public static let apsAlertArgsWithoutKey = PayloadCode(
        "U1124", "aps.alert.args-without-key", severity: .warning, "arguments have no key to be put into",
        help: "add the key, or leave the arguments out")
    public static let apsAlertUnknownKey = PayloadCode(
        "U1125", "aps.alert.unknown-key", severity: .warning, "alert has a member Apple does not define; it is ignored",
        help: "put your own keys beside aps")
    public static let apsBadgeType = PayloadCode(
        "U1130", "aps.badge.type", "badge is not a number", help: "send a number without quotes")
    public static let apsBadgeRange = PayloadCode(
        "U1131", "aps.badge.range", "badge is not a whole number from 0",
        help: "send 0 to remove the badge, or a positive whole number")
    public static let apsSoundType = PayloadCode(
        "U1132", "aps.sound.type", "sound is neither a string nor an object", help: #"send "default" or a file name"#)
    public static let apsSoundNameType = PayloadCode(
        "U1133", "aps.sound.name.type", "the sound's name is not a string", help: #"send "default" or a file name"#)
    public static let apsSoundCriticalType = PayloadCode(
        "U1134", "aps.sound.critical.type", "critical is not a number", help: "send 1 or 0")
    public static let apsSoundCriticalRange = PayloadCode(
        "U1135", "aps.sound.critical.range", "critical is neither 0 nor 1", help: "send 1 or 0")
    public static let apsSoundVolumeType = PayloadCode(
        "U1136", "aps.sound.volume.type", "volume is not a number", help: "send a number from 0 to 1")
    public static let apsSoundVolumeRange = PayloadCode(
        "U1137", "aps.sound.volume.range", "volume is outside 0…1", help: "send a number from 0 to 1")
    public static let apsSoundUnknownKey = PayloadCode(
        "U1138", "aps.sound.unknown-key", severity: .warning, "sound has a member Apple does not define; it is ignored",
        help: "use critical, name and volume")
    public static let apsThreadIdType = PayloadCode(
        "U1140", "aps.thread-id.type", "thread-id is not a string", help: "quote it")
    public static let apsCategoryType = PayloadCode(
        "U1141", "aps.category.type", "category is not a string", help: "send the identifier of a registered category")
    public static let apsContentAvailableType = PayloadCode(
        "U1142", "aps.content-available.type", "content-available is not a number", help: "send 1 without quotes")
    public static let apsContentAvailableRange = PayloadCode(
        "U1143", "aps.content-available.range", "content-available is neither 0 nor 1", help: "send 1, or leave it out")
    public static let apsMutableContentType = PayloadCode(
        "U1144", "aps.mutable-content.type", "mutable-content is not a number", help: "send 1 without quotes")
    public static let apsMutableContentRange = PayloadCode(
        "U1145", "aps.mutable-content.range", "mutable-content is neither 0 nor 1", help: "send 1, or leave it out")
    public static let apsInterruptionLevelType = PayloadCode(
        "U1146", "aps.interruption-level.type", "interruption-level is not a string",
        help: "send passive, active, time-sensitive or critical")
    public static let apsInterruptionLevelEnum = PayloadCode(
        "U1147", "aps.interruption-level.enum", "interruption-level is none of the four levels",
        help: "send passive, active, time-sensitive or critical")
    public static let apsRelevanceScoreType = PayloadCode(
        "U1148", "aps.relevance-score.type", "relevance-score is not a number", help: "send a number from 0 to 1")
    public static let apsRelevanceScoreRange = PayloadCode(
        "U1149", "aps.relevance-score.range", "relevance-score is outside 0…1",
        help: "send a number from 0 to 1; only Live Activities may exceed it")
    public static let apsFilterCriteriaType = PayloadCode(
        "U1150", "aps.filter-criteria.type", "filter-criteria is not a string", help: "send a string")
    public static let apsStaleDateType = PayloadCode(
        "U1151", "aps.stale-date.type", "stale-date is not a number", help: "send seconds since 1970")
    public static let apsContentStateType = PayloadCode(
        "U1152", "aps.content-state.type", "content-state is not an object",
        help: "send the activity's state as an object")
    public static let apsTimestampType = PayloadCode(
        "U1153", "aps.timestamp.type", "timestamp is not a number", help: "send seconds since 1970")
    public static let apsEventType = PayloadCode(
        "U1154", "aps.event.type", "event is not a string", help: "send start, update or end")
    public static let apsEventEnum = PayloadCode(
        "U1155", "aps.event.enum", "event is none of start, update and end", help: "send start, update or end")
    public static let apsDismissalDateType = PayloadCode(
        "U1156", "aps.dismissal-date.type", "dismissal-date is not a number", help: "send seconds since 1970")
    public static let apsAttributesTypeType = PayloadCode(
        "U1157", "aps.attributes-type.type", "attributes-type is not a string",
        help: "send the name of the attributes' type")
    public static let apsAttributesType = PayloadCode(
        "U1158", "aps.attributes.type", "attributes is not an object",
        help: "send the activity's attributes as an object")
    public static let apsInputPushTokenType = PayloadCode(
        "U1159", "aps.input-push-token.type", "input-push-token is not a number", help: "send 1")
    public static let apsInputPushTokenRange = PayloadCode(
        "U1160", "aps.input-push-token.range", "input-push-token is neither 0 nor 1", help: "send 1, or leave it out")
    public static let apsInputPushChannelType = PayloadCode(
        "U1161", "aps.input-push-channel.type", "input-push-channel is not a string",
        help: "send the channel's identifier")
    public static let apsURLArgsType = PayloadCode(
        "U1162", "aps.url-args.type", "url-args is not an array of strings", help: "send an array of strings")
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
    public static let targetNull = PayloadCode(
        "U1209", "target.null", severity: .warning, "the identifier is null and counts as absent",
        help: "leave the member out")
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
    public static let shortcutTypeMissing = PayloadCode(
        "U1401", "shortcut.type.missing", "the shortcut item has no type",
        help: #"add "type", the one declared for the app"#)
    public static let shortcutTypeType = PayloadCode(
        "U1402", "shortcut.type.type", "the shortcut item's type is not a string", help: "send a string")
    public static let shortcutTypeEmpty = PayloadCode(
        "U1403", "shortcut.type.empty", "the shortcut item's type is empty", help: "send the type declared for the app")
    public static let shortcutLocalizedTitleType = PayloadCode(
        "U1404", "shortcut.localized-title.type", "localizedTitle is not a string", help: "send a string")
    public static let shortcutLocalizedSubtitleType = PayloadCode(
        "U1405", "shortcut.localized-subtitle.type", "localizedSubtitle is not a string", help: "send a string")
    public static let shortcutIconType = PayloadCode(
        "U1406", "shortcut.icon.type", "icon is not an object with a string in it",
        help: #"send {"symbolName":"…"}, {"templateImageName":"…"} or {"type":"…"}"#)
    public static let shortcutIconAmbiguous = PayloadCode(
        "U1407", "shortcut.icon.ambiguous", severity: .warning,
        "icon has more than one of symbolName, templateImageName and type",
        help: "keep one")
    public static let shortcutUserInfoType = PayloadCode(
        "U1408", "shortcut.user-info.type", "userInfo is not an object", help: "send an object")
    public static let shortcutUnknownKey = PayloadCode(
        "U1409", "shortcut.unknown-key", severity: .warning,
        "the shortcut item has a member that is not defined; it is ignored",
        help: "put your own values into userInfo")
    public static let shortcutNullMember = PayloadCode(
        "U1410", "shortcut.null-member", severity: .warning,
        "a member of the shortcut item is null and counts as absent",
        help: "leave the member out")
    public static let shortcutMisspeltTarget = PayloadCode(
        "U1411", "shortcut.misspelt-target", severity: .warning,
        "a member looks like a misspelt targetContentIdentifier; it is ignored",
        help: "write targetContentIdentifier")
    public static let shortcutUnknownType = PayloadCode(
        "U1412", "shortcut.unknown-type", severity: .warning,
        "no app declares the shortcut item's type; nothing completes it",
        help: "declare the type as [[shortcuts]] in the app's manifest")
}

// MARK: - User activities

extension PayloadCode {
    public static let activityActivityTypeMissing = PayloadCode(
        "U1501", "activity.activity-type.missing", "the user activity has no activityType",
        help: #"add "activityType", one of the app's NSUserActivityTypes"#)
    public static let activityActivityTypeType = PayloadCode(
        "U1502", "activity.activity-type.type", "activityType is not a string", help: "send a string")
    public static let activityActivityTypeEmpty = PayloadCode(
        "U1503", "activity.activity-type.empty", "activityType is empty",
        help: "send one of the app's NSUserActivityTypes")
    public static let activityTitleType = PayloadCode(
        "U1504", "activity.title.type", "title is not a string", help: "send a string")
    public static let activityPersistentIdentifierType = PayloadCode(
        "U1505", "activity.persistent-identifier.type", "persistentIdentifier is not a string",
        help: "send a string; quote numbers")
    public static let activityWebpageURLType = PayloadCode(
        "U1506", "activity.webpage-url.type", "webpageURL is not a string", help: "send a string")
    public static let activityWebpageURLScheme = PayloadCode(
        "U1507", "activity.webpage-url.scheme", "webpageURL is not an http or https URL",
        help: "send an http or https URL")
    public static let activityUserInfoType = PayloadCode(
        "U1508", "activity.user-info.type", "userInfo is not an object", help: "send an object")
    public static let activityRequiredUserInfoKeysType = PayloadCode(
        "U1509", "activity.required-user-info-keys.type", "requiredUserInfoKeys is not an array of strings",
        help: "send an array of strings")
    public static let activityRequiredUserInfoKeysAbsent = PayloadCode(
        "U1510", "activity.required-user-info-keys.absent", severity: .warning, "userInfo lacks a required key",
        help: "add the key to userInfo")
    public static let activityKeywordsType = PayloadCode(
        "U1511", "activity.keywords.type", "keywords is not an array of strings", help: "send an array of strings")
    public static let activityExpirationDateType = PayloadCode(
        "U1513", "activity.expiration-date.type", "expirationDate is neither a number nor a string",
        help: "send seconds since 1970, or a date and time such as 2026-11-21T09:00:00Z")
    public static let activityExpirationDateSyntax = PayloadCode(
        "U1514", "activity.expiration-date.syntax", "expirationDate is not a date and time (RFC 3339)",
        help: "send a date and time such as 2026-11-21T09:00:00Z")
    public static let activityNeedsSaveType = PayloadCode(
        "U1515", "activity.needs-save.type", "needsSave is not a boolean", help: "send true or false")
    public static let activityIsEligibleForHandoffType = PayloadCode(
        "U1516", "activity.is-eligible-for-handoff.type", "isEligibleForHandoff is not a boolean",
        help: "send true or false")
    public static let activityIsEligibleForSearchType = PayloadCode(
        "U1517", "activity.is-eligible-for-search.type", "isEligibleForSearch is not a boolean",
        help: "send true or false")
    public static let activityIsEligibleForPublicIndexingType = PayloadCode(
        "U1518", "activity.is-eligible-for-public-indexing.type", "isEligibleForPublicIndexing is not a boolean",
        help: "send true or false")
    public static let activityIsEligibleForPredictionType = PayloadCode(
        "U1519", "activity.is-eligible-for-prediction.type", "isEligibleForPrediction is not a boolean",
        help: "send true or false")
    public static let activityVersionType = PayloadCode(
        "U1520", "activity.version.type", "version is neither a string nor a number", help: "send a string")
    public static let activityNoSubject = PayloadCode(
        "U1521", "activity.no-subject", severity: .warning,
        "nothing says which content the activity is about; it takes part in nothing",
        help: "add targetContentIdentifier, persistentIdentifier or webpageURL")
    public static let activityUnknownKey = PayloadCode(
        "U1522", "activity.unknown-key", severity: .warning,
        "the user activity has a member that is not defined; it is ignored",
        help: "put your own values into userInfo")
    public static let activityNullMember = PayloadCode(
        "U1523", "activity.null-member", severity: .warning,
        "a member of the user activity is null and counts as absent",
        help: "leave the member out")
    public static let activityMisspeltTarget = PayloadCode(
        "U1524", "activity.misspelt-target", severity: .warning,
        "a member looks like a misspelt targetContentIdentifier; it is ignored",
        help: "write targetContentIdentifier")
    public static let activitySchemaVersionType = PayloadCode(
        "U1525", "activity.schema-version.type", "schemaVersion is not a whole number",
        help: "send a whole number from 0")
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
    public static let envelopePayloadType = PayloadCode(
        "U1605", "envelope.payload.type", "payload is not an object",
        help: "send the payload as an object, not as text")
    public static let envelopeShortcutItemType = PayloadCode(
        "U1606", "envelope.shortcut-item.type", "shortcutItem is not an object",
        help: #"send {"shortcutItem":{"type":"…"}}"#)
    public static let envelopeUserActivityType = PayloadCode(
        "U1607", "envelope.user-activity.type", "userActivity is not an object",
        help: #"send {"userActivity":{"activityType":"…"}}"#)
    public static let envelopeURLType = PayloadCode(
        "U1608", "envelope.url.type", "url is not a string", help: "send a string")
    public static let envelopeHeadersType = PayloadCode(
        "U1609", "envelope.headers.type", "headers is not an object", help: #"send {"headers":{"apns-topic":"…"}}"#)
    public static let envelopeHeaderType = PayloadCode(
        "U1610", "envelope.header.type", "a header's value is not a string", help: "quote it")
    public static let envelopeAppType = PayloadCode(
        "U1611", "envelope.app.type", "app is not a string", help: "send the app's id")
    public static let envelopeSessionType = PayloadCode(
        "U1612", "envelope.session.type", "session is not a string", help: "send the session's id")
    public static let envelopeTraceparentType = PayloadCode(
        "U1613", "envelope.traceparent.type", "traceparent is not a string", help: "send a string")
    public static let envelopeTraceparentSyntax = PayloadCode(
        "U1614", "envelope.traceparent.syntax", severity: .warning,
        "traceparent is not a W3C trace context; it is ignored",
        help: "send 00-<32 hexadecimal digits>-<16>-<2>")
    public static let envelopeUnknownKey = PayloadCode(
        "U1615", "envelope.unknown-key", severity: .warning,
        "the envelope has a member that is not defined; it is ignored",
        help: "put your own values into the payload")
    public static let envelopeUnknownHeader = PayloadCode(
        "U1616", "envelope.unknown-header", severity: .warning, "the header is not one of APNs; it is ignored",
        help: "use apns-topic, apns-id, apns-push-type, apns-priority, apns-expiration, apns-collapse-id")
    public static let envelopeHeaderValue = PayloadCode(
        "U1617", "envelope.header.value", severity: .warning, "a header's value is not one that APNs takes",
        help: "see the message for what the header takes")
    public static let envelopeNullMember = PayloadCode(
        "U1618", "envelope.null-member", severity: .warning, "a member of the envelope is null and counts as absent",
        help: "leave the member out")
    public static let simctlMissingBundle = PayloadCode(
        "U1621", "simctl.missing-bundle", severity: .warning, "the file names no Simulator Target Bundle",
        help: #"add "Simulator Target Bundle", or name the app on the command line"#)
    public static let simctlBundleType = PayloadCode(
        "U1622", "simctl.bundle.type", "Simulator Target Bundle is not a string",
        help: "send the app's bundle identifier")
    public static let simctlBundleEmpty = PayloadCode(
        "U1623", "simctl.bundle.empty", "Simulator Target Bundle is empty", help: "send the app's bundle identifier")
}

// MARK: - Info.plist

extension PayloadCode {
    public static let plistType = PayloadCode(
        "U1701", "plist.type", "the property list's outermost value is not a dictionary",
        help: "give the app's Info.plist")
    public static let plistShortcutItemsType = PayloadCode(
        "U1702", "plist.shortcut-items.type", "UIApplicationShortcutItems is not an array of dictionaries",
        help: "make it an array of dictionaries")
    public static let plistShortcutItemTypeMissing = PayloadCode(
        "U1703", "plist.shortcut-item.type.missing", "a shortcut item has no UIApplicationShortcutItemType",
        help: "add UIApplicationShortcutItemType")
    public static let plistShortcutItemTitleMissing = PayloadCode(
        "U1704", "plist.shortcut-item.title.missing", "a shortcut item has no UIApplicationShortcutItemTitle",
        help: "add UIApplicationShortcutItemTitle")
    public static let plistShortcutItemValueType = PayloadCode(
        "U1705", "plist.shortcut-item.value.type", "a value of a shortcut item has the wrong type",
        help: "make it a string; UIApplicationShortcutItemUserInfo is a dictionary")
    public static let plistShortcutItemUnknownKey = PayloadCode(
        "U1706", "plist.shortcut-item.unknown-key", severity: .warning,
        "a shortcut item has a key that is not defined; it is ignored",
        help: "check the spelling")
    public static let plistShortcutItemDuplicateType = PayloadCode(
        "U1707", "plist.shortcut-item.duplicate-type", severity: .warning, "two shortcut items have the same type",
        help: "give each item a type of its own")
    public static let plistActivityTypesType = PayloadCode(
        "U1708", "plist.activity-types.type", "NSUserActivityTypes is not an array of strings",
        help: "make it an array of strings")
    public static let plistActivityTypesEmpty = PayloadCode(
        "U1709", "plist.activity-types.empty", "NSUserActivityTypes has an empty string in it", help: "remove it")
}
