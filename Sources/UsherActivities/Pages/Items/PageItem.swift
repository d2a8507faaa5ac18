public import UsherJSON

/// A place or person that a page names, as attributes of an activity.
public struct PageItem: Sendable {
    /// Those of schema.org without their address.
    public let types: [String]
    /// Its own address.
    public let url: String?
    /// A `contentAttributeSet`; what is not known is left out.
    public let attributes: [JSONValue.Member]

    /// Whether it has an address or coordinates.
    public var isPlace: Bool { attributes.contains { $0.name == "supportsNavigation" } }
}
