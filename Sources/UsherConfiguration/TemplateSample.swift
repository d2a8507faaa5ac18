import UsherTarget

/// An identifier such as a backend may build.
enum TemplateSample {
    /// The expansion with `x` for every variable.
    static func identifier(of template: URITemplate) -> String {
        let values = template.variableNames.map { ($0, TemplateValue.string("x")) }
        // Without lists nothing can go wrong but the length; then the text shows what is meant as well.
        return (try? template.expand(Dictionary(values) { first, _ in first })) ?? template.text
    }
}
