/// A place that a `geo:` URI or a link of a map service names.
public struct Place: Sendable {
    public enum Service: String, Sendable { case geo, google, apple, osm, bing }

    /// How somebody wants to get there.
    public enum Mode: String, Sendable { case car, pedestrian, bike, transit }

    public var service: Service
    /// What the place is called.
    public var name: String?
    /// What has to be geocoded or searched for.
    public var query: String?
    /// Degrees, WGS 84; both or neither.
    public var latitude: Double?
    public var longitude: Double?
    /// Meters.
    public var altitude: Double?
    /// Meters.
    public var uncertainty: Double?
    public var zoom: Double?
    /// Whether the way there was asked for.
    public var isDirections = false
    public var mode: Mode?

    public init(service: Service) { self.service = service }
}
