public import UsherScene

// Dynamic shortcut items: see `Schema`.

extension Store {
    /// Those of all apps, by app, each app's in its order.
    public func dynamicShortcuts() throws(StoreError) -> [DynamicShortcut] {
        try read { (state) throws(StoreError) in try state.dynamicShortcuts() }
    }

    /// Replaces those of an app by what `change` makes of them; a failure changes nothing.
    package func changeShortcuts<Failure: Error>(
        of app: String,
        _ change: @escaping @Sendable ([ShortcutDefinition]) -> Result<[ShortcutDefinition], Failure>
    ) throws(StoreError) -> Result<[ShortcutDefinition], Failure> {
        try write { (state) throws(StoreError) in
            let changed = change(try state.shortcuts(of: app).map(\.item))
            if case .success(let items) = changed { try state.replaceShortcuts(of: app, by: items) }
            return changed
        }
    }
}

extension StoreState {
    /// Those of all apps, by app, each app's in its order.
    package mutating func dynamicShortcuts() throws(StoreError) -> [DynamicShortcut] { try shortcuts(of: nil) }

    fileprivate mutating func shortcuts(of app: String?) throws(StoreError) -> [DynamicShortcut] {
        try rows(
            """
            SELECT app, type, title, subtitle, icon_kind, icon, target, user_info FROM shortcut
            WHERE ?1 IS NULL OR app = ?1 ORDER BY app, place
            """, [SQLiteValue(app)]
        ) { (row) throws(StoreError) in
            var item = ShortcutDefinition(type: row.text(1), title: row.text(2), location: nil)
            item.subtitle = row.optionalText(3)
            item.icon = ShortcutIcon(member: row.text(4), row.text(5))
            item.target = row.optionalText(6).map(TargetContentIdentifier.init)
            item.userInfo = row.optionalText(7)
            return DynamicShortcut(app: row.text(0), item)
        }
    }

    fileprivate mutating func replaceShortcuts(
        of app: String, by items: [ShortcutDefinition]
    ) throws(StoreError) {
        try run("DELETE FROM shortcut WHERE app = ?", .text(app))
        for (place, item) in items.enumerated() {
            try run(
                "INSERT INTO shortcut VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", .text(app), .integer(Int64(place)),
                .text(item.type), .text(item.title), SQLiteValue(item.subtitle), SQLiteValue(item.icon?.member),
                SQLiteValue(item.icon?.name), SQLiteValue(item.target?.text), SQLiteValue(item.userInfo))
        }
        try run("UPDATE store SET shortcuts = shortcuts + 1")
    }
}
