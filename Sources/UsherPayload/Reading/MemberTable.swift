import UsherJSON

/// The members one kind of object may have, or the words one of them may be, found by the bytes of their names.
struct MemberTable<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == String {
    private let names: JSONNameTable
    private let keys: [Key]

    init() {
        keys = Array(Key.allCases)
        names = JSONNameTable(keys.map(\.rawValue))
    }

    func key(_ name: ArraySlice<UInt8>) -> Key? {
        names.index(of: name).map { keys[$0] }
    }

    /// The one that a string of a document names; nil also of any other kind.
    func key(_ name: JSONElement, in document: JSONDocument) -> Key? {
        names.index(of: name, in: document).map { keys[$0] }
    }

    /// The name that was probably meant by one that is not in the table.
    func suggestion(for name: String) -> String? {
        NameSuggestion.closest(to: name, in: names.names)
    }
}
