import UsherScene
internal import UsherSystem
import UsherTarget
internal import UsherText

extension ManifestReader {
    /// `suggestions`, `directions-modes`, `artwork` and `[perform]`.
    mutating func readSuggestions(of table: CheckedTable, into app: inout App) {
        app.suggestions.kinds = reader.values("suggestions", of: table) { SuggestionKind(rawValue: $0) }
        app.suggestions.directionsModes = reader.values(
            "directions-modes", of: table, otherNames: DirectionsMode.appleNames.map(\.name)
        ) { DirectionsMode(named: $0) }
        app.suggestions.artwork = reader.string("artwork", of: table).map { FilePath.resolve($0.value, from: folder) }
        guard let own = reader.table("perform", of: table, ManifestSchema.perform) else { return }
        for verb in PerformVerb.allCases {
            guard let text = reader.string(verb.rawValue, of: own) else { continue }
            do {
                let template = try URITemplate(hyphenatedNames: text.value)
                let unknown = template.variableNames.filter { !AppSuggestions.variables.contains($0) }
                for name in unknown { report(variable: name, in: text, of: verb) }
                if unknown.isEmpty {
                    app.suggestions.perform[verb] = Located(template, at: location(text.region.begin))
                }
            } catch {
                reader.report(error, inStringAt: text.region)
            }
        }
    }

    private mutating func report(variable name: String, in text: Spanned<String>, of verb: PerformVerb) {
        reader.report(
            .invalidValue, at: text.region, "the template `\(verb.rawValue)` has no variable {\(name)}",
            help: Spelling.help(name, among: AppSuggestions.variables, shown: { "{\($0)}" }) {
                "there is " + AppSuggestions.variables.map { "{\($0)}" }.joined(separator: ", ")
            })
    }
}

extension TableReader {
    /// The elements of a list of names of an enumeration, each once.
    ///
    /// - Parameter otherNames: what `value` takes besides the raw values.
    mutating func values<Value: RawRepresentable & CaseIterable & Hashable & Sendable>(
        _ key: String, of table: CheckedTable, otherNames: [String] = [], _ value: (String) -> Value?
    ) -> [Value] where Value.RawValue == String {
        var values: [Value] = []
        var texts: Set<String> = []
        for text in strings(key, of: table) ?? [] {
            guard let value = value(text.value) else {
                let names = Value.allCases.map(\.rawValue)
                report(
                    .invalidValue, at: text.region, "`\(key)` cannot have \(TOMLText.quoted(text.value))",
                    help: Spelling.help(text.value, among: names + otherNames) {
                        "it can have " + names.map(TOMLText.quoted).joined(separator: ", ")
                    })
                continue
            }
            if !texts.insert(text.value).inserted {
                report(.duplicateValue, at: text.region, "\(TOMLText.quoted(text.value)) is in `\(key)` twice")
            } else if !values.contains(value) {
                values.append(value)
            }
        }
        return values
    }
}
