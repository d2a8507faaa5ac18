internal import UsherConfiguration
internal import UsherScene

/// What reading the configuration again changed.
struct ConfigurationDifference {
    /// Files by name. Those that manifests include are not among them.
    var files: [String]
    /// Apps by id.
    var added: [String]
    var removed: [String]
    var changed: [String]
    /// Nothing at all is another than before.
    var isEmpty: Bool

    init(from old: LoadedConfiguration, to new: LoadedConfiguration) {
        let files = new.sources.changes(since: old.sources)
        self.files = files
        let before = Set(old.configuration.manifestApps.map(\.id))
        let after = Set(new.configuration.manifestApps.map(\.id))
        added = after.subtracting(before).sorted()
        removed = before.subtracting(after).sorted()
        changed = new.configuration.manifestApps.filter { before.contains($0.id) && files.contains($0.location.path) }
            .map(\.id).sorted()
        isEmpty = old.configuration.digest == new.configuration.digest
    }
}
