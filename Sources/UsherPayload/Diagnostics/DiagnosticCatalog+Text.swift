extension DiagnosticCatalog {
    /// The text itself (U10xx), identifiers (U12xx) and sizes (U13xx).
    static let text: [DiagnosticEntry] = [
        DiagnosticEntry(
            .jsonEmpty, "U1001", .error, "there is nothing but white space",
            remedy: "send one JSON object"),
        DiagnosticEntry(
            .jsonBOM, "U1002", .error, "the text begins with a byte order mark",
            remedy: "save the text as UTF-8 without a byte order mark"),
        DiagnosticEntry(
            .jsonInvalidUTF8, "U1003", .error, "the text is not UTF-8",
            remedy: "send UTF-8; UTF-16 and Latin-1 are not read"),
        DiagnosticEntry(
            .jsonSyntax, "U1004", .error, "the text is not JSON (RFC 8259)",
            remedy: "correct the text at the offset given; comments, trailing commas and single quotes are not JSON"),
        DiagnosticEntry(
            .jsonTrailingData, "U1005", .error, "something follows the end of the value",
            remedy: "send one value; several payloads go one a line"),
        DiagnosticEntry(
            .jsonDuplicateKey, "U1006", .error, "one object has the same member twice",
            remedy: "keep one of the two members; readers disagree about which one counts"),
        DiagnosticEntry(
            .jsonDepth, "U1007", .error, "values are nested deeper than 512 levels",
            remedy: "flatten the payload"),
        DiagnosticEntry(
            .jsonNumberRange, "U1008", .error, "a number is beyond the range of a double",
            remedy: "send the number as a string"),
        DiagnosticEntry(
            .jsonLoneSurrogate, "U1009", .error, "an escape is half of a surrogate pair",
            remedy: #"escape characters above U+FFFF as two \u escapes, or send them as UTF-8"#),
        DiagnosticEntry(
            .jsonTooLarge, "U1010", .error, "the text is 4 GiB or more",
            remedy: "send less"),
        DiagnosticEntry(
            .jsonTopLevelNotObject, "U1011", .error, "the outermost value is not an object",
            remedy: #"send an object, such as {"aps":{…}}"#),
        DiagnosticEntry(
            .targetEmpty, "U1201", .error, "the identifier is empty",
            remedy: "send the identifier of the content, or leave the member out"),
        DiagnosticEntry(
            .targetBlank, "U1202", .warning, "the identifier is nothing but white space; it is used as it is",
            remedy: "send the identifier of the content"),
        DiagnosticEntry(
            .targetType, "U1203", .error, "the identifier is not a string",
            remedy: "send a string; quote numbers"),
        DiagnosticEntry(
            .targetNul, "U1204", .error, "the identifier contains a NUL character",
            remedy: "leave the NUL out; it would cut the identifier short in argv and in databases"),
        DiagnosticEntry(
            .targetControlCharacter, "U1205", .warning, "the identifier contains control characters",
            remedy: "send an identifier without line breaks and escapes"),
        DiagnosticEntry(
            .targetBidi, "U1206", .warning, "the identifier contains characters that reorder text on a screen",
            remedy: "send an identifier without bidirectional controls"),
        DiagnosticEntry(
            .targetTooLong, "U1207", .error, "the identifier is longer than 16 KiB",
            remedy: "send a shorter identifier"),
        DiagnosticEntry(
            .targetMisplaced, "U1208", .warning, "the identifier is not inside aps; it is ignored",
            remedy: "move it into aps"),
        DiagnosticEntry(
            .targetNull, "U1209", .warning, "the identifier is null and counts as absent",
            remedy: "leave the member out"),
        DiagnosticEntry(
            .sizeTooLarge, "U1301", .either, "the payload is larger than its push type allows",
            remedy: "send less: 4096 bytes, 5120 for voip"),
        DiagnosticEntry(
            .sizeLineTooLong, "U1302", .error, "a line is longer than 1 MiB",
            remedy: "send shorter lines"),
    ]
}
