public import UsherJSON

extension PayloadWarning {
    /// Writes `{"code","name","message","at","offset","help"}`; `at` is the pointer, null where no place is to blame.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code)
        writer.member("name", name.rawValue)
        writer.member("message", message)
        writer.member("at", pointer.isEmpty ? nil : pointer)
        writer.member("offset", offset)
        writer.member("help", help)
        writer.endObject()
    }
}
