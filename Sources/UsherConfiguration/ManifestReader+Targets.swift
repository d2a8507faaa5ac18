import UsherScene
import UsherTarget

extension ManifestReader {
    /// `[targets]`: a template a key.
    mutating func readTargets(of table: CheckedTable, into app: inout App) {
        for member in reader.members("targets", of: table) ?? [] {
            guard case .string(let text) = member.value.content else {
                reader.report(
                    .wrongType, at: member.value.region, "a template is a string, found \(member.value.kind)",
                    help: "write it so: \(member.key) = \"https://clowntown.example/clowns/{clown}\"")
                continue
            }
            do {
                let template = try URITemplate(text)
                checkVariables(of: template, at: member.value.region)
                app.targets.append(
                    TargetTemplate(
                        name: member.key, template: template, location: location(member.value.region.begin)))
                places.targets.append(member.value.region)
            } catch {
                reader.report(
                    .template(error.code.rawValue),
                    at: reader.region(ofBytes: error.offset, count: 1, inStringAt: member.value.region),
                    error.message, help: error.hint)
            }
        }
    }

    /// In conditions a variable is known by its key, so keys must differ from each other and from `$TARGET`.
    private mutating func checkVariables(of template: URITemplate, at region: SourceRegion) {
        var names = ["TARGET": "target"]
        var isOwn: Set<String> = []
        for name in template.variableNames {
            let key = URITemplate.variableKey(name)
            if let other = names[key] {
                let message =
                    isOwn.contains(key)
                    ? "`\(other)` and `\(name)` would both be $\(key) in conditions"
                    : "`\(name)` would be $TARGET in conditions, which is the whole identifier"
                reader.report(.duplicateVariable, at: region, message, help: "rename one of the variables")
            } else {
                names[key] = name
                isOwn.insert(key)
            }
        }
    }
}
