public import UsherScene

// U80xx: geo URIs and links of map services.
extension DiagnosticCode {
    /// A `geo:` URI is not as RFC 5870 says.
    /// Remedy: write `geo:LATITUDE,LONGITUDE`, perhaps with `,ALTITUDE`, then `;crs=wgs84`, `;u=METERS` and other parameters, in this order.
    public static let placeSyntax = DiagnosticCode("U8001", "place.syntax")
    /// A latitude is below -90 or above 90 degrees.
    /// Remedy: write the latitude first, then the longitude.
    public static let placeLatitude = DiagnosticCode("U8002", "place.latitude")
    /// A longitude is below -180 or above 180 degrees.
    /// Remedy: write it between -180 and 180.
    public static let placeLongitude = DiagnosticCode("U8003", "place.longitude")
    /// A `geo:` URI has coordinates of another system than WGS 84.
    /// Remedy: convert them to WGS 84.
    public static let placeReferenceSystem = DiagnosticCode("U8004", "place.crs")
    /// A short link: where it leads is known to its server only, and Usher asks none.
    /// Remedy: open it in a browser, and take the address that it leads to.
    public static let placeShortLink = DiagnosticCode("U8005", "place.short-link")
    /// A link of a map service that names no place.
    /// Remedy: take the link that the service offers to share a place.
    public static let placeNothing = DiagnosticCode("U8006", "place.nothing")
    /// Neither a `geo:` URI nor a link of a map service that Usher reads.
    /// Remedy: use a `geo:` URI, or a link of a service that `usher help place parse` names.
    public static let placeUnknown = DiagnosticCode("U8007", "place.unknown")
}
