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
    /// Two apps claim the same domain, component or scheme: the one that was used last gets its links.
    /// Remedy: name the app in requests, add paths, or remove one.
    public static let claimedTwice = DiagnosticCode("U5203", "domain.claimed-twice")
    /// An id, topic, name, type or text stands twice where each may stand once.
    /// Remedy: change or remove one.
    public static let duplicateValue = DiagnosticCode("U5207", "duplicate.value")
    /// `scene` and `reason` of a route test exclude each other.
    /// Remedy: drop one.
    public static let contradictoryExpectation = DiagnosticCode("U5214", "expect.contradiction")
    /// A route test does not hold.
    /// Remedy: see what `usher check` says of each condition.
    public static let expectFailed = DiagnosticCode("U5215", "expect.failed")
    /// There is no such app, scene, template or reason.
    /// Remedy: see the suggestion.
    public static let unknownReference = DiagnosticCode("U5216", "reference.unknown")

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
    /// A scene without `can` takes all requests of its app while a window of it is open: no other scene opens one (a warning).
    /// Remedy: say with `can` what it can show; where it is meant, write `can = 'TRUEPREDICATE'` or an `[[expect]]`.
    public static let takesEverything = DiagnosticCode("U5308", "scene.takes-everything")
    /// A scene, a condition, a table or a hook is never reached: an earlier one takes all that it would take (a warning).
    /// Remedy: remove it, put it first, or narrow the earlier one.
    public static let shadowed = DiagnosticCode("U5309", "rule.shadowed")
    /// A second scene without `opens`: the first one is the default (a warning).
    /// Remedy: give it an `opens`, `'FALSEPREDICATE'` if only `usher scene new` makes it.
    public static let secondDefault = DiagnosticCode("U5310", "scene.second-default")
    /// A condition, or a part of it, is false for every identifier (a warning).
    /// Remedy: join alternatives by OR.
    public static let contradiction = DiagnosticCode("U5311", "rule.contradiction")
    /// `?` of a LIKE pattern looks like a URL's question mark, and stands for any one character (a warning).
    /// Remedy: write `\\?` in the predicate, or use BEGINSWITH.
    public static let questionMark = DiagnosticCode("U5312", "rule.question-mark")
    /// A type of shortcuts or activities is declared by two apps: a request that does not name its app is for neither of them
    /// (a warning).
    /// Remedy: begin the type with the app's id.
    public static let typeWithoutOwner = DiagnosticCode("U5313", "type.no-owner")
    /// No scene opens the target of a shortcut: it does nothing while no window is open (a warning).
    /// Remedy: give a scene an `opens` that accepts the target.
    public static let shortcutWithoutScene = DiagnosticCode("U5314", "shortcut.no-scene")
    /// A window takes any target, and goes on showing the one that it was launched for: nothing gives it another (a warning).
    /// Remedy: add `show`, or say with `can` what the window shows.
    public static let contentNotShown = DiagnosticCode("U5315", "scene.content-not-shown")

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
    /// A variable that there is not, that leads back to itself or uses another one; a name, a list of values or a use
    /// `$(…)` that is none.
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
        // No condition at all.
        // Remedy: TRUEPREDICATE or FALSEPREDICATE.
        DiagnosticCode("U5507", "predicate.empty"),
        // A key path other than SELF, or unquoted text.
        // Remedy: quote text.
        DiagnosticCode("U5512", "predicate.key-path"),
        // An operator without a value beside it.
        // Remedy: add it.
        DiagnosticCode("U5516", "predicate.missing-operand"),
        // ANY, ALL, SOME or NONE before SELF, or before no comparison.
        // Remedy: they need a literal array.
        DiagnosticCode("U5524", "predicate.quantifier"),
        // Something else that is no predicate.
        // Remedy: see what was expected.
        DiagnosticCode("U5528", "predicate.syntax"),
        // More than 64 KiB, 256 levels, or 4096 conditions and elements.
        // Remedy: shorten it.
        DiagnosticCode("U5530", "predicate.too-long"),
        // A bracket too many or too few.
        // Remedy: close it, or remove it.
        DiagnosticCode("U5535", "predicate.unbalanced"),
        // An escape that is none, or is not complete.
        // Remedy: `\\` is a backslash; a literal star in LIKE is `\\*`.
        DiagnosticCode("U5536", "predicate.unknown-escape"),
        // A word that is no operator, or one that conditions do not have (MATCHES, UTI-EQUALS, selectors).
        // Remedy: see the suggestion.
        DiagnosticCode("U5537", "predicate.unknown-operator"),
        // Options other than c and d, without `]`, or where none are taken.
        // Remedy: `[c]`, `[d]` or `[cd]`.
        DiagnosticCode("U5538", "predicate.unknown-option"),
        // A `$NAME` that is not known here, or `:=`.
        // Remedy: `$TARGET`, or a parameter of the scene's template.
        DiagnosticCode("U5539", "predicate.unknown-variable"),
        // A string without its closing quote.
        // Remedy: close it.
        DiagnosticCode("U5541", "predicate.unterminated-string"),
        // A value that a condition cannot use: a number, a truth value, an array or a function, unquoted text.
        // Remedy: compare SELF with text in quotes.
        DiagnosticCode("U5542", "predicate.value"),
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
        inlineSecret, openListener, secretChoice, hookName, unknownReference, hookCondition,
        hookPointer, hookTemplate, hookSignature,
    ]
}
