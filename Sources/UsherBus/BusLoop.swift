internal import UsherSystem

/// The state and the work of the bus thread. Only that thread uses it.
struct BusLoop: ~Copyable {
    private let address: Result<String, BusProblem>
    private var connection = BusConnection()
    /// Expected answers, by the serial number of the message that was sent.
    private var awaited: [UInt64: Awaited] = [:]
    private var observers: [Int: Observer] = [:]
    /// The unique names of the connections that own the observed well-known names.
    private var owners: [String: String] = [:]
    private var service: BusService?
    /// What answers a call of others later.
    private let replier: (Int) -> BusReplier
    /// Whether the bus has answered at least once on this connection, so that authentication succeeded.
    private var hasBeenReady = false

    private struct Observer {
        var match: BusMatch
        var body: @Sendable (BusEvent) -> Void
    }

    private enum Awaited {
        case call(BusAnswer, Deadline)
        /// The last of what an observer needs.
        case observation(BusAnswer?)
        case owner(of: String)
        /// Answered with the unique name of the connection.
        case uniqueName(BusAnswer)
        case nothing

        /// Only a call has a deadline; nothing else times out.
        var deadline: Deadline? { if case .call(_, let deadline) = self { deadline } else { nil } }
    }

    init(address: Result<String, BusProblem>, replier: @escaping (Int) -> BusReplier) {
        self.address = address
        self.replier = replier
    }

    /// What is to be waited for, and for how long.
    var interest: (descriptor: Int32, events: Int16, milliseconds: Int32) {
        var interest = connection.interest
        for (_, one) in awaited {
            guard let left = one.deadline?.remainingMilliseconds else { continue }
            interest.milliseconds = interest.milliseconds < 0 ? left : min(left, interest.milliseconds)
        }
        return interest
    }

    // MARK: - Requests of other threads

    mutating func perform(_ job: BusJob) {
        switch job {
        case .call(let call, let answer, let deadline):
            guard !deadline.isOver else { return answer.give(.failure(.timeLimit)) }
            do throws(BusProblem) {
                try connect()
                awaited[try connection.send(call)] = .call(answer, deadline)
            } catch {
                answer.give(.failure(error))
            }
        case .observe(let number, let match, let body, let answer):
            do throws(BusProblem) {
                try connect()
                observers[number] = Observer(match: match, body: body)
                try ask(for: match, answer)
            } catch {
                observers[number] = nil
                answer.give(.failure(error))
            }
        case .forget(let number):
            guard let observer = observers.removeValue(forKey: number), connection.isOpen else { return }
            // The bus counts equal rules.
            unask(.driver("RemoveMatch", [.string(observer.match.rule)]))
            if let name = observer.match.followedName {
                unask(.driver("RemoveMatch", [.string(BusMatch.owner(of: name).rule)]))
                if !observers.values.contains(where: { $0.match.followedName == name }) { owners[name] = nil }
            }
        case .serve(let service, let answer):
            do throws(BusProblem) {
                try connect()
                self.service = service
                guard let name = service.name else {
                    // The answer to any call says that the connection has its unique name.
                    awaited[try connection.send(.driver("GetId", []))] = .uniqueName(answer)
                    return
                }
                let flags: UInt32 = service.waits ? 0 : 4  // DBUS_NAME_FLAG_DO_NOT_QUEUE
                let call = BusCall.driver("RequestName", [.string(name), .uint32(flags)])
                awaited[try connection.send(call)] = .observation(answer)
            } catch {
                answer.give(.failure(error))
            }
        case .emit(let signal, let destination, let answer):
            do throws(BusProblem) {
                try connect()
                try connection.emit(signal, to: destination)
                answer.give(.success(signal))
            } catch {
                answer.give(.failure(error))
            }
        case .reply(let number, let reply): connection.answerLater(number, reply)
        }
    }

    private mutating func connect() throws(BusProblem) {
        if connection.isOpen { return }
        hasBeenReady = false
        try connection.open(try address.get())
        for (_, observer) in observers { try ask(for: observer.match, nil) }
    }

    /// Asks for signals. Answers come in order: the owner of the name is known before its first signal.
    private mutating func ask(for match: BusMatch, _ answer: BusAnswer?) throws(BusProblem) {
        if let name = match.followedName {
            awaited[try connection.send(.driver("AddMatch", [.string(BusMatch.owner(of: name).rule)]))] = .nothing
            awaited[try connection.send(.driver("GetNameOwner", [.string(name)]))] = .owner(of: name)
        }
        awaited[try connection.send(.driver("AddMatch", [.string(match.rule)]))] = .observation(answer)
    }

    private mutating func unask(_ call: BusCall) {
        if let number = try? connection.send(call) { awaited[number] = .nothing }
    }

    // MARK: - What arrives

    mutating func receive() {
        guard connection.isOpen else { return }
        let service = self.service
        while true {
            switch connection.receive({ service?.body($0) }) {
            case .nothing: return expire()
            case .answer(let number, let result):
                hasBeenReady = true
                handle(result, for: awaited.removeValue(forKey: number))
            case .signal(let signal): handle(signal)
            case .call(let number, let body): body(replier(number))
            case .end: return lose()
            }
        }
    }

    private mutating func handle(_ result: Result<BusMessage, BusProblem>, for awaited: Awaited?) {
        switch awaited {
        case .call(let answer, _): answer.give(result)
        case .observation(let answer): answer?.give(result)
        case .owner(let name): owners[name] = try? result.get().arguments.first?.string
        case .uniqueName(let answer):
            let name = connection.uniqueName
            answer.give(
                result.map { message in
                    var message = message
                    message.arguments = [.string(name)]
                    return message
                })
        case .nothing, nil: break
        }
    }

    private mutating func handle(_ signal: BusMessage) {
        if signal.sender == BusName.driver, signal.member == "NameOwnerChanged", signal.arguments.count == 3,
            let name = signal.arguments[0].string, let owner = signal.arguments[2].string
        {
            let now = owner.isEmpty ? nil : owner
            let concerned = observers.values.filter { $0.match.followedName == name }
            if !concerned.isEmpty { owners[name] = now }
            for observer in concerned { observer.body(.ownerChanged(now)) }
        }
        for observer in observers.values where observer.match.matches(signal, owners: owners) {
            observer.body(.signal(signal))
        }
    }

    private mutating func expire() {
        for (number, one) in awaited {
            guard case .call(let answer, let deadline) = one, deadline.isOver else { continue }
            awaited[number] = nil
            answer.give(.failure(.timeLimit))
        }
    }

    /// The bus connection is lost: every waiting caller gets an error, every observer gets `.lost`, and the next job
    /// connects again.
    private mutating func lose() {
        let problem: BusProblem =
            hasBeenReady ? .lost : .absent("\((try? address.get()) ?? ""): it did not let us in")
        connection.close()
        let waiting = awaited
        awaited = [:]
        owners = [:]
        for (_, one) in waiting {
            switch one {
            case .call(let answer, _): answer.give(.failure(problem))
            case .observation(let answer): answer?.give(.failure(problem))
            case .uniqueName(let answer): answer.give(.failure(problem))
            case .owner, .nothing: break
            }
        }
        for observer in observers.values { observer.body(.lost) }
    }

    /// The thread ends: every waiting caller gets an error.
    mutating func end() {
        observers = [:]
        lose()
    }
}
