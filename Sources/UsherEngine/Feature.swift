package import UsherConfiguration
internal import UsherOperation
package import UsherScene
public import UsherStore

/// What a feature has for a program: its tables, its operations, what it does for the engine.
///
/// The engine and the store know no feature. A program is given those that the list of features names.
public struct Feature: Sendable {
    public let store: StoreFeature
    /// In the order of the reference. Made when they are asked for: most commands ask for none.
    package let operations: @Sendable () -> [any PerformedCall.Type]
    /// The status code of HTTP for an error of it, where that is not 400.
    package var status: @Sendable (DiagnosticCode) -> Int? = { _ in nil }
    /// Adds what it does for the engine.
    package var open: @Sendable (inout EngineOpenings) -> Void = { _ in }
    /// Begins what it does beside the engine in a daemon; nil where that is nothing.
    package var run: (@Sendable (FeatureHost) -> FeatureRun)?
    /// Called with the settings that are in use from now on. Throws where they cannot be: then nothing is changed.
    package var use: @Sendable (Settings, Store) throws(StoreError) -> Void = { _, _ in }

    package init(
        _ store: StoreFeature, _ operations: @autoclosure @escaping @Sendable () -> [any PerformedCall.Type]
    ) {
        (self.store, self.operations) = (store, operations)
    }
}
