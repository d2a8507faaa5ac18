/// What a window system can do where it runs: a row of the table in the README, and of `usher doctor`.
public struct WindowSupport: Sendable, Hashable {
    public enum Ability: String, Sendable, CaseIterable {
        /// All windows are known.
        case list
        /// A window is brought forward.
        case focus
        /// What came of it is read back.
        case verify
        /// Changes are heard of without asking.
        case watch
        /// A program that is launched is known by its window.
        case launch
        /// Activation tokens are handed on.
        case token
    }

    public enum Answer: Sendable, Hashable {
        case yes
        /// With the reason, for people.
        case no(String)
    }

    /// With what serves it: `x11 (openbox)`, `sway 1.7`.
    public var system: String
    public var answers: [Ability: Answer]

    public init(_ system: String, _ answers: [Ability: Answer]) {
        self.system = system
        self.answers = answers
    }

    /// A system that can do nothing here, for one reason.
    public init(_ system: String, nothing reason: String) {
        self.init(system, Dictionary(uniqueKeysWithValues: Ability.allCases.map { ($0, .no(reason)) }))
    }

    public subscript(_ ability: Ability) -> Answer { answers[ability] ?? .no("not known") }
}
