extension Store {
    /// The activity that a session had when its window was lost, a JSON object: what its next launch is given. It stays
    /// until the session becomes current with another.
    public func keptActivity(ofSession id: String) throws(StoreError) -> [UInt8]? {
        try read { (state) throws(StoreError) in
            let statement = try state.prepare(
                "SELECT document FROM activity WHERE session = ? AND state = 'kept'", [.text(id)])
            return try statement.step() ? statement.blob(0) : nil
        }
    }
}
