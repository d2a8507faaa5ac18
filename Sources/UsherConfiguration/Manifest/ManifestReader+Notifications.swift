import UsherScene
internal import UsherSystem
internal import UsherText

/// How an app's notifications are delivered and look: `deliver` and `[notifications]`.
extension ManifestReader {
    mutating func readNotifications(of table: CheckedTable, into app: inout App) {
        var settings = NotificationSettings()
        if let deliver = deliveryRule(of: table) { settings.deliver = deliver }
        settings.rate = rate(of: table, settings.deliver)
        settings.quiet = reader.quietRule(of: table)
        if let own = reader.table("notifications", of: table, ManifestSchema.notifications) {
            readLooks(of: own, into: &settings)
            settings.need.whenSeen = reader.choice("when-seen", of: own, as: NoticeRule.WhenSeen.self)
            settings.need.withdraw = reader.choice("withdraw", of: own, as: NoticeRule.Withdrawal.self)
            settings.need.replace = reader.choice("replace", of: own, as: NoticeRule.Replacement.self)
            readCategories(of: own, into: &settings)
            if !settings.quiet.acts.values.contains(.notify),
                !DeliveryRule.Level.allCases.contains(where: { settings.deliver.delivery(of: $0) == .notify })
            {
                reader.warn(
                    .noEffect, at: own.region,
                    "`notifications` has no effect: this app's notifications are never shown",
                    help: "say deliver = \"notify\", and they are shown first")
            }
        }
        app.notifications = settings
    }

    /// `deliver = "notify"`, or a table by interruption level.
    private mutating func deliveryRule(of table: CheckedTable) -> DeliveryRule? {
        guard let own = reader.table("deliver", of: table, ManifestSchema.delivery) else {
            return reader.choice("deliver", of: table, as: DeliveryRule.Delivery.self).map { DeliveryRule($0) }
        }
        var rule = DeliveryRule(reader.choice("default", of: own, as: DeliveryRule.Delivery.self) ?? .tapped)
        for level in DeliveryRule.Level.allCases {
            guard let delivery = reader.choice(level.rawValue, of: own, as: DeliveryRule.Delivery.self) else {
                continue
            }
            if level == .passive, delivery == .tapped, let place = own.members[level.rawValue] {
                reader.report(
                    .invalidValue, at: place.value.region,
                    "a passive notification does not interrupt the user: its window cannot come forward by itself",
                    help: "say passive = \"notify\" or passive = \"none\"")
                rule.levels[level] = .notify
                continue
            }
            rule.levels[level] = delivery
        }
        return rule
    }

    /// `rate = { limit = 5, per = "1m" }`.
    private mutating func rate(of table: CheckedTable, _ deliver: DeliveryRule) -> InterruptionRate? {
        guard let own = reader.table("rate", of: table, ManifestSchema.rate) else { return nil }
        let limit = reader.integer("limit", of: own, in: 1...10_000)
        let time = reader.duration("per", of: own)
        if DeliveryRule.Level.allCases.allSatisfy({ deliver.delivery(of: $0) == .none }) {
            reader.warn(
                .noEffect, at: own.region, "`rate` has no effect: this app's pushes never interrupt",
                help: "`deliver` says \"none\" for all of them")
        }
        guard let limit, let time else { return nil }
        return InterruptionRate(limit: limit.value, milliseconds: time)
    }

    private mutating func readLooks(of table: CheckedTable, into settings: inout NotificationSettings) {
        if let icon = reader.string("icon", of: table) {
            // A name has no slash (Icon Naming Specification).
            settings.icon =
                icon.value.utf8.contains(UInt8(ascii: "/")) ? FilePath.resolve(icon.value, from: folder) : icon.value
        }
        settings.image = reader.string("image", of: table).map { FilePath.resolve($0.value, from: folder) }
        if let entry = reader.string("desktop-entry", of: table) {
            if entry.value.utf8.contains(UInt8(ascii: "/")) {
                reader.report(
                    .invalidValue, at: entry.region, "a desktop entry is named by its id, not by its path",
                    help: "as in desktop-entry = \"org.gnome.TextEditor\"")
            } else {
                let isWhole = entry.value.hasSuffix(".desktop") && entry.value != ".desktop"
                settings.desktopEntry = isWhole ? String(entry.value.dropLast(8)) : entry.value
            }
        }
        settings.isSilent = reader.boolean("silent", of: table)?.value ?? false
        if let sound = reader.string("sound", of: table) {
            settings.sound = sound.value
            if settings.isSilent {
                reader.report(
                    .noEffect, at: sound.region, "`sound` has no effect: the notifications are silent",
                    help: "keep one of `sound` and `silent`")
            }
        }
        if let member = table.members["expires"], case .string("never") = member.value.content {
            settings.expires = 0
        } else if let expires = reader.duration("expires", of: table) {
            settings.expires = Int32(clamping: expires)
        }
    }

    private mutating func readCategories(of table: CheckedTable, into settings: inout NotificationSettings) {
        var first = NameMap<SourceLocation>()
        for element in reader.tables("categories", of: table) {
            let own = reader.check(element.value, ManifestSchema.notificationCategory, region: element.region)
            let id = reader.string("id", of: own)
            var category = NotificationCategory(id: id?.value ?? "", location: location(element.region.begin))
            category.desktopCategory = reader.string("desktop-category", of: own)?.value
            category.actions = actions(of: own)
            guard let id,
                isFirst(
                    id, in: &first, .duplicateValue, "there are two categories with the id",
                    help: "a payload names one by `category`: give one of them another id")
            else { continue }
            settings.categories.append(category)
        }
    }

    private mutating func actions(of category: CheckedTable) -> [NotificationAction] {
        var first = NameMap<SourceLocation>()
        var actions: [NotificationAction] = []
        for element in reader.tables("actions", of: category) {
            let own = reader.check(element.value, ManifestSchema.notificationAction, region: element.region)
            let id = reader.string("id", of: own)
            let title = reader.string("title", of: own)
            var action = NotificationAction(
                id: id?.value ?? "", title: title?.value ?? "", location: location(element.region.begin))
            action.target = target("target-content-id", of: own)
            action.background = laneHandler("background", of: own)
            if let member = own.members["background"], own.written.contains("target-content-id") {
                reader.report(
                    .commandChoice, at: member.keyRegion,
                    "an action cannot have both `target-content-id` and `background`",
                    help: "with `background` no window comes forward; keep one of them")
            }
            if let answer = reader.boolean("answer", of: own) {
                action.isAnswer = answer.value
                if answer.value, own.written.contains("background") {
                    reader.report(
                        .commandChoice, at: answer.region, "an action cannot have both `answer` and `background`",
                        help: "an answer goes to the sender that waits for it; keep one of them")
                }
            }
            guard let id, title != nil else { continue }
            if id.value == NotificationAction.click {
                reader.report(
                    .invalidValue, at: id.region, "`default` is the click on the notification itself",
                    help: "give the action another id; the click needs none: it goes to the payload's window")
                continue
            }
            guard
                isFirst(
                    id, in: &first, .duplicateValue, "there are two actions with the id",
                    help: "give one of them another id")
            else { continue }
            actions.append(action)
        }
        return actions
    }
}
