/// The substitution variables that the patterns of an association file may use (Apple, "applinks.SubstitutionVariables").
public struct LinkVariables: Sendable {
    private var custom: [String: (exact: LinkVariable, folded: LinkVariable)]

    /// The variables that every file has.
    public static let predefined = LinkVariables([:])

    /// One of a list of values each; a value may have wildcards, and no variables.
    ///
    /// Names are compared as they are written. A predefined name stays what it is.
    public init(_ values: [String: [String]]) {
        custom = values.mapValues {
            (LinkVariable($0, form: LinkForm()), LinkVariable($0, form: LinkForm(caseSensitive: false)))
        }
    }

    public static let predefinedNames = sets.map(\.name) + ["region", "lang"]

    public var names: [String] { LinkVariables.predefinedNames + custom.keys.sorted() }

    enum Value {
        case set(ASCIISet)
        case variable(LinkVariable)
    }

    func value(of name: String, in form: LinkForm) -> Value? {
        if let set = LinkVariables.sets.first(where: { $0.name == name })?.set {
            return .set(form.isCaseSensitive ? set : set.folded)
        }
        switch name {
        case "region":
            return .variable(form.isCaseSensitive ? LinkVariables.regions : LinkVariables.foldedRegions)
        case "lang": return .variable(LinkVariables.languages)
        default: return custom[name].map { .variable(form.isCaseSensitive ? $0.exact : $0.folded) }
        }
    }

    private static let digits: ClosedRange<UInt8> = 0x30...0x39
    private static let capitals: ClosedRange<UInt8> = 0x41...0x5A
    private static let smallLetters: ClosedRange<UInt8> = 0x61...0x7A

    private static let sets: [(name: String, set: ASCIISet)] = [
        ("alpha", ASCIISet(capitals, smallLetters)), ("upper", ASCIISet(capitals)), ("lower", ASCIISet(smallLetters)),
        ("alnum", ASCIISet(capitals, smallLetters, digits)), ("digit", ASCIISet(digits)),
        ("xdigit", ASCIISet(digits, 0x41...0x46, 0x61...0x66)),
    ]

    private static let regions = LinkVariable(LocaleCodes.regions, form: LinkForm())
    private static let foldedRegions = LinkVariable(LocaleCodes.regions, form: LinkForm(caseSensitive: false))
    private static let languages = LinkVariable(LocaleCodes.languages, form: LinkForm())
}
