import UsherScene
import UsherTarget

// MARK: - Content

extension ManifestReader {
    /// `content` of a scene: a table, or a list of tables.
    mutating func content(of scene: CheckedTable) -> [SceneContent] {
        guard let member = scene.members["content"] else { return [] }
        if let members = reader.members("content", of: scene) {
            return [content(members, at: member.keyRegion)].compactMap(\.self)
        }
        var earlier: Set<[String: [String]]> = []
        return reader.tables("content", of: scene).compactMap { table in
            let texts = Dictionary(table.value.map { ($0.key, $0.value.texts) }) { first, _ in first }
            if !earlier.insert(texts).inserted {
                reader.warn(
                    .shadowed, at: table.region, "this table is never reached: an earlier one of the scene is the same",
                    help: "remove it")
            }
            return content(table.value, at: table.region)
        }
    }

    private mutating func content(_ members: [TOMLMember], at region: SourceRegion) -> SceneContent? {
        let table = reader.check(members, ManifestSchema.content, region: region)
        let source = contentSource(of: table)
        let result = contentResult(of: table, source?.variables)
        let base = contentBase(of: table)
        guard let source, let result else { return nil }
        return SceneContent(source: source.source, result: result, base: base, location: location(region.begin))
    }

    /// - Returns: nil after a mistake; `variables` are those that every reading has, each list from one template.
    private mutating func contentSource(
        of table: CheckedTable
    ) -> (source: SceneContent.Source, variables: [[String]])? {
        let present = ["title", "process", "tmux"].filter(table.written.contains)
        guard present.count == 1 else {
            if present.isEmpty, !table.hasUnknownKeys {
                reader.report(
                    .missingKey, at: table.region,
                    "`content` needs `title`, `process` or `tmux`: where the target stands",
                    help: "write it so: content = { title = \"{file} - Viewer\", path = \"{file}\" }")
            } else if present.count > 1 {
                reader.report(
                    .invalidValue, at: table.members[present[1]]?.keyRegion ?? table.region,
                    "`content` cannot have both `\(present[0])` and `\(present[1])`",
                    help: "write a list of tables: the first that gives a target counts")
            }
            return nil
        }
        switch present[0] {
        case "title":
            guard let titles = contentTitles(of: table) else { return nil }
            return (.title(titles), titles.map(\.variableNames))
        case "process":
            return reader.choice("process", of: table, as: SceneContent.Fact.self).map { (.process($0), [["file"]]) }
        default:
            let fact = reader.choice(
                "tmux", of: table, as: SceneContent.Fact.self, among: [.arguments, .workingFolder])
            return fact.map { (.tmux($0), [["file"]]) }
        }
    }

    private mutating func contentTitles(of table: CheckedTable) -> [TextTemplate]? {
        guard let member = table.members["title"] else { return nil }
        var texts = reader.strings("title", of: table) ?? []
        if case .string(let text) = member.value.content {
            texts = [Spanned(value: text, region: member.value.region)]
        }
        var templates: [TextTemplate] = []
        for text in texts {
            guard !text.value.isEmpty else {
                reader.report(.invalidValue, at: text.region, "a template of `title` must not be empty")
                continue
            }
            if let template = textTemplate(text) { templates.append(template) }
        }
        if texts.isEmpty { reader.report(.invalidValue, at: member.value.region, "`title` must not be empty") }
        return templates.isEmpty || templates.count < texts.count ? nil : templates
    }

    private mutating func textTemplate(_ text: Spanned<String>) -> TextTemplate? {
        do {
            return try TextTemplate(text.value)
        } catch {
            return reader.refuse(
                .template(error.code),
                at: reader.region(ofBytes: error.offset, count: 1, inStringAt: text.region), error.message)
        }
    }

    /// - Parameter variables: what the source gives; nil where that is not known.
    private mutating func contentResult(of table: CheckedTable, _ variables: [[String]]?) -> SceneContent.Result? {
        let isTarget = table.written.contains("target")
        guard isTarget != table.written.contains("path") else {
            if isTarget {
                reader.report(
                    .contentTarget, at: table.members["path"]?.keyRegion ?? table.region,
                    "`content` cannot have both `target` and `path`", help: "keep one of them")
            } else if !table.hasUnknownKeys {
                reader.report(
                    .contentTarget, at: table.region, "`content` needs `target` or `path`",
                    help: "path = \"{file}\" makes a file: URL of a path; target = TEMPLATE any identifier")
            }
            return nil
        }
        let key = isTarget ? "target" : "path"
        guard let text = reader.string(key, of: table) else { return nil }
        let names: [String]
        let result: SceneContent.Result
        if isTarget {
            do {
                let template = try URITemplate(text.value)
                (names, result) = (template.variableNames, .target(template))
            } catch {
                reader.report(error, inStringAt: text.region)
                return nil
            }
        } else {
            guard let template = textTemplate(text) else { return nil }
            (names, result) = (template.variableNames, .path(template))
        }
        guard let variables else { return result }
        for name in names {
            guard let lacking = variables.first(where: { !$0.contains(name) }) else { continue }
            let known = lacking.map { "{\($0)}" }.joined(separator: ", ")
            return reader.refuse(
                .contentVariable, at: text.region, "there is no variable `{\(name)}` to fill `\(key)` with",
                help: known.isEmpty ? "add it to the title" : "there is \(known)")
        }
        return result
    }

    private mutating func contentBase(of table: CheckedTable) -> SceneContent.Base? {
        guard let base = reader.string("relative-to", of: table) else { return nil }
        if table.written.contains("target"), !table.written.contains("path") {
            reader.warn(.noEffect, at: base.region, "`relative-to` is for paths: it has no effect on `target`")
        }
        if base.value == "cwd" { return .workingFolder }
        guard base.value.utf8.first == UInt8(ascii: "/") else {
            return reader.refuse(
                .invalidValue, at: base.region, "`relative-to` cannot be \(TOMLText.quoted(base.value))",
                help: "it can be \"cwd\", the working folder of the process, or an absolute path")
        }
        return .folder(base.value)
    }
}

extension TOMLValue {
    /// A string, or the strings of a list.
    fileprivate var texts: [String] {
        switch content {
        case .string(let text): [text]
        case .array(let elements):
            elements.compactMap { element -> String? in
                guard case .string(let text) = element.content else { return nil }
                return text
            }
        case .integer, .boolean, .float, .date, .table: []
        }
    }
}
