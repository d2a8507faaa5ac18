/// A large value that many hold: each of them copies one reference.
public final class Shared<Value: Sendable>: Sendable {
    public let value: Value

    @inlinable
    public init(_ value: Value) { self.value = value }
}

/// A large value that is rarely there: without it, eight bytes that are copied for nothing.
@propertyWrapper
@frozen
public struct Rare<Value: Sendable>: Sendable {
    @usableFromInline var shared: Shared<Value>?

    @inlinable
    public init(wrappedValue: Value?) { shared = wrappedValue.map { Shared($0) } }

    public var wrappedValue: Value? {
        @inlinable get { shared?.value }
        @inlinable set { shared = newValue.map { Shared($0) } }
    }
}
