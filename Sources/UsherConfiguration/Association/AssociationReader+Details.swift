import UsherJSON
import UsherScene

extension AssociationReader {
    /// `applinks`.
    mutating func readLinks(_ links: JSONElement) {
        check(links, "`applinks`", knows: ["details", "defaults", "substitutionVariables", "apps"])
        if let apps = document.value("apps", in: links), expect(.array, apps, "`apps`"),
            document.firstElement(apps) != nil
        {
            report(
                .warning, .associationLegacy, at: document.textRange(apps),
                "`apps` of `applinks` has no meaning, and must be empty where it is there",
                help: "write the apps into `appIDs` of `details`, and drop `apps`")
        }
        readVariables(of: links)
        let form = defaults(of: links, LinkForm())
        guard let details = document.value("details", in: links) else {
            return report(
                .error, .associationMissing, at: firstByte(of: links), "`applinks` has no `details`",
                help: #""details": [ { "appIDs": ["ABCDE12345.example.clowntown"], "components": [ … ] } ]"#)
        }
        if document.kind(details) == .object {
            // As iOS 8 had it.
            report(
                .warning, .associationLegacy, at: firstByte(of: details), "`details` by app id is a form of iOS 8",
                help: #"write an array: "details": [ { "appIDs": […], "components": […] } ]"#)
            for member in document.members(details) where expect(.object, member.value, "an entry of `details`") {
                let id = document.string(member.key) ?? ""
                readEntry(member.value, form, appIDs: checkAppID(id, at: member.key) ? [id] : [])
            }
            return
        }
        guard expect(.array, details, "`details`") else { return }
        for entry in document.elements(details) where expect(.object, entry, "an entry of `details`") {
            readEntry(entry, form, appIDs: nil)
        }
    }

    private func firstByte(of element: JSONElement) -> Range<Int> {
        let offset = document.offset(element)
        return offset..<(offset + 1)
    }

    /// `defaults`: what components don't say themselves.
    private mutating func defaults(of object: JSONElement, _ outer: LinkForm) -> LinkForm {
        guard let defaults = document.value("defaults", in: object), expect(.object, defaults, "`defaults`") else {
            return outer
        }
        check(defaults, "`defaults`", knows: ["caseSensitive", "percentEncoded"])
        return form(of: defaults, outer)
    }

    mutating func form(of object: JSONElement, _ outer: LinkForm) -> LinkForm {
        LinkForm(
            caseSensitive: boolean("caseSensitive", of: object) ?? outer.isCaseSensitive,
            percentEncoded: boolean("percentEncoded", of: object) ?? outer.isPercentEncoded)
    }

    /// One element of `details`: some apps, and what they open.
    private mutating func readEntry(_ entry: JSONElement, _ outer: LinkForm, appIDs given: [String]?) {
        check(entry, "an entry of `details`", knows: ["appIDs", "appID", "components", "paths", "defaults"])
        let appIDs = given ?? readAppIDs(of: entry)
        let form = defaults(of: entry, outer)
        let components = document.value("components", in: entry)
        let paths = document.value("paths", in: entry)
        var rules: [LinkRule] = []
        if let components, expect(.array, components, "`components`") { rules = readComponents(components, form) }
        if let paths, expect(.array, paths, "`paths`") {
            let legacy = readPaths(paths)
            // Where both are there, `paths` is for systems before iOS 13.
            if components == nil { rules = legacy }
        }
        if components == nil, paths == nil {
            report(
                .warning, .associationMissing, at: firstByte(of: entry),
                "the entry has no `components`: its apps open nothing",
                help: #"to open everything: "components": [ { "/": "*" } ]"#)
        }
        entries.append(Entry(appIDs: appIDs, rules: rules))
    }

    private mutating func readAppIDs(of entry: JSONElement) -> [String] {
        var ids: [String] = []
        let one = document.value("appID", in: entry)
        let several = document.value("appIDs", in: entry)
        if let one, expect(.string, one, "`appID`"), let id = document.string(one), checkAppID(id, at: one) {
            ids.append(id)
        }
        if let several, expect(.array, several, "`appIDs`") {
            for (id, element) in strings(several, "`appIDs`") where checkAppID(id, at: element) { ids.append(id) }
            if document.firstElement(several) == nil, one == nil {
                report(
                    .error, .associationMissing, at: document.textRange(several), "`appIDs` names no app",
                    help: #""appIDs": ["ABCDE12345.example.clowntown"]"#)
            }
        }
        if one == nil, several == nil {
            report(
                .error, .associationMissing, at: firstByte(of: entry), "the entry has no `appIDs`",
                help: #""appIDs": ["ABCDE12345.example.clowntown"]"#)
        }
        return ids
    }

    /// `ABCDE12345.example.clowntown`: the team's prefix, a dot, the app's id.
    private mutating func checkAppID(_ id: String, at element: JSONElement) -> Bool {
        let prefix = id.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard !prefix.isEmpty, prefix.count + 1 < id.utf8.count else {
            report(
                .error, .associationAppID, at: document.textRange(element),
                "\(TOMLText.quoted(id)) is not an app id: a prefix, a dot, the id of the app",
                help:
                    "write \(TOMLText.quoted("ABCDE12345.\(id.isEmpty ? "example.clowntown" : id)")), with your prefix")
            return false
        }
        let isPrefix = prefix.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        if prefix.count != 10 || !isPrefix {
            report(
                .warning, .associationAppID, at: document.textRange(element),
                "\(TOMLText.quoted(id)) does not begin with a prefix of 10 capitals and digits",
                help: "the prefix is the team's: \"ABCDE12345.example.clowntown\"")
        }
        return true
    }
}
