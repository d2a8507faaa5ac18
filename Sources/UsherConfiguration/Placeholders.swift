import UsherPredicate
import UsherScene
import UsherTarget
import UsherText

extension Placeholders {
    /// Those whose value a sender chooses.
    static let fromSender: Set<String> = [
        "target", "resolved", "original-target", "path", "title", "subtitle", "body", "url", "shortcut-type",
        "activity-type", "error",
    ]

    /// Those of them whose value never begins with a `-`: the address of a web page begins with its scheme, a path with a slash.
    static let neverOptions: Set<String> = ["url", "path"]
}

/// The variables that `can` and `prefers` of one scene may use.
struct SessionVariables {
    /// That of the scene's `target`.
    private let template: TargetTemplate?
    /// All templates of the app.
    private let targets: [TargetTemplate]
    /// Where the scene's `target` is itself a mistake, which is said once, every variable will do.
    private let mayUseAny: Bool

    init(template: TargetTemplate?, targets: [TargetTemplate], isTemplateUnknown: Bool) {
        self.template = template
        self.targets = targets
        mayUseAny = isTemplateUnknown && template == nil
    }

    func known(in text: String) -> Set<String> {
        var names: Set<String> = ["TARGET"]
        if let template { names.formUnion(SessionVariables.names(of: template)) }
        if mayUseAny { names.formUnion(ScenePredicateTemplate.variableNames(in: text)) }
        return names
    }

    /// An unknown variable is led to the template that has it, which the scene does not name.
    func leadingToTemplate(_ error: PredicateError) -> PredicateError {
        guard error.code == "predicate.unknown-variable", let found = error.found else { return error }
        let owners = targets.filter { SessionVariables.names(of: $0).contains { found == "$" + $0 } }
        guard !owners.isEmpty else { return error }
        let lines = owners.map { "target = \(TOMLText.quoted($0.name))" }.joined(separator: " or ")
        var error = error
        error.hint =
            template.map { "this scene's template is \(TOMLText.quoted($0.name)); \(found) needs \(lines)" }
            ?? "\(found) is known where the scene names its template: add \(lines) to this scene"
        return error
    }

    private static func names(of target: TargetTemplate) -> [String] {
        target.template.variableNames.map(URITemplate.variableKey)
    }
}

/// An identifier such as a backend may build.
enum TemplateSample {
    /// The expansion with `x` for every variable.
    static func identifier(of template: URITemplate) -> String {
        let values = template.variableNames.map { ($0, TemplateValue.string("x")) }
        // Without lists nothing can go wrong but the length; then the text shows what is meant as well.
        return (try? template.expand(Dictionary(values) { first, _ in first })) ?? template.text
    }
}
