/// Property lists, such as an app's Info.plist, as JSON text.
public enum PropertyListText {
    /// The most bytes that are read of one.
    public static let maximumSize = PropertyList.maximumSize

    /// The dictionary of a property list, XML or binary, as a JSON object; dates and data are left out.
    ///
    /// - Returns: nil for what is no property list, is too large or nests too deep, or has no dictionary outermost.
    public static func json(of bytes: [UInt8]) -> String? {
        let start = SourcePosition(line: 1, column: 1)
        let region = SourceRegion(begin: start, end: start)
        guard let list = PropertyList(bytes), case .table(let members) = list.value(at: region).content else {
            return nil
        }
        return try? JSONText.object(members, region: region)
    }
}
