internal import UsherConfiguration
internal import UsherJSON
internal import UsherLog
internal import UsherPayload

/// `usher shortcut import`: an Info.plist's shortcut items as a manifest writes them.
enum ShortcutImportCommand {
    private static let format = Option(
        "format", oneOf: ["toml", "json"], "what to print; toml on a terminal, else json")

    static let description = CommandDescription(
        "shortcut import", "the shortcut items of an Info.plist, to paste into a manifest",
        operands: [.init("FILE|-")], options: [format],
        discussion: [
            "Prints activity-types and [[shortcuts]]; nothing is written. A manifest may also include the file as it is:",
            "info-plist = \"Info.plist\".",
        ],
        examples: [
            .init("usher shortcut import Tests/Fixtures/manifests/plists/Info.plist --format toml", "XML or binary"),
            .init("usher shortcut import - <Tests/Fixtures/manifests/plists/Info.plist", "JSON, where it is piped"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let input = try InputFile(arguments.operands[0])
        let bytes = try input.readAll(limit: PropertyListText.maximumSize)
        guard let text = PropertyListText.json(of: bytes), let tree = try? JSONValue(parsing: Array(text.utf8)) else {
            throw CommandFailure(
                .finding, "\(input.name) is not a property list with a dictionary",
                help: "XML and binary property lists are read: plutil -convert xml1 Info.plist")
        }
        let list = InfoPropertyList(reading: tree)
        for warning in list.warnings {
            context.errors.warning(
                "\(warning.pointer): \(warning.message) [\(warning.name.rawValue)]", help: warning.help)
        }
        for error in list.errors {
            context.errors.report(
                CommandFailure(
                    .finding, "\(error.pointer): \(error.message) [\(error.code) \(error.name.rawValue)]",
                    help: error.help))
        }
        if list.shortcutItems.isEmpty, list.activityTypes.isEmpty, list.errors.isEmpty {
            context.errors.note("\(input.name) has neither UIApplicationShortcutItems nor NSUserActivityTypes")
        }
        if arguments.value(format) ?? (context.writesJSON ? "json" : "toml") == "json" {
            var json = JSONWriter()
            write(list, to: &json)
            json.newline()
            context.output.write(json.bytes)
        } else {
            context.output.write(manifestText(of: list))
        }
        return list.errors.isEmpty ? .handled : .finding
    }

    private static func manifestText(of list: InfoPropertyList) -> String {
        var blocks: [String] = []
        if !list.activityTypes.isEmpty {
            // A key of the app itself: after a [[table]] it would belong to that.
            blocks.append("activity-types = [\(list.activityTypes.map(TOMLText.quoted).joined(separator: ", "))]\n")
        }
        for item in list.shortcutItems {
            var block = "[[shortcuts]]\n"
            for (key, value) in texts(of: item) {
                if let value { block += "\(key) = \(TOMLText.quoted(value))\n" }
            }
            if let bytes = item.userInfo, let value = try? JSONValue(parsing: Array(bytes)) {
                block += "user-info = \(TOMLText.inline(value))\n"
            }
            blocks.append(block)
        }
        return blocks.joined(separator: "\n")
    }

    private static func texts(of item: ShortcutItem) -> [(String, String?)] {
        [
            ("type", item.type), ("title", item.localizedTitle), ("subtitle", item.localizedSubtitle),
            ("icon", item.icon?.name), ("target-content-id", item.targetContentIdentifier),
        ]
    }

    private static func write(_ list: InfoPropertyList, to json: inout JSONWriter) {
        json.beginObject()
        json.member("activityTypes", list.activityTypes)
        json.beginArray("shortcutItems")
        for item in list.shortcutItems {
            json.beginObject()
            json.member("type", item.type)
            json.member("localizedTitle", item.localizedTitle)
            json.member("localizedSubtitle", item.localizedSubtitle)
            json.key("icon")
            if let icon = item.icon {
                json.beginObject()
                json.member(icon.member, icon.name)
                json.endObject()
            } else {
                json.null()
            }
            json.member("targetContentIdentifier", item.targetContentIdentifier)
            json.key("userInfo")
            if let bytes = item.userInfo { json.raw(bytes) } else { json.null() }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension ShortcutItem.Icon {
    fileprivate var name: String {
        switch self {
        case .symbolName(let name), .templateImageName(let name), .type(let name): name
        }
    }

    /// Apple's name for the property.
    fileprivate var member: String {
        switch self {
        case .symbolName: "symbolName"
        case .templateImageName: "templateImageName"
        case .type: "type"
        }
    }
}
