import UsherPredicate
public import UsherScene
public import UsherTarget

extension DiagnosticCode {
    // Files.
    /// There is no such file or folder.
    /// Remedy: write one with `usher init`, or name another place.
    public static let configurationNotFound = DiagnosticCode("U5001", "config.not-found")
    /// The file or folder cannot be read.
    /// Remedy: see the message.
    public static let configurationUnreadable = DiagnosticCode("U5002", "config.unreadable")
    /// The file is not UTF-8.
    /// Remedy: save it as UTF-8.
    public static let configurationNotUTF8 = DiagnosticCode("U5003", "config.not-utf8")
    /// The file is larger than 4 MiB.
    /// Remedy: split it: a manifest an app.
    public static let configurationTooLarge = DiagnosticCode("U5004", "config.too-large")
    /// Tables or lists nest deeper than 32.
    /// Remedy: flatten it.
    public static let configurationTooDeep = DiagnosticCode("U5005", "config.too-deep")
    /// The file is not TOML.
    /// Remedy: correct it where the caret stands.
    public static let tomlSyntax = DiagnosticCode("U5006", "config.syntax")
    /// The folder has no `apps/*.toml`.
    /// Remedy: put a manifest there.
    public static let noManifest = DiagnosticCode("U5007", "config.no-manifest")
    /// There are more than 100 mistakes in the file.
    /// Remedy: correct the first ones.
    public static let tooManyDiagnostics = DiagnosticCode("U5008", "config.too-many")
    /// The property list cannot be used.
    /// Remedy: convert it: `plutil -convert xml1`.
    public static let propertyList = DiagnosticCode("U5009", "config.info-plist")
    /// A variable of a property list has no value.
    /// Remedy: name a file of `build-settings` that sets it.
    public static let propertyListVariable = DiagnosticCode("U5010", "plist.variable")
    /// The manifest and its property list differ; the manifest counts (a warning).
    /// Remedy: remove one of the values.
    public static let propertyListDiffers = DiagnosticCode("U5011", "plist.differs")

    // Shape.
    /// The table has no such key.
    /// Remedy: see the suggestion.
    public static let unknownKey = DiagnosticCode("U5101", "key.unknown")
    /// A required key is missing.
    /// Remedy: add it.
    public static let missingKey = DiagnosticCode("U5102", "key.missing")
    /// The value has the wrong type.
    /// Remedy: write it as the example shows.
    public static let wrongType = DiagnosticCode("U5103", "key.type")
    /// The value is not one that the key takes.
    /// Remedy: see the message.
    public static let invalidValue = DiagnosticCode("U5104", "key.value")
    /// The key belongs into another table.
    /// Remedy: move it there.
    public static let misplacedKey = DiagnosticCode("U5105", "key.misplaced")

    // Names.
    /// Two manifests have the same `id`.
    /// Remedy: change one.
    public static let duplicateApp = DiagnosticCode("U5201", "duplicate.app")
    /// Two apps have the same topic.
    /// Remedy: a push is for one app: change one.
    public static let duplicateTopic = DiagnosticCode("U5202", "duplicate.topic")
    /// Two apps claim the same domain, component or scheme: the one that was used last gets its links.
    /// Remedy: name the app in requests, add paths, or remove one.
    public static let claimedTwice = DiagnosticCode("U5203", "domain.claimed-twice")
    /// Two scenes have the same name.
    /// Remedy: rename one.
    public static let duplicateScene = DiagnosticCode("U5204", "duplicate.scene")
    /// Two shortcuts have the same type.
    /// Remedy: change one.
    public static let duplicateShortcut = DiagnosticCode("U5205", "duplicate.shortcut")
    /// Two variables of a template are the same in conditions.
    /// Remedy: rename one.
    public static let duplicateVariable = DiagnosticCode("U5206", "duplicate.variable")
    /// A list has the same string twice.
    /// Remedy: remove one.
    public static let duplicateValue = DiagnosticCode("U5207", "duplicate.value")
    /// `[targets]` has no such template.
    /// Remedy: see the suggestion.
    public static let unknownTarget = DiagnosticCode("U5211", "reference.target")
    /// There is no such scene.
    /// Remedy: see the suggestion.
    public static let unknownScene = DiagnosticCode("U5212", "reference.scene")
    /// There is no such reason, or no route test can lead to it.
    /// Remedy: see the suggestion.
    public static let unknownReason = DiagnosticCode("U5213", "reference.reason")
    /// `scene` and `reason` of a route test exclude each other.
    /// Remedy: drop one.
    public static let contradictoryExpectation = DiagnosticCode("U5214", "expect.contradiction")
    /// A route test does not hold.
    /// Remedy: see what `usher check` says of each condition.
    public static let expectFailed = DiagnosticCode("U5215", "expect.failed")

    // Rules that can never do what they say.
    /// No scene opens what a template builds.
    /// Remedy: give a scene that `target`, or an `opens`.
    public static let templateNeverOpened = DiagnosticCode("U5301", "rule.template-never-opened")
    /// Nothing ever leads to the scene.
    /// Remedy: give it an `opens`, a `can` or a `prefers`.
    public static let sceneUnreachable = DiagnosticCode("U5302", "rule.scene-unreachable")
    /// A type of activities has no dot, so that other apps may have the same.
    /// Remedy: begin it with the app's id.
    public static let activityTypeWithoutDot = DiagnosticCode("U7504", "lint.activity-type")
    /// `opens` without `launch` makes no window.
    /// Remedy: add `launch`.
    public static let sceneWithoutLaunch = DiagnosticCode("U5303", "rule.no-launch")
    /// A key has no effect where it stands.
    /// Remedy: see the message.
    public static let noEffect = DiagnosticCode("U5304", "rule.no-effect")
    /// A template's host is not in the domains of its app.
    /// Remedy: add the host to domains.
    public static let templateWithoutOwner = DiagnosticCode("U5305", "rule.template-without-owner")
    /// A `$NAME` stands within the quotes of a string in a predicate, where it is no variable (a warning).
    /// Remedy: write it without quotes: `SELF == $TARGET`.
    public static let quotedVariable = DiagnosticCode("U5306", "rule.quoted-variable")
    /// The window of a scene can never be used again: each request for it makes a new one (a warning).
    /// Remedy: give the scene `prefers = 'SELF == $TARGET'`.
    public static let sceneAlwaysNew = DiagnosticCode("U5307", "scene.always-new")

    // Commands.
    /// A handler has none or several of its kinds.
    /// Remedy: keep one: `exec` or `tmux`.
    public static let commandChoice = DiagnosticCode("U5401", "command.choice")
    /// A command has no program.
    /// Remedy: name it first.
    public static let emptyCommand = DiagnosticCode("U5402", "command.empty")
    /// There is no such placeholder.
    /// Remedy: see the suggestion.
    public static let unknownPlaceholder = DiagnosticCode("U5403", "command.placeholder")
    /// Programs and folders cannot come from a payload.
    /// Remedy: hand it over as an argument.
    public static let placeholderNotAllowed = DiagnosticCode("U5404", "command.placeholder-not-allowed")
    /// Values that begin with `-` will be refused here.
    /// Remedy: write `"--"` before the placeholder.
    public static let dashRule = DiagnosticCode("U5405", "command.dash")
    /// A sender's text would become part of a shell script.
    /// Remedy: hand it over as `"$1"`.
    public static let shellPlaceholder = DiagnosticCode("U5406", "command.shell")
    /// The program is not found now.
    /// Remedy: install it, or correct the path.
    public static let commandNotFound = DiagnosticCode("U5407", "command.not-found")
    /// Tmux has no such key.
    /// Remedy: see the suggestion.
    public static let unknownKeyName = DiagnosticCode("U5408", "command.key-name")
    /// `handle` of a `launch` is not "none", or the launch is no `exec`.
    /// Remedy: see the message.
    public static let commandHandle = DiagnosticCode("U5409", "command.handle")

    // Association files. (U55 and U56 are predicates and templates.)
    /// The association file cannot be read.
    /// Remedy: correct the path, which starts from the manifest's folder.
    public static let associationUnreadable = DiagnosticCode("U5801", "association.unreadable")
    /// The file is not JSON.
    /// Remedy: correct it where the caret stands.
    public static let associationSyntax = DiagnosticCode("U5802", "association.syntax")
    /// A member has the wrong type.
    /// Remedy: write it as the message says.
    public static let associationType = DiagnosticCode("U5803", "association.type")
    /// A warning: the member means nothing.
    /// Remedy: see the suggestion.
    public static let associationUnknownMember = DiagnosticCode("U5804", "association.unknown-member")
    /// `applinks`, `details`, `appIDs` or `components` is missing.
    /// Remedy: add it.
    public static let associationMissing = DiagnosticCode("U5805", "association.missing")
    /// No app id: prefix, dot, id of the app.
    /// Remedy: write `ABCDE12345.example.clowntown`, with your team's prefix.
    public static let associationAppID = DiagnosticCode("U5806", "association.app-id")
    /// The file says nothing of the app.
    /// Remedy: add an entry, or name the one that is meant with `app-id`.
    public static let associationNoEntry = DiagnosticCode("U5807", "association.no-entry")
    /// A warning: no path can match the pattern.
    /// Remedy: begin it with `/`; match query and fragment by `?` and `#`.
    public static let associationNeverMatches = DiagnosticCode("U5808", "association.never-matches")
    /// A warning: the pattern is not encoded as URLs are.
    /// Remedy: write `%XX`, or set `percentEncoded` to false.
    public static let associationPercentEncoding = DiagnosticCode("U5809", "association.percent-encoding")
    /// A warning: a component before it takes all that it matches.
    /// Remedy: put the narrower one first.
    public static let associationUnreachable = DiagnosticCode("U5810", "association.unreachable")
    /// A pattern uses a variable that there is not.
    /// Remedy: see the suggestion.
    public static let associationUnknownVariable = DiagnosticCode("U5811", "association.unknown-variable")
    /// The values of a variable lead back to it.
    /// Remedy: write out what it stands for.
    public static let associationCyclicVariable = DiagnosticCode("U5812", "association.cyclic-variable")
    /// A value of a variable uses a variable.
    /// Remedy: write out its values, or use both in the pattern.
    public static let associationNestedVariable = DiagnosticCode("U5813", "association.nested-variable")
    /// A name, a list of values or a use `$(…)` that is none.
    /// Remedy: see the message.
    public static let associationVariable = DiagnosticCode("U5814", "association.variable")
    /// A warning: more than 128 KiB, which systems of Apple do not read.
    /// Remedy: use wildcards and variables.
    public static let associationSize = DiagnosticCode("U5815", "association.size")
    /// A warning: a form of old systems.
    /// Remedy: write `details` as an array, and leave out `apps`.
    public static let associationLegacy = DiagnosticCode("U5816", "association.legacy")
    /// The patterns take too long to match.
    /// Remedy: use fewer values with wildcards.
    public static let associationTooComplex = DiagnosticCode("U5817", "association.too-complex")
    /// `site-association` without `domains`.
    /// Remedy: name the hosts that serve the file.
    public static let associationWithoutDomains = DiagnosticCode("U5818", "association.without-domains")
}

// MARK: - Contents

extension DiagnosticCode {
    /// A `content` table has both of `target` and `path`, or neither.
    /// Remedy: `path = "{file}"` for a file, `target` for any other identifier.
    public static let contentTarget = DiagnosticCode("U5901", "content.target")
    /// `target` or `path` of a `content` table uses a variable that its title does not have (of processes: `{file}`).
    /// Remedy: see the message.
    public static let contentVariable = DiagnosticCode("U5902", "template.variable")
}

// MARK: - Rules

extension DiagnosticCode {
    /// The code of a ``UsherPredicate/PredicateError``, by its name: `U55…`.
    public static func predicate(_ name: String) -> DiagnosticCode {
        predicates.first { $0.name == name } ?? DiagnosticCode("U5500", name)
    }

    /// The code of a ``UsherTarget/URITemplateError``: `U56…`.
    public static func template(_ code: URITemplateError.Code?) -> DiagnosticCode {
        DiagnosticCode(code?.number ?? "U5600", code?.rawValue ?? "")
    }

    private static let predicates = [
        // Arithmetic.
        // Remedy: wildcards go inside the quotes: `LIKE 'a*b'`.
        DiagnosticCode("U5501", "predicate.arithmetic"),
        // An array where text is needed.
        // Remedy: `SELF IN {…}`, or `ANY {…} == SELF`.
        DiagnosticCode("U5502", "predicate.array"),
        // BETWEEN without exactly two bounds.
        // Remedy: `BETWEEN {'a', 'f'}`.
        DiagnosticCode("U5503", "predicate.between-bounds"),
        // A block predicate.
        // Remedy: write the condition as text.
        DiagnosticCode("U5504", "predicate.block"),
        // A truth value where text is needed.
        // Remedy: quote it.
        DiagnosticCode("U5505", "predicate.boolean"),
        // `a == b == c`.
        // Remedy: join comparisons with AND.
        DiagnosticCode("U5506", "predicate.chained-comparison"),
        // No condition at all.
        // Remedy: TRUEPREDICATE or FALSEPREDICATE.
        DiagnosticCode("U5507", "predicate.empty"),
        // `%@` and the like.
        // Remedy: write the value in quotes.
        DiagnosticCode("U5508", "predicate.format-argument"),
        // A function, CAST, SUBQUERY, TERNARY.
        // Remedy: options `[cd]` take the place of `lowercase:`.
        DiagnosticCode("U5509", "predicate.function"),
        // `SELF[0]`.
        // Remedy: compare SELF itself.
        DiagnosticCode("U5510", "predicate.index"),
        // An escape without its digits, or half a surrogate pair.
        // Remedy: complete it.
        DiagnosticCode("U5511", "predicate.invalid-escape"),
        // A key path other than SELF, or unquoted text.
        // Remedy: quote text.
        DiagnosticCode("U5512", "predicate.key-path"),
        // Option `[l]`.
        // Remedy: `[c]`, `[d]` or `[cd]`.
        DiagnosticCode("U5513", "predicate.locale-option"),
        // Something that begins like a number.
        // Remedy: quote it.
        DiagnosticCode("U5514", "predicate.malformed-number"),
        // A regular expression (MATCHES).
        // Remedy: LIKE with `*` and `?`.
        DiagnosticCode("U5515", "predicate.matches"),
        // An operator without a value beside it.
        // Remedy: add it.
        DiagnosticCode("U5516", "predicate.missing-operand"),
        // An array in an array.
        // Remedy: one pair of braces.
        DiagnosticCode("U5517", "predicate.nested-array"),
        // Option `[n]`.
        // Remedy: `[c]`, `[d]` or `[cd]`.
        DiagnosticCode("U5518", "predicate.normalized-option"),
        // A value where a condition is needed.
        // Remedy: compare it.
        DiagnosticCode("U5519", "predicate.not-a-condition"),
        // A condition where a value is needed.
        // Remedy: join conditions with AND or OR.
        DiagnosticCode("U5520", "predicate.not-a-value"),
        // `x NOT IN y`.
        // Remedy: `NOT x IN y`.
        DiagnosticCode("U5521", "predicate.not-in"),
        // A number where text is needed.
        // Remedy: quote it.
        DiagnosticCode("U5522", "predicate.number"),
        // Options behind BETWEEN or a selector.
        // Remedy: remove them.
        DiagnosticCode("U5523", "predicate.options-not-taken"),
        // ANY, ALL, SOME or NONE before SELF.
        // Remedy: they need a literal array.
        DiagnosticCode("U5524", "predicate.quantifier"),
        // ANY, ALL, SOME or NONE before no comparison.
        // Remedy: `ANY {'a', 'b'} == SELF`.
        DiagnosticCode("U5525", "predicate.quantifier-without-comparison"),
        // A reserved word as a value.
        // Remedy: quote it.
        DiagnosticCode("U5526", "predicate.reserved-word"),
        // A selector as an operator.
        // Remedy: one of the operators.
        DiagnosticCode("U5527", "predicate.selector"),
        // Something else that is no predicate.
        // Remedy: see what was expected.
        DiagnosticCode("U5528", "predicate.syntax"),
        // More than 256 levels.
        // Remedy: flatten it.
        DiagnosticCode("U5529", "predicate.too-deep"),
        // More than 64 KiB.
        // Remedy: shorten it.
        DiagnosticCode("U5530", "predicate.too-long"),
        // More than 4096 conditions and elements.
        // Remedy: shorten it.
        DiagnosticCode("U5531", "predicate.too-many-nodes"),
        // Text behind the end.
        // Remedy: join conditions with AND or OR.
        DiagnosticCode("U5532", "predicate.trailing-text"),
        // UTI-CONFORMS-TO, UTI-EQUALS.
        // Remedy: compare the text.
        DiagnosticCode("U5533", "predicate.type-operator"),
        // A quote such as “.
        // Remedy: straight quotes.
        DiagnosticCode("U5534", "predicate.typographic-quote"),
        // A bracket too many or too few.
        // Remedy: close it, or remove it.
        DiagnosticCode("U5535", "predicate.unbalanced"),
        // An escape that is none.
        // Remedy: `\\` is a backslash; a literal star in LIKE is `\\*`.
        DiagnosticCode("U5536", "predicate.unknown-escape"),
        // A word that is no operator.
        // Remedy: see the suggestion.
        DiagnosticCode("U5537", "predicate.unknown-operator"),
        // An option letter other than c and d.
        // Remedy: `[c]`, `[d]` or `[cd]`.
        DiagnosticCode("U5538", "predicate.unknown-option"),
        // A `$NAME` that is not known here.
        // Remedy: `$TARGET`, or a parameter of the scene's template.
        DiagnosticCode("U5539", "predicate.unknown-variable"),
        // Options without `]`.
        // Remedy: close them.
        DiagnosticCode("U5540", "predicate.unterminated-options"),
        // A string without its closing quote.
        // Remedy: close it.
        DiagnosticCode("U5541", "predicate.unterminated-string"),
        // Another value that cannot be used.
        // Remedy: compare SELF with text.
        DiagnosticCode("U5542", "predicate.value"),
        // A `$NAME` or `:=` where no variables are.
        // Remedy: write the value in quotes.
        DiagnosticCode("U5543", "predicate.variable"),
    ]
}

// MARK: - Settings

extension DiagnosticCode {
    /// A secret stands in the configuration itself.
    /// Remedy: put it into a file, and name the file.
    public static let inlineSecret = DiagnosticCode("U5701", "settings.inline-secret")
    /// A listener that other machines reach, without TLS or without a token.
    /// Remedy: add `certificate`, `key` and `token-file`, or listen on 127.0.0.1.
    public static let openListener = DiagnosticCode("U5702", "settings.open-listener")
    /// A secret has two sources.
    /// Remedy: keep one of them.
    public static let secretChoice = DiagnosticCode("U5703", "settings.secret-choice")
    /// A file of secrets or tokens cannot be read, has none in it, or can be read by other users (a warning then).
    /// Remedy: write the secret into the file, readable for the user of `usherd` only (`chmod 600`).
    public static let secretFile = DiagnosticCode("U5704", "settings.secret-file")
    /// No app claims the host of a hook's target, and the hook names no app (a warning).
    /// Remedy: add `app` to the hook, or the host to the `domains` of an app.
    public static let hookWithoutOwner = DiagnosticCode("U5721", "hooks.no-owner")
    /// The name of a hook is taken, or cannot be a part of a path.
    /// Remedy: letters, digits, `.`, `-` and `_`.
    public static let hookName = DiagnosticCode("U5711", "hooks.name")
    /// A hook names an app that there is not.
    /// Remedy: see the suggestion.
    public static let hookApp = DiagnosticCode("U5712", "hooks.app")
    /// A place or a test of a hook has none or several of its kinds.
    /// Remedy: keep one of them.
    public static let hookCondition = DiagnosticCode("U5713", "hooks.condition")
    /// A text is no JSON pointer.
    /// Remedy: it begins with a slash: `/alerts/0/labels`.
    public static let hookPointer = DiagnosticCode("U5714", "hooks.pointer")
    /// A template of a hook uses what is not in `values`.
    /// Remedy: see the suggestion.
    public static let hookTemplate = DiagnosticCode("U5715", "hooks.template")
    /// Hooks of one path have different signatures.
    /// Remedy: leave `signature` out in all but the first of them.
    public static let hookSignature = DiagnosticCode("U5716", "hooks.signature")

    /// An expectation of a hook ([[hooks.NAME.expect]]) does not hold.
    /// Remedy: correct the hook or the expectation: the message says what was expected and what came.
    public static let hookExpectation = DiagnosticCode("U5717", "hooks.expect")
    /// The file of an expectation cannot be read, or is no captured request.
    /// Remedy: correct its path; `usher hook listen --out DIR` writes such files.
    public static let hookExpectationFile = DiagnosticCode("U5718", "hooks.expect-file")

    /// The codes of `usher.toml` and of hooks that reading them can find.
    public static let settings: [DiagnosticCode] = [
        inlineSecret, openListener, secretChoice, hookName, hookApp, hookCondition,
        hookPointer, hookTemplate, hookSignature,
    ]
}
