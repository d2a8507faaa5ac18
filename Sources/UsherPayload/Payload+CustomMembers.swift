public import UsherJSON

extension Payload {
    /// A notification's members beside `aps`, in order: the sender's own keys. Parsed anew from the raw bytes: for cold
    /// paths. Empty of any other carrier.
    public func customMembers() -> [JSONValue.Member] {
        guard case .notification = carrier else { return [] }
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(Array(raw))
        } catch {
            // Not reachable for a payload that was read; one made by hand may hold anything.
            return []
        }
        guard let root = document.root else { return [] }
        return document.members(root).compactMap { member in
            guard let name = document.string(member.key), name != "aps", name != "Simulator Target Bundle" else {
                return nil
            }
            return JSONValue.Member(name, document.value(member.value))
        }
    }
}
