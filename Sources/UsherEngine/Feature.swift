package import UsherConfiguration
internal import UsherOperation
package import UsherScene
public import UsherStore

/// What a feature has for a program: its tables, its operations, what it does for the engine.
///
/// The engine and the store know no feature. A program is given those that the list of features names.
public struct Feature: Sendable {
    public let store: StoreFeature
    /// In the order of the reference.
    package let operations: [any PerformedCall.Type]
    /// Status codes of HTTP for its errors, where that is not 400.
    package var statuses: [DiagnosticCode: Int] = [:]
    /// Adds what it does for the engine.
    package var open: @Sendable (inout EngineOpenings) -> Void = { _ in }
    /// Called with the settings that are in use from now on. Throws where they cannot be: then nothing is changed.
    package var use: @Sendable (Settings, Store) throws(StoreError) -> Void = { _, _ in }

    package init(_ store: StoreFeature, _ operations: [any PerformedCall.Type]) {
        (self.store, self.operations) = (store, operations)
    }
}
