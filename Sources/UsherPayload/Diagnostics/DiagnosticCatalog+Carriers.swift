extension DiagnosticCatalog {
    /// Shortcut items (U14xx), user activities (U15xx), envelopes (U16xx) and Info.plist (U17xx).
    static let carriers: [DiagnosticEntry] = [
        DiagnosticEntry(
            .shortcutTypeMissing, "U1401", .error, "the shortcut item has no type",
            remedy: #"add "type", the one declared for the app"#),
        DiagnosticEntry(
            .shortcutTypeType, "U1402", .error, "the shortcut item's type is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .shortcutTypeEmpty, "U1403", .error, "the shortcut item's type is empty",
            remedy: "send the type declared for the app"),
        DiagnosticEntry(
            .shortcutLocalizedTitleType, "U1404", .error, "localizedTitle is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .shortcutLocalizedSubtitleType, "U1405", .error, "localizedSubtitle is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .shortcutIconType, "U1406", .error, "icon is not an object with a string in it",
            remedy: #"send {"symbolName":"…"}, {"templateImageName":"…"} or {"type":"…"}"#),
        DiagnosticEntry(
            .shortcutIconAmbiguous, "U1407", .warning,
            "icon has more than one of symbolName, templateImageName and type",
            remedy: "keep one"),
        DiagnosticEntry(
            .shortcutUserInfoType, "U1408", .error, "userInfo is not an object",
            remedy: "send an object"),
        DiagnosticEntry(
            .shortcutUnknownKey, "U1409", .warning, "the shortcut item has a member that is not defined; it is ignored",
            remedy: "put your own values into userInfo"),
        DiagnosticEntry(
            .shortcutNullMember, "U1410", .warning, "a member of the shortcut item is null and counts as absent",
            remedy: "leave the member out"),
        DiagnosticEntry(
            .shortcutMisspeltTarget, "U1411", .warning,
            "a member looks like a misspelt targetContentIdentifier; it is ignored",
            remedy: "write targetContentIdentifier"),
        DiagnosticEntry(
            .shortcutUnknownType, "U1412", .warning, "no app declares the shortcut item's type; nothing completes it",
            remedy: "declare the type as [[shortcuts]] in the app's manifest"),
        DiagnosticEntry(
            .activityActivityTypeMissing, "U1501", .error, "the user activity has no activityType",
            remedy: #"add "activityType", one of the app's NSUserActivityTypes"#),
        DiagnosticEntry(
            .activityActivityTypeType, "U1502", .error, "activityType is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .activityActivityTypeEmpty, "U1503", .error, "activityType is empty",
            remedy: "send one of the app's NSUserActivityTypes"),
        DiagnosticEntry(
            .activityTitleType, "U1504", .error, "title is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .activityPersistentIdentifierType, "U1505", .error, "persistentIdentifier is not a string",
            remedy: "send a string; quote numbers"),
        DiagnosticEntry(
            .activityWebpageURLType, "U1506", .error, "webpageURL is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .activityWebpageURLScheme, "U1507", .error, "webpageURL is not an http or https URL",
            remedy: "send an http or https URL"),
        DiagnosticEntry(
            .activityUserInfoType, "U1508", .error, "userInfo is not an object",
            remedy: "send an object"),
        DiagnosticEntry(
            .activityRequiredUserInfoKeysType, "U1509", .error, "requiredUserInfoKeys is not an array of strings",
            remedy: "send an array of strings"),
        DiagnosticEntry(
            .activityRequiredUserInfoKeysAbsent, "U1510", .warning, "userInfo lacks a required key",
            remedy: "add the key to userInfo"),
        DiagnosticEntry(
            .activityKeywordsType, "U1511", .error, "keywords is not an array of strings",
            remedy: "send an array of strings"),
        DiagnosticEntry(
            .activityExpirationDateType, "U1513", .error, "expirationDate is neither a number nor a string",
            remedy: "send seconds since 1970, or a date and time such as 2026-11-21T09:00:00Z"),
        DiagnosticEntry(
            .activityExpirationDateSyntax, "U1514", .error, "expirationDate is not a date and time (RFC 3339)",
            remedy: "send a date and time such as 2026-11-21T09:00:00Z"),
        DiagnosticEntry(
            .activityNeedsSaveType, "U1515", .error, "needsSave is not a boolean",
            remedy: "send true or false"),
        DiagnosticEntry(
            .activityIsEligibleForHandoffType, "U1516", .error, "isEligibleForHandoff is not a boolean",
            remedy: "send true or false"),
        DiagnosticEntry(
            .activityIsEligibleForSearchType, "U1517", .error, "isEligibleForSearch is not a boolean",
            remedy: "send true or false"),
        DiagnosticEntry(
            .activityIsEligibleForPublicIndexingType, "U1518", .error, "isEligibleForPublicIndexing is not a boolean",
            remedy: "send true or false"),
        DiagnosticEntry(
            .activityIsEligibleForPredictionType, "U1519", .error, "isEligibleForPrediction is not a boolean",
            remedy: "send true or false"),
        DiagnosticEntry(
            .activityVersionType, "U1520", .error, "version is neither a string nor a number",
            remedy: "send a string"),
        DiagnosticEntry(
            .activityNoSubject, "U1521", .warning,
            "nothing says which content the activity is about; it takes part in nothing",
            remedy: "add targetContentIdentifier, persistentIdentifier or webpageURL"),
        DiagnosticEntry(
            .activityUnknownKey, "U1522", .warning, "the user activity has a member that is not defined; it is ignored",
            remedy: "put your own values into userInfo"),
        DiagnosticEntry(
            .activityNullMember, "U1523", .warning, "a member of the user activity is null and counts as absent",
            remedy: "leave the member out"),
        DiagnosticEntry(
            .activityMisspeltTarget, "U1524", .warning,
            "a member looks like a misspelt targetContentIdentifier; it is ignored",
            remedy: "write targetContentIdentifier"),
        DiagnosticEntry(
            .activitySchemaVersionType, "U1525", .error, "schemaVersion is not a whole number",
            remedy: "send a whole number from 0"),
        DiagnosticEntry(
            .attributesType, "U1526", .error,
            "a member of contentAttributeSet or mapItem has the wrong JSON type, or one of them is no object",
            remedy: "send degrees as a number, such as 47.37; names and parts of addresses as strings"),
        DiagnosticEntry(
            .attributesLatitude, "U1527", .error, "the latitude in contentAttributeSet is beyond 90 degrees",
            remedy: "send degrees from -90 to 90; check that latitude and longitude are not exchanged"),
        DiagnosticEntry(
            .attributesLongitude, "U1528", .error, "the longitude in contentAttributeSet is beyond 180 degrees",
            remedy: "send degrees from -180 to 180"),
        DiagnosticEntry(
            .attributesCoordinate, "U1529", .error, "contentAttributeSet has one of latitude and longitude",
            remedy: "send both, or neither"),
        DiagnosticEntry(
            .attributesNamedLocation, "U1530", .error,
            "contentAttributeSet has an address or coordinates, and no namedLocation",
            remedy: "say in namedLocation what the place is called"),
        DiagnosticEntry(
            .attributesPhoneNumber, "U1531", .error,
            "phoneNumbers is no array of telephone numbers: 3 to 20 digits each, with blanks and + ( ) - . / # * , ; ext",
            remedy: "send strings such as \"+48 22 123 45 67\""),
        DiagnosticEntry(
            .attributesPerson, "U1532", .error, "contentAttributeSet is about a person, and gives no name",
            remedy: "send displayName, or givenName and familyName"),
        DiagnosticEntry(
            .formatUnsupported, "U1601", .error, "the payload is of a format that is not read yet",
            remedy: "send apns, simctl, shortcut, activity or an envelope"),
        DiagnosticEntry(
            .envelopeNoCarrier, "U1602", .error, "the envelope carries nothing",
            remedy: "add payload, shortcutItem, userActivity or url"),
        DiagnosticEntry(
            .envelopeSeveralCarriers, "U1603", .error, "the envelope carries more than one thing",
            remedy: "send one line for each"),
        DiagnosticEntry(
            .envelopeNested, "U1604", .error, "an envelope is inside an envelope",
            remedy: "unpack the inner one"),
        DiagnosticEntry(
            .envelopePayloadType, "U1605", .error, "payload is not an object",
            remedy: "send the payload as an object, not as text"),
        DiagnosticEntry(
            .envelopeShortcutItemType, "U1606", .error, "shortcutItem is not an object",
            remedy: #"send {"shortcutItem":{"type":"…"}}"#),
        DiagnosticEntry(
            .envelopeUserActivityType, "U1607", .error, "userActivity is not an object",
            remedy: #"send {"userActivity":{"activityType":"…"}}"#),
        DiagnosticEntry(
            .envelopeURLType, "U1608", .error, "url is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .envelopeHeadersType, "U1609", .error, "headers is not an object",
            remedy: #"send {"headers":{"apns-topic":"…"}}"#),
        DiagnosticEntry(
            .envelopeHeaderType, "U1610", .error, "a header's value is not a string",
            remedy: "quote it"),
        DiagnosticEntry(
            .envelopeAppType, "U1611", .error, "app is not a string",
            remedy: "send the app's id"),
        DiagnosticEntry(
            .envelopeSessionType, "U1612", .error, "session is not a string",
            remedy: "send the session's id"),
        DiagnosticEntry(
            .envelopeTraceparentType, "U1613", .error, "traceparent is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .envelopeTraceparentSyntax, "U1614", .warning, "traceparent is not a W3C trace context; it is ignored",
            remedy: "send 00-<32 hexadecimal digits>-<16>-<2>"),
        DiagnosticEntry(
            .envelopeUnknownKey, "U1615", .warning, "the envelope has a member that is not defined; it is ignored",
            remedy: "put your own values into the payload"),
        DiagnosticEntry(
            .envelopeUnknownHeader, "U1616", .warning, "the header is not one of APNs; it is ignored",
            remedy: "use apns-topic, apns-id, apns-push-type, apns-priority, apns-expiration, apns-collapse-id"),
        DiagnosticEntry(
            .envelopeHeaderValue, "U1617", .warning, "a header's value is not one that APNs takes",
            remedy: "see the message for what the header takes"),
        DiagnosticEntry(
            .envelopeNullMember, "U1618", .warning, "a member of the envelope is null and counts as absent",
            remedy: "leave the member out"),
        DiagnosticEntry(
            .simctlMissingBundle, "U1621", .warning, "the file names no Simulator Target Bundle",
            remedy: #"add "Simulator Target Bundle", or name the app on the command line"#),
        DiagnosticEntry(
            .simctlBundleType, "U1622", .error, "Simulator Target Bundle is not a string",
            remedy: "send the app's bundle identifier"),
        DiagnosticEntry(
            .simctlBundleEmpty, "U1623", .error, "Simulator Target Bundle is empty",
            remedy: "send the app's bundle identifier"),
        DiagnosticEntry(
            .plistType, "U1701", .error, "the property list's outermost value is not a dictionary",
            remedy: "give the app's Info.plist"),
        DiagnosticEntry(
            .plistShortcutItemsType, "U1702", .error, "UIApplicationShortcutItems is not an array of dictionaries",
            remedy: "make it an array of dictionaries"),
        DiagnosticEntry(
            .plistShortcutItemTypeMissing, "U1703", .error, "a shortcut item has no UIApplicationShortcutItemType",
            remedy: "add UIApplicationShortcutItemType"),
        DiagnosticEntry(
            .plistShortcutItemTitleMissing, "U1704", .error, "a shortcut item has no UIApplicationShortcutItemTitle",
            remedy: "add UIApplicationShortcutItemTitle"),
        DiagnosticEntry(
            .plistShortcutItemValueType, "U1705", .error, "a value of a shortcut item has the wrong type",
            remedy: "make it a string; UIApplicationShortcutItemUserInfo is a dictionary"),
        DiagnosticEntry(
            .plistShortcutItemUnknownKey, "U1706", .warning,
            "a shortcut item has a key that is not defined; it is ignored",
            remedy: "check the spelling"),
        DiagnosticEntry(
            .plistShortcutItemDuplicateType, "U1707", .warning, "two shortcut items have the same type",
            remedy: "give each item a type of its own"),
        DiagnosticEntry(
            .plistActivityTypesType, "U1708", .error, "NSUserActivityTypes is not an array of strings",
            remedy: "make it an array of strings"),
        DiagnosticEntry(
            .plistActivityTypesEmpty, "U1709", .error, "NSUserActivityTypes has an empty string in it",
            remedy: "remove it"),
    ]
}
