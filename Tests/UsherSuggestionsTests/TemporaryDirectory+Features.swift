import StoreTestSupport
import UsherFeatures
import UsherStore

extension TemporaryDirectory {
    convenience init() { self.init(features: .all) }
}
