import UsherScene

extension StoreState {
    mutating func redirection(of: TargetContentIdentifier) throws(StoreError) -> Redirection { .none }
}
