internal import UsherActivation
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore

extension ControlService {
    /// Carries out what is answered at once, and writes its result. May block.
    func perform(_ command: ControlCommand, _ json: inout JSONWriter) throws(ControlError) {
        switch command {
        case .hello(let version):
            guard version == ControlCommand.protocolVersion else {
                throw .protocolViolation(
                    "protocol \(version) is not spoken here: it is \(ControlCommand.protocolVersion)",
                    help: "usher and usherd have to be of one version: restart usherd")
            }
            world.hello.write(to: &json)
        case .connect(let requests, let checks): try connect(requests, checks: checks, &json)
        case .update(let id, let update): write(try sessionCommands.update(id, update), &json)
        case .activate(let id, let update): write(try sessionCommands.activate(id, update), &json)
        case .disconnect(let id, let update): write(try sessionCommands.disconnect(id, update), &json)
        case .close(let id):
            let session = try sessionCommands.close(id)
            json.beginObject()
            json.key("session")
            SessionAnswer.write(session, state: SessionAnswer.closed, to: &json)
            json.endObject()
        case .sessions(let app):
            let sessions = try storing { () throws(StoreError) in try world.sessions.sessions(app: app) }
            json.beginArray()
            for session in sessions.sessions.sorted(by: SceneSession.precedes) {
                SessionAnswer.write(session, activation: world.activation(of: session), to: &json)
            }
            json.endArray()
        case .session(let id):
            let session = try sessionCommands.session(id)
            SessionAnswer.write(session, activation: world.activation(of: session), to: &json)
        case .windows: json.value(WindowsAnswer.value(world.planner.windowSystem))
        case .deliveries(let query):
            let deliveries = try storing { () throws(StoreError) in
                try world.store.deliveries(limit: query.limit, states: query.states, before: query.before)
            }
            json.beginArray()
            for delivery in deliveries { DeliveryAnswer.writeSummary(of: delivery, to: &json) }
            json.endArray()
        case .delivery(let id):
            guard let delivery = try storing({ () throws(StoreError) in try world.store.delivery(id) }) else {
                throw .noDelivery(id)
            }
            let explanation = try storing { () throws(StoreError) in
                try StoredExplanation(of: delivery, in: world.store)
            }
            DeliveryAnswer.write(delivery, explanation: explanation.json, to: &json)
        case .retry(let selection):
            world.prepareToAct()
            write(try DeliveryCommands(world.store, world.deliveries).retry(selection), &json)
        case .drop(let selection):
            write(try DeliveryCommands(world.store, world.deliveries).drop(selection), &json)
        case .wait:
            world.waitForDeliveries()
            json.beginObject()
            json.endObject()
        case .explain(let request): try explain(request, &json)
        case .reload: json.value(try world.reload())
        case .status: json.value(world.status)
        case .yield:
            try world.yield()
            json.beginObject()
            json.endObject()
        case .content(let call): json.value(try world.contents.perform(call))
        case .dispatch, .stream, .records:
            throw .protocolViolation("\(command.name) is not answered here")
        }
    }

    private var sessionCommands: SessionCommands {
        SessionCommands(
            world.sessions, configuration: world.configuration.configuration,
            windowServer: { [world] in world.windowServer(of: $0) })
    }

    private func connect(_ requests: [SessionRequest], checks: Bool, _ json: inout JSONWriter) throws(ControlError) {
        let plan = try SessionPlan(
            requests, in: world.configuration.configuration, known: world.sessions,
            windowServer: { world.windowServer(of: $0) })
        let made = checks ? [] : try plan.connect(in: world.sessions)
        json.beginObject()
        json.beginArray("sessions")
        for session in made { SessionAnswer.write(session, to: &json) }
        json.endArray()
        json.beginArray("warnings")
        for warning in plan.warnings.prefix(100) {
            json.beginObject()
            json.member("index", warning.index)
            json.member("message", warning.message)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private func write(_ changed: SessionCommands.Changed, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("session")
        SessionAnswer.write(changed.session, to: &json)
        json.member("warnings", changed.warnings)
        json.endObject()
    }

    private func write(_ ids: [String], _ json: inout JSONWriter) {
        json.beginObject()
        json.member("deliveries", ids)
        json.endObject()
    }

    private func explain(_ request: ExplainRequest, _ json: inout JSONWriter) throws(ControlError) {
        let line: [UInt8]
        switch request.subject {
        case .delivery(let id):
            guard let delivery = try storing({ () throws(StoreError) in try world.store.delivery(id) }) else {
                throw .noDelivery(id)
            }
            let explanation = try storing { () throws(StoreError) in
                try StoredExplanation(of: delivery, in: world.store)
            }
            guard case .json(let text) = explanation else {
                throw ControlError(
                    .controlNoDelivery, explanation.refusal(for: delivery.id),
                    help: "usher deliveries show \(delivery.id) says what became of it", status: .finding)
            }
            json.raw(text.utf8)
            return
        case .target(let target): line = ExplanationAnswer.line(for: target)
        case .payload(let bytes): line = bytes
        }
        let sessions = try storing { () throws(StoreError) in try world.sessions.sessions(app: nil) }
        do throws(ExplanationAnswer.Failure) {
            let answer = try ExplanationAnswer(
                explaining: line, app: request.app, showsAll: request.showsAll, in: world.configuration, sessions,
                following: world.store, freshness: .live, systems: world.followedSystems, planner: world.planner)
            json.raw(answer.json.utf8)
        } catch {
            switch error {
            case .payload(let error): throw ControlError(Diagnostic(error), status: .finding)
            case .store(let error): throw ControlError(error)
            }
        }
    }

    private func storing<Result>(_ body: () throws(StoreError) -> Result) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ControlError(error)
        }
    }
}
