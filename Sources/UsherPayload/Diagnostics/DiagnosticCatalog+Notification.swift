extension DiagnosticCatalog {
    /// The aps dictionary (U11xx).
    static let notification: [DiagnosticEntry] = [
        DiagnosticEntry(
            .apsType, "U1101", .error, "aps is not an object",
            remedy: #"make aps an object: {"aps":{"alert":"…"}}"#),
        DiagnosticEntry(
            .apsMissing, "U1102", .either, "there is no aps",
            remedy: #"add {"aps":{…}} unless this is a Wallet or MDM push"#),
        DiagnosticEntry(
            .apsUnknownKey, "U1103", .warning, "aps has a member Apple does not define; it is ignored",
            remedy: "put your own keys beside aps"),
        DiagnosticEntry(
            .apsMisspeltTarget, "U1104", .warning,
            "a member of aps looks like a misspelt target-content-id; it is ignored",
            remedy: "write target-content-id"),
        DiagnosticEntry(
            .apsFlagIsBoolean, "U1105", .warning, "a flag is true or false where a number is documented",
            remedy: "send 1 or 0"),
        DiagnosticEntry(
            .apsNullMember, "U1106", .warning, "a member of aps is null and counts as absent",
            remedy: "leave the member out"),
        DiagnosticEntry(
            .apsBackgroundWithAlert, "U1107", .warning, "a background push has something to show",
            remedy: "send push type alert, or leave alert, badge and sound out"),
        DiagnosticEntry(
            .apsEventStartIncomplete, "U1108", .warning,
            "the start of a Live Activity lacks attributes-type, attributes or alert",
            remedy: "add the missing members"),
        DiagnosticEntry(
            .apsAlertType, "U1110", .error, "alert is neither a string nor an object",
            remedy: "send a string, or an object with title and body"),
        DiagnosticEntry(
            .apsAlertTitleType, "U1111", .error, "title is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .apsAlertSubtitleType, "U1112", .error, "subtitle is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .apsAlertBodyType, "U1113", .error, "body is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .apsAlertLaunchImageType, "U1114", .error, "launch-image is not a string",
            remedy: "send the image's file name"),
        DiagnosticEntry(
            .apsAlertTitleLocKeyType, "U1115", .error, "title-loc-key is not a string",
            remedy: "send a key of the app's string table"),
        DiagnosticEntry(
            .apsAlertTitleLocArgsType, "U1116", .error, "title-loc-args is not an array of strings",
            remedy: "send an array of strings"),
        DiagnosticEntry(
            .apsAlertSubtitleLocKeyType, "U1117", .error, "subtitle-loc-key is not a string",
            remedy: "send a key of the app's string table"),
        DiagnosticEntry(
            .apsAlertSubtitleLocArgsType, "U1118", .error, "subtitle-loc-args is not an array of strings",
            remedy: "send an array of strings"),
        DiagnosticEntry(
            .apsAlertLocKeyType, "U1119", .error, "loc-key is not a string",
            remedy: "send a key of the app's string table"),
        DiagnosticEntry(
            .apsAlertLocArgsType, "U1120", .error, "loc-args is not an array of strings",
            remedy: "send an array of strings"),
        DiagnosticEntry(
            .apsAlertActionType, "U1121", .error, "action is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .apsAlertActionLocKeyType, "U1122", .error, "action-loc-key is not a string",
            remedy: "send a key of the app's string table"),
        DiagnosticEntry(
            .apsAlertSoundType, "U1123", .error,
            "the sound of a Live Activity's alert is neither a string nor an object",
            remedy: "send the sound's file name"),
        DiagnosticEntry(
            .apsAlertArgsWithoutKey, "U1124", .warning, "arguments have no key to be put into",
            remedy: "add the key, or leave the arguments out"),
        DiagnosticEntry(
            .apsAlertUnknownKey, "U1125", .warning, "alert has a member Apple does not define; it is ignored",
            remedy: "put your own keys beside aps"),
        DiagnosticEntry(
            .apsBadgeType, "U1130", .error, "badge is not a number",
            remedy: "send a number without quotes"),
        DiagnosticEntry(
            .apsBadgeRange, "U1131", .error, "badge is not a whole number from 0",
            remedy: "send 0 to remove the badge, or a positive whole number"),
        DiagnosticEntry(
            .apsSoundType, "U1132", .error, "sound is neither a string nor an object",
            remedy: #"send "default" or a file name"#),
        DiagnosticEntry(
            .apsSoundNameType, "U1133", .error, "the sound's name is not a string",
            remedy: #"send "default" or a file name"#),
        DiagnosticEntry(
            .apsSoundCriticalType, "U1134", .error, "critical is not a number",
            remedy: "send 1 or 0"),
        DiagnosticEntry(
            .apsSoundCriticalRange, "U1135", .error, "critical is neither 0 nor 1",
            remedy: "send 1 or 0"),
        DiagnosticEntry(
            .apsSoundVolumeType, "U1136", .error, "volume is not a number",
            remedy: "send a number from 0 to 1"),
        DiagnosticEntry(
            .apsSoundVolumeRange, "U1137", .error, "volume is outside 0…1",
            remedy: "send a number from 0 to 1"),
        DiagnosticEntry(
            .apsSoundUnknownKey, "U1138", .warning, "sound has a member Apple does not define; it is ignored",
            remedy: "use critical, name and volume"),
        DiagnosticEntry(
            .apsThreadIdType, "U1140", .error, "thread-id is not a string",
            remedy: "quote it"),
        DiagnosticEntry(
            .apsCategoryType, "U1141", .error, "category is not a string",
            remedy: "send the identifier of a registered category"),
        DiagnosticEntry(
            .apsContentAvailableType, "U1142", .error, "content-available is not a number",
            remedy: "send 1 without quotes"),
        DiagnosticEntry(
            .apsContentAvailableRange, "U1143", .error, "content-available is neither 0 nor 1",
            remedy: "send 1, or leave it out"),
        DiagnosticEntry(
            .apsMutableContentType, "U1144", .error, "mutable-content is not a number",
            remedy: "send 1 without quotes"),
        DiagnosticEntry(
            .apsMutableContentRange, "U1145", .error, "mutable-content is neither 0 nor 1",
            remedy: "send 1, or leave it out"),
        DiagnosticEntry(
            .apsInterruptionLevelType, "U1146", .error, "interruption-level is not a string",
            remedy: "send passive, active, time-sensitive or critical"),
        DiagnosticEntry(
            .apsInterruptionLevelEnum, "U1147", .error, "interruption-level is none of the four levels",
            remedy: "send passive, active, time-sensitive or critical"),
        DiagnosticEntry(
            .apsRelevanceScoreType, "U1148", .error, "relevance-score is not a number",
            remedy: "send a number from 0 to 1"),
        DiagnosticEntry(
            .apsRelevanceScoreRange, "U1149", .error, "relevance-score is outside 0…1",
            remedy: "send a number from 0 to 1; only Live Activities may exceed it"),
        DiagnosticEntry(
            .apsFilterCriteriaType, "U1150", .error, "filter-criteria is not a string",
            remedy: "send a string"),
        DiagnosticEntry(
            .apsStaleDateType, "U1151", .error, "stale-date is not a number",
            remedy: "send seconds since 1970"),
        DiagnosticEntry(
            .apsContentStateType, "U1152", .error, "content-state is not an object",
            remedy: "send the activity's state as an object"),
        DiagnosticEntry(
            .apsTimestampType, "U1153", .error, "timestamp is not a number",
            remedy: "send seconds since 1970"),
        DiagnosticEntry(
            .apsEventType, "U1154", .error, "event is not a string",
            remedy: "send start, update or end"),
        DiagnosticEntry(
            .apsEventEnum, "U1155", .error, "event is none of start, update and end",
            remedy: "send start, update or end"),
        DiagnosticEntry(
            .apsDismissalDateType, "U1156", .error, "dismissal-date is not a number",
            remedy: "send seconds since 1970"),
        DiagnosticEntry(
            .apsAttributesTypeType, "U1157", .error, "attributes-type is not a string",
            remedy: "send the name of the attributes' type"),
        DiagnosticEntry(
            .apsAttributesType, "U1158", .error, "attributes is not an object",
            remedy: "send the activity's attributes as an object"),
        DiagnosticEntry(
            .apsInputPushTokenType, "U1159", .error, "input-push-token is not a number",
            remedy: "send 1"),
        DiagnosticEntry(
            .apsInputPushTokenRange, "U1160", .error, "input-push-token is neither 0 nor 1",
            remedy: "send 1, or leave it out"),
        DiagnosticEntry(
            .apsInputPushChannelType, "U1161", .error, "input-push-channel is not a string",
            remedy: "send the channel's identifier"),
        DiagnosticEntry(
            .apsURLArgsType, "U1162", .error, "url-args is not an array of strings",
            remedy: "send an array of strings"),
    ]
}
