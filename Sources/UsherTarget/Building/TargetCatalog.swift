internal import UsherText

/// The identifiers that a service builds: URI templates by name.
///
///     let catalog = try TargetCatalog(["clown": "https://clowntown.example/clowns/{clown}"])
///     try catalog.build("clown", ["clown": "crusty"])  // https://clowntown.example/clowns/crusty
///     catalog.matches("https://clowntown.example/clowns/crusty").first?.name  // clown
///
/// Where ``URITemplate/expand(_:)`` follows RFC 6570 and leaves out what is undefined, a catalog is strict: an identifier
/// with a hole in it names nothing.
public struct TargetCatalog: Sendable {
    /// A template and what it is called.
    public struct Entry: Sendable, Hashable {
        public var name: String
        public var template: URITemplate

        public init(name: String, template: URITemplate) {
            self.name = name
            self.template = template
        }
    }

    /// A template that an identifier fits, with what its variables stand for.
    public struct Reading: Sendable, Hashable {
        public var name: String
        public var template: URITemplate
        public var match: TemplateMatch

        /// Whether it says more: more literal text, or, where that is the same, variables that are not ambiguous.
        public func isBetter(than other: Reading) -> Bool {
            let (own, others) = (template.literalLength, other.template.literalLength)
            return own == others ? !match.isAmbiguous && other.match.isAmbiguous : own > others
        }
    }

    /// In the order in which they were given.
    public let entries: [Entry]

    /// Takes templates that were read already.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Reads templates; a name that is given twice keeps its first template.
    ///
    /// - Throws: ``TargetError`` with the name of the template that cannot be read, and why.
    public init(_ templates: KeyValuePairs<String, String>) throws(TargetError) {
        var entries: [Entry] = []
        for (name, text) in templates where !entries.contains(where: { $0.name.hasSameBytes(as: name) }) {
            do throws(URITemplateError) {
                entries.append(Entry(name: name, template: try URITemplate(text)))
            } catch {
                throw .template(error, of: name)
            }
        }
        self.entries = entries
    }

    /// The template of that name.
    ///
    /// - Throws: ``TargetError/Code/unknownTemplate``, with the closest name there is.
    public func template(named name: String) throws(TargetError) -> URITemplate {
        guard let entry = entries.first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw .unknownTemplate(name, among: entries.map(\.name))
        }
        return entry.template
    }

    /// The identifier of some content.
    ///
    /// - Throws: ``TargetError``: no such template; a variable that the template does not have, or that it needs and is
    ///   missing or empty; an identifier that is empty or longer than ``URITemplate/maximumLength`` bytes.
    public func build(_ name: String, _ values: [String: TemplateValue]) throws(TargetError) -> String {
        try template(named: name).build(values)
    }

    /// Every template that the identifier fits, the best first.
    ///
    /// The one with the most literal text goes first, then one whose variables are not ambiguous, then the order of the
    /// catalog.
    public func matches(_ identifier: String) -> [Reading] {
        let readings = entries.compactMap { entry in
            entry.template.match(identifier).map { Reading(name: entry.name, template: entry.template, match: $0) }
        }
        return readings.enumerated().sorted { left, right in
            if left.element.isBetter(than: right.element) { return true }
            return !right.element.isBetter(than: left.element) && left.offset < right.offset
        }.map(\.element)
    }
}
