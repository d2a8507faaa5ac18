internal import UsherConfiguration
internal import UsherPredicate
internal import UsherScene
internal import UsherStore

/// Changing one session and printing it.
enum SessionChanging {
    /// - Parameters:
    ///   - set: what changes, besides conditions.
    ///   - conditions: new ones as text: `can` and `prefers`.
    static func change(
        _ id: String, _ context: Context, _ set: (inout Store.SessionChange) -> Void,
        conditions: () -> (can: String?, prefers: String?)
    ) throws(CommandFailure) -> ExitStatus {
        let (can, prefers) = conditions()
        let store = try context.openStore(.readWrite)
        defer { store.close() }
        let session = try context.session(id, in: store)
        var change = Store.SessionChange()
        set(&change)
        if can != nil || prefers != nil {
            let app = try context.loadConfigurationIfPresent()?.configuration.app(id: session.app)
            let scene = app?.scene(named: session.scene)
            let template = app?.targets.first { $0.name == scene?.target }?.template
            let values = ConditionTexts.values(target: session.target, template: template)
            var texts = ConditionTexts()
            func condition(_ text: String?, _ name: String) throws(CommandFailure) -> ActivationConditions.Condition? {
                guard let text else { return nil }
                let predicate = try texts.condition(text, name: name, values, template)
                if predicate == nil {
                    context.errors.warning(
                        ConditionTexts.warning(unfilled: name, scene: session.scene, target: session.target))
                }
                return .init(predicate ?? .never, origin: .session)
            }
            change.canActivate = try condition(can, "can")
            change.prefersToActivate = try condition(prefers, "prefers")
        }
        let wanted = change
        guard let changed = try context.storing({ () throws(StoreError) in try store.change(session: id, wanted) })
        else { throw .usage("the session \(Quoted.text(id)) has ended meanwhile") }
        context.print(changed)
        return .handled
    }
}
