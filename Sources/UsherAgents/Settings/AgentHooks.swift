internal import UsherJSON
public import UsherScene
internal import UsherText

/// The hooks that report the events of an agent to Usher.
public struct AgentHooks: Sendable {
    public let agent: AgentName
    /// The file of `usher`.
    public let program: String
    /// How long a hook may wait for an answer, in seconds.
    public let wait: Int

    public init(of agent: AgentName, program: String, wait: Int) {
        (self.agent, self.program, self.wait) = (agent, program, wait)
    }

    public var events: [String] { agent.hookEvents }

    /// How long a hook that waits for nothing may take, and what is added to the wait of others, in seconds.
    private static let allowance = 10

    /// What comes behind the program.
    static func words(of agent: AgentName) -> String { " agent event --agent \(agent.rawValue)" }

    var command: String { ShellText.command([program], limit: .max) + Self.words(of: agent) }

    private func seconds(of event: String) -> Int {
        event == agent.answeredEvent ? wait + Self.allowance : Self.allowance
    }

    /// One more element for an event in the settings.
    func element(of event: String) -> String {
        let seconds = seconds(of: event)
        let hook: JSONValue = [
            "type": "command", "command": .string(command),
            "timeout": .number(String(agent == .gemini ? seconds * 1000 : seconds)),
        ]
        return (["hooks": [hook]] as JSONValue).text()
    }

    /// The whole of a file of its own, where the agent has such a file.
    public var ownFile: String? {
        switch agent {
        case .claude, .codex, .gemini: nil
        case .copilot: copilotFile
        case .opencode: openCodePlugin
        }
    }

    /// Whether a file is one of these, whatever the path of the program and the version of Usher.
    public static func isOwnFile(_ text: [UInt8], of agent: AgentName) -> Bool {
        switch agent {
        case .claude, .codex, .gemini: false
        case .copilot:
            (try? JSONValue(parsing: text)).flatMap { $0["hooks"]?.members }.map { members in
                let hooks = members.flatMap { $0.value.elements ?? [.null] }
                return !hooks.isEmpty
                    && hooks.allSatisfy {
                        $0["bash"]?.string.map { command in
                            guard let end = command.utf8.lastIndex(of: UInt8(ascii: " ")) else { return false }
                            let start = command[..<end]
                            return start.hasSuffix(" --event")
                                && program(of: String(start.dropLast(" --event".count)), agent) != nil
                        } ?? false
                    }
            } ?? false
        case .opencode: text.starts(with: pluginMark.utf8)
        }
    }

    private var copilotFile: String {
        let hooks = events.map { event in
            JSONValue.Member(
                event,
                [
                    [
                        "type": "command", "bash": .string("\(command) --event \(event)"),
                        "timeoutSec": .number(String(seconds(of: event))),
                    ]
                ])
        }
        return (["version": 1, "hooks": .object(hooks)] as JSONValue).text(pretty: true) + "\n"
    }

    private static let pluginMark = "// Written by `usher agent install opencode`; `remove` in its place removes it."

    private var openCodePlugin: String {
        let words = ([program] + Self.words(of: agent).split(separator: " ").map(String.init)).map(JSONValue.string)
        return """
            \(Self.pluginMark)
            import { spawn } from "node:child_process"

            const words = \(JSONValue.array(words).text())
            const events = \(JSONValue.array(events.map(JSONValue.string)).text())

            // Reports an event: what usher prints for it.
            const report = (event) =>
              new Promise((resolve) => {
                let text = ""
                const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
                child.on("error", () => resolve(""))
                child.on("close", () => resolve(text))
                child.stdout.on("data", (data) => (text += data))
                child.stdin.on("error", () => {})
                child.stdin.end(JSON.stringify(event))
              })

            export const Usher = async ({ client }) => {
              // The session that has started a session for a task; undefined for one of the user's.
              const parents = new Map()
              // What is asked in the sessions of the user, the newest last.
              const pending = new Map()
              const parentOf = async (id) => {
                if (!parents.has(id)) {
                  const found = await client.session.get({ path: { id } }).catch(() => undefined)
                  parents.set(id, found?.data?.parentID)
                }
                return parents.get(id)
              }

              const answer = ({ sessionID, id }, text) => {
                if (!text) return
                const { reply } = JSON.parse(text)
                if (client.permission?.reply) return client.permission.reply({ sessionID, requestID: id, reply })
                const path = { id: sessionID, permissionID: id }
                return client.postSessionIdPermissionsPermissionId({ path, body: { response: reply } })
              }

              const handle = async ({ type, properties }) => {
                const session = properties.sessionID ?? properties.info?.id
                let root = session
                for (let next = await parentOf(session); next; next = await parentOf(next)) root = next
                if (type === "permission.replied") {
                  // The user has answered in the terminal, perhaps. Usher tells of the newest question alone.
                  const answered = properties.requestID ?? properties.permissionID
                  const asked = pending.get(root) ?? []
                  const rest = asked.filter((id) => id !== answered)
                  pending.set(root, rest)
                  if (rest.length && rest.at(-1) === asked.at(-1)) return
                  await report({ type: "session.status", properties: { sessionID: root, status: { type: "busy" } } })
                } else if (type === "permission.asked") {
                  // A task asks in the session of its user, and the answer may take long.
                  pending.set(root, [...(pending.get(root) ?? []), properties.id])
                  const asked = report({ type, properties: { ...properties, sessionID: root } })
                  asked.then((text) => answer(properties, text)).catch(() => {})
                  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 250))])
                } else if (root === session) {
                  await report({ type, properties })
                }
                if (type === "session.deleted") [parents, pending].forEach((known) => known.delete(session))
              }

              // One after the other: a later event must not be reported first.
              let last = Promise.resolve()
              return {
                event: async ({ event }) => {
                  const info = event.properties?.info
                  if (info?.id && event.type.startsWith("session.")) parents.set(info.id, info.parentID)
                  if (!events.includes(event.type) && event.type !== "permission.replied") return
                  last = last.then(() => handle(event)).catch(() => {})
                },
              }
            }

            """
    }

    /// The program of a command that is one of these hooks, whatever its path; nil for any other command.
    static func program(of command: String, _ agent: AgentName) -> String? {
        let rest = words(of: agent)
        guard command.hasSuffix(rest) else { return nil }
        let word = String(command.dropLast(rest.count))
        if word.hasPrefix("'"), word.hasSuffix("'"), word.utf8.count > 2 {
            return word.dropFirst().dropLast().split(separator: #"'\''"#, omittingEmptySubsequences: false)
                .joined(separator: "'")
        }
        let isWord = !word.isEmpty && !word.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "'") }
        return isWord ? word : nil
    }
}
