internal import UsherScene

/// A focus request: the commands for it, and whether it has been fulfilled.
struct SwayFocusStep: Sendable {
    enum Commands: Sendable {
        case run(String)
        /// With the rest of a sentence that begins with what is seen.
        case impossible(String)
    }

    private let policy: FocusPolicy
    /// Where the user was before anything was done.
    private let keyboard: Int64?
    private let workspace: Int64?

    init(tree: SwayTree, policy: FocusPolicy) {
        self.policy = policy
        keyboard = tree.focused.map { tree.nodes[$0].id }
        workspace = tree.focused.flatMap(tree.workspace).map { tree.nodes[$0].id }
    }

    func isDone(_ place: Int, in tree: SwayTree) -> Bool {
        let node = tree.nodes[place]
        let isHere = policy.placement == .go || isOnWorkspace(place, in: tree)
        switch policy.prominence {
        case .focus: return node.isFocused && isHere
        case .raise:
            let keepsKeyboard = tree.focused.map { tree.nodes[$0].id } == keyboard
            return node.isFocused ? node.id == keyboard : node.isVisible && isHere && keepsKeyboard
        // The window that has the keyboard has its user's attention.
        case .urgent: return node.isUrgent || node.isFocused
        case .none: return true
        }
    }

    /// What is put away is shown where the user is in any case.
    func commands(for place: Int, in tree: SwayTree) -> Commands {
        let window = "[con_id=\(tree.nodes[place].id)]"
        let summons = policy.placement == .summon && !isOnWorkspace(place, in: tree) && !tree.isPutAway(place)
        switch policy.prominence {
        case .focus:
            return .run((summons ? "\(window) move container to workspace current; " : "") + "\(window) focus")
        case .raise:
            if summons { return .run("\(window) move container to workspace current") }
            return raise(place, in: tree)
        case .urgent: return .run("\(window) urgent enable")
        case .none: return .impossible("and nothing was to be done")
        }
    }

    /// A window of a compositor that tiles is shown by giving it the keyboard and giving that back at once, where what has
    /// it is seen beside it.
    private func raise(_ place: Int, in tree: SwayTree) -> Commands {
        guard let focused = tree.focused, tree.nodes[focused].kind == .container else {
            return .impossible("and the keyboard could not be given back to it")
        }
        if let obstacle = obstacle(to: place, beside: focused, in: tree) { return .impossible(obstacle) }
        return .run("[con_id=\(tree.nodes[place].id)] focus; [con_id=\(tree.nodes[focused].id)] focus")
    }

    private func obstacle(to place: Int, beside focused: Int, in tree: SwayTree) -> String? {
        let path = tree.path(from: place)
        let covers = tree.nodes.indices.contains { other in
            let node = tree.nodes[other]
            guard node.kind == .container, node.fullscreen != 0, !path.contains(other) else { return false }
            return node.fullscreen == 2 || tree.isPutAway(place)
                || tree.workspace(of: other) == tree.workspace(of: place)
        }
        if covers { return "and a window fills the screen, which showing another would end" }
        if tree.isPutAway(place) { return nil }
        if !tree.isOnShownWorkspace(place) {
            let isSameOutput = tree.output(of: place) == tree.output(of: focused)
            return isSameOutput ? "and the window's workspace would take the place of what is seen" : nil
        }
        // The branches that part at the innermost container that both are in.
        let others = tree.path(from: focused)
        guard let common = path.first(where: others.contains) else { return nil }
        let branches = [path, others].map { path in path.firstIndex(of: common).flatMap { $0 > 0 ? path[$0 - 1] : nil }
        }
        let floats = branches.contains { $0.map { tree.nodes[$0].isFloating } ?? false }
        guard tree.nodes[common].isTabbed, !floats else { return nil }
        return "and the window is another tab in the same place"
    }

    private func isOnWorkspace(_ place: Int, in tree: SwayTree) -> Bool {
        tree.workspace(of: place).map { tree.nodes[$0].id } == workspace
    }
}
