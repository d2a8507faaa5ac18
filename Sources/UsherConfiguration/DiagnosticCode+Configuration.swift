import UsherPredicate
public import UsherScene
import UsherTarget

extension DiagnosticCode {
    // Files.
    public static let configurationNotFound = DiagnosticCode("U5001", "config.not-found")
    public static let configurationUnreadable = DiagnosticCode("U5002", "config.unreadable")
    public static let configurationNotUTF8 = DiagnosticCode("U5003", "config.not-utf8")
    public static let configurationTooLarge = DiagnosticCode("U5004", "config.too-large")
    public static let configurationTooDeep = DiagnosticCode("U5005", "config.too-deep")
    public static let tomlSyntax = DiagnosticCode("U5006", "config.syntax")
    public static let noManifest = DiagnosticCode("U5007", "config.no-manifest")
    public static let tooManyDiagnostics = DiagnosticCode("U5008", "config.too-many")
    public static let propertyList = DiagnosticCode("U5009", "config.info-plist")

    // Shape.
    public static let unknownKey = DiagnosticCode("U5101", "key.unknown")
    public static let missingKey = DiagnosticCode("U5102", "key.missing")
    public static let wrongType = DiagnosticCode("U5103", "key.type")
    public static let invalidValue = DiagnosticCode("U5104", "key.value")
    public static let misplacedKey = DiagnosticCode("U5105", "key.misplaced")
    public static let reservedKey = DiagnosticCode("U5106", "key.reserved")

    // Names.
    public static let duplicateApp = DiagnosticCode("U5201", "duplicate.app")
    public static let duplicateTopic = DiagnosticCode("U5202", "duplicate.topic")
    public static let duplicateDomain = DiagnosticCode("U5203", "duplicate.domain")
    public static let duplicateScene = DiagnosticCode("U5204", "duplicate.scene")
    public static let duplicateShortcut = DiagnosticCode("U5205", "duplicate.shortcut")
    public static let duplicateVariable = DiagnosticCode("U5206", "duplicate.variable")
    public static let duplicateValue = DiagnosticCode("U5207", "duplicate.value")
    public static let duplicateScheme = DiagnosticCode("U5208", "duplicate.scheme")
    public static let unknownTarget = DiagnosticCode("U5211", "reference.target")
    public static let unknownScene = DiagnosticCode("U5212", "reference.scene")
    public static let unknownReason = DiagnosticCode("U5213", "reference.reason")
    public static let contradictoryExpectation = DiagnosticCode("U5214", "expect.contradiction")

    // Rules that can never do what they say.
    public static let templateNeverOpened = DiagnosticCode("U5301", "rule.template-never-opened")
    public static let sceneUnreachable = DiagnosticCode("U5302", "rule.scene-unreachable")
    public static let sceneWithoutLaunch = DiagnosticCode("U5303", "rule.no-launch")
    public static let noEffect = DiagnosticCode("U5304", "rule.no-effect")
    public static let templateWithoutOwner = DiagnosticCode("U5305", "rule.template-without-owner")

    // Commands.
    public static let commandChoice = DiagnosticCode("U5401", "command.choice")
    public static let emptyCommand = DiagnosticCode("U5402", "command.empty")
    public static let unknownPlaceholder = DiagnosticCode("U5403", "command.placeholder")
    public static let placeholderNotAllowed = DiagnosticCode("U5404", "command.placeholder-not-allowed")
    public static let dashRule = DiagnosticCode("U5405", "command.dash")
    public static let shellPlaceholder = DiagnosticCode("U5406", "command.shell")
    public static let commandNotFound = DiagnosticCode("U5407", "command.not-found")
    public static let unknownKeyName = DiagnosticCode("U5408", "command.key-name")

    // Association files. (U55 and U56 are predicates and templates.)
    public static let associationUnreadable = DiagnosticCode("U5801", "association.unreadable")
    public static let associationSyntax = DiagnosticCode("U5802", "association.syntax")
    public static let associationType = DiagnosticCode("U5803", "association.type")
    public static let associationUnknownMember = DiagnosticCode("U5804", "association.unknown-member")
    public static let associationMissing = DiagnosticCode("U5805", "association.missing")
    public static let associationAppID = DiagnosticCode("U5806", "association.app-id")
    public static let associationNoEntry = DiagnosticCode("U5807", "association.no-entry")
    public static let associationNeverMatches = DiagnosticCode("U5808", "association.never-matches")
    public static let associationPercentEncoding = DiagnosticCode("U5809", "association.percent-encoding")
    public static let associationUnreachable = DiagnosticCode("U5810", "association.unreachable")
    public static let associationUnknownVariable = DiagnosticCode("U5811", "association.unknown-variable")
    public static let associationCyclicVariable = DiagnosticCode("U5812", "association.cyclic-variable")
    public static let associationNestedVariable = DiagnosticCode("U5813", "association.nested-variable")
    public static let associationVariable = DiagnosticCode("U5814", "association.variable")
    public static let associationSize = DiagnosticCode("U5815", "association.size")
    public static let associationLegacy = DiagnosticCode("U5816", "association.legacy")
    public static let associationTooComplex = DiagnosticCode("U5817", "association.too-complex")
    public static let associationWithoutDomains = DiagnosticCode("U5818", "association.without-domains")

    /// The codes of configuration, but for those of predicates and templates.
    public static let configuration: [DiagnosticCode] = [
        configurationNotFound, configurationUnreadable, configurationNotUTF8, configurationTooLarge,
        configurationTooDeep, tomlSyntax, noManifest, tooManyDiagnostics, propertyList, unknownKey, missingKey,
        wrongType, invalidValue, misplacedKey, reservedKey, duplicateApp, duplicateTopic, duplicateDomain,
        duplicateScene, duplicateShortcut, duplicateVariable, duplicateValue, duplicateScheme, unknownTarget,
        unknownScene,
        unknownReason, contradictoryExpectation, templateNeverOpened, sceneUnreachable, sceneWithoutLaunch, noEffect,
        templateWithoutOwner, commandChoice, emptyCommand, unknownPlaceholder, placeholderNotAllowed, dashRule,
        shellPlaceholder,
        commandNotFound, unknownKeyName, associationUnreadable, associationSyntax, associationType,
        associationUnknownMember, associationMissing, associationAppID, associationNoEntry, associationNeverMatches,
        associationPercentEncoding, associationUnreachable, associationUnknownVariable, associationCyclicVariable,
        associationNestedVariable, associationVariable, associationSize, associationLegacy, associationTooComplex,
        associationWithoutDomains,
    ]
}

// MARK: - Rules

extension DiagnosticCode {
    /// The code of a ``UsherPredicate/PredicateError``, by its name: `U55…`.
    public static func predicate(_ name: String) -> DiagnosticCode {
        let number = predicateNames.firstIndex { "predicate." + $0 == name }.map { $0 + 1 } ?? 0
        return DiagnosticCode("U\(5500 + number)", name)
    }

    /// The code of a ``UsherTarget/URITemplateError``, by its name: `U56…`.
    public static func template(_ name: String) -> DiagnosticCode {
        let number = URITemplateError.Code.allCases.firstIndex { $0.rawValue == name }.map { $0 + 1 } ?? 0
        return DiagnosticCode("U\(5600 + number)", name)
    }

    /// Numbered from 1 in this order; a new name goes to the end.
    private static let predicateNames = [
        "arithmetic", "array", "between-bounds", "block", "boolean", "chained-comparison", "empty", "format-argument",
        "function", "index", "invalid-escape", "key-path", "locale-option", "malformed-number", "matches",
        "missing-operand", "nested-array", "normalized-option", "not-a-condition", "not-a-value", "not-in", "number",
        "options-not-taken", "quantifier", "quantifier-without-comparison", "reserved-word", "selector", "syntax",
        "too-deep", "too-long", "too-many-nodes", "trailing-text", "type-operator", "typographic-quote", "unbalanced",
        "unknown-escape", "unknown-operator", "unknown-option", "unknown-variable", "unterminated-options",
        "unterminated-string", "value", "variable",
    ]

    /// The codes of predicates and templates.
    public static let rules: [DiagnosticCode] =
        predicateNames.map { predicate("predicate." + $0) }
        + URITemplateError.Code.allCases.map { template($0.rawValue) }
}

// MARK: - Settings

extension DiagnosticCode {
    public static let inlineSecret = DiagnosticCode("U5701", "settings.inline-secret")
    public static let openListener = DiagnosticCode("U5702", "settings.open-listener")
    public static let secretChoice = DiagnosticCode("U5703", "settings.secret-choice")
    public static let hookName = DiagnosticCode("U5711", "hooks.name")
    public static let hookApp = DiagnosticCode("U5712", "hooks.app")
    public static let hookCondition = DiagnosticCode("U5713", "hooks.condition")
    public static let hookPointer = DiagnosticCode("U5714", "hooks.pointer")
    public static let hookTemplate = DiagnosticCode("U5715", "hooks.template")

    /// The codes of `usher.toml` and of hooks.
    public static let settings: [DiagnosticCode] = [
        inlineSecret, openListener, secretChoice, hookName, hookApp, hookCondition,
        hookPointer, hookTemplate,
    ]
}
