extension HookTemplate {
    /// In the order of the help. Each is right as it is: a test adds every one of them.
    static let all: [HookTemplate] = [
        HookTemplate(
            "github", "GitHub: issues and pull requests that are opened, assigned or wait for a review", .made,
            target: "{+url}",
            keys: """
                when = [
                    { header = "X-GitHub-Event", in = ["issues", "pull_request"] },
                    { pointer = "/action", in = ["opened", "reopened", "assigned", "ready_for_review", "review_requested"] },
                ]
                title = "{title}"
                subtitle = "{repo} #{number}"
                body = "{sender}: {action}"
                thread = "{repo}"
                """,
            values: """
                url = ["/pull_request/html_url", "/issue/html_url"]
                title = ["/pull_request/title", "/issue/title"]
                number = ["/pull_request/number", "/issue/number"]
                repo = { pointer = "/repository/full_name", default = "" }
                sender = { pointer = "/sender/login", default = "" }
                action = "/action"
                """,
            fields: [
                ("Settings, Webhooks, Add webhook: Payload URL", "{url}"),
                ("Content type", "application/json"),
                ("Secret", "{secret}"), ("Let me select individual events", "Issues, Pull requests"),
            ]),
        HookTemplate(
            "gitlab", "GitLab: issues and merge requests that are opened or reopened", .made, target: "{+url}",
            keys: """
                when = [
                    { pointer = "/object_kind", in = ["issue", "merge_request"] },
                    { pointer = "/object_attributes/action", in = ["open", "reopen"] },
                ]
                title = "{title}"
                subtitle = "{project} {number}"
                body = "{sender}: {action}"
                thread = "{project}"
                """,
            values: """
                url = "/object_attributes/url"
                title = { pointer = "/object_attributes/title", default = "" }
                number = { pointer = "/object_attributes/iid", default = "" }
                project = { pointer = "/project/path_with_namespace", default = "" }
                sender = { pointer = "/user/name", default = "" }
                action = "/object_attributes/action"
                """,
            fields: [
                ("Settings, Webhooks, Add new webhook: URL", "{url}"), ("Secret token", "{secret}"),
                ("Trigger", "Issues events, Merge request events"),
            ]),
        HookTemplate(
            "gitea", "Gitea and Forgejo: issues and pull requests that are opened, reopened or assigned", .made,
            target: "{+url}",
            keys: """
                when = [
                    { header = "X-Gitea-Event", in = ["issues", "issue_assign", "pull_request", "pull_request_assign"] },
                    { pointer = "/action", in = ["opened", "reopened", "assigned"] },
                ]
                title = "{title}"
                subtitle = "{repo} #{number}"
                body = "{sender}: {action}"
                thread = "{repo}"
                """,
            values: """
                url = ["/pull_request/html_url", "/issue/html_url"]
                title = ["/pull_request/title", "/issue/title"]
                number = { pointer = ["/pull_request/number", "/issue/number", "/number"], default = "" }
                repo = { pointer = "/repository/full_name", default = "" }
                sender = { pointer = "/sender/login", default = "" }
                action = "/action"
                """,
            fields: [
                ("Settings, Webhooks, Add webhook, Gitea: Target URL", "{url}"),
                ("POST content type", "application/json"), ("Secret", "{secret}"),
                ("Trigger on", "Custom events: Issues, Pull request"),
            ]),
        HookTemplate(
            "stripe", "Stripe: payments that fail, and disputes",
            .given("the signing secret (whsec_…) of the endpoint, under Developers, Webhooks"),
            target: "https://dashboard.stripe.com/{+mode}events/{event}",
            keys: """
                when = [{ pointer = "/type", in = ["payment_intent.payment_failed", "invoice.payment_failed", "charge.dispute.created"] }]
                title = "Stripe: {type}"
                body = "{object}"
                level = "time-sensitive"
                thread = "{type}"
                """,
            values: """
                event = "/id"
                type = "/type"
                object = { pointer = "/data/object/id", default = "" }
                mode = { pointer = "/livemode", map = { true = "" }, map-default = "test/", default = "" }
                """,
            fields: [
                ("Developers, Webhooks, Add endpoint: Endpoint URL", "{url}"),
                ("Events", "payment_intent.payment_failed, invoice.payment_failed, charge.dispute.created"),
            ]),
        HookTemplate(
            "slack", "Slack: messages in which the app is mentioned, and messages to it",
            .given("the Signing Secret, under Basic Information, App Credentials"),
            target: "https://slack.com/app_redirect?team={team}&channel={channel}",
            keys: """
                when = [
                    { pointer = "/type", equals = "event_callback" },
                    { pointer = "/event/type", in = ["app_mention", "message"] },
                    { pointer = "/event/bot_id", exists = false },
                ]
                title = "Slack"
                body = "{text}"
                thread = "{channel}"
                accepted = 200
                """,
            values: """
                team = { pointer = ["/team_id", "/context_team_id", "/authorizations/0/team_id"], default = "" }
                channel = { pointer = ["/event/channel", "/event/item/channel"], default = "" }
                text = { pointer = "/event/text", default = "" }
                """,
            fields: [
                ("Event Subscriptions: Request URL", "{url}"),
                ("Subscribe to bot events", "app_mention, message.im"),
            ]),
        HookTemplate(
            "shopify", "Shopify: orders that are created or cancelled",
            .given("the secret under which webhooks are signed: Settings, Notifications, Webhooks"),
            target: "https://{shop}/admin/orders/{order}",
            keys: """
                when = [{ header = "X-Shopify-Topic", in = ["orders/create", "orders/cancelled"] }]
                title = "Order {name}"
                subtitle = "{shop}"
                body = "{topic}"
                thread = "{shop}"
                accepted = 200
                """,
            values: """
                shop = { header = "X-Shopify-Shop-Domain" }
                topic = { header = "X-Shopify-Topic" }
                order = "/id"
                name = { pointer = "/name", default = "" }
                """,
            fields: [
                ("Settings, Notifications, Webhooks, Create webhook: URL", "{url}"), ("Format", "JSON"),
                ("Event", "Order creation, Order cancellation"),
            ]),
        HookTemplate(
            "pagerduty", "PagerDuty: incidents that are triggered, escalated or reopened",
            .given("the secret that is shown once, when the subscription is made"), target: "{+url}",
            keys: """
                when = [{ pointer = "/event/event_type", in = ["incident.triggered", "incident.escalated", "incident.reopened"] }]
                title = "{title}"
                subtitle = "{service}"
                body = "{type}"
                level = "{urgency}"
                thread = "{service}"
                """,
            values: """
                url = { pointer = ["/event/data/html_url", "/event/data/self"], default = "https://app.pagerduty.com/incidents" }
                title = { pointer = "/event/data/title", default = "Incident" }
                service = { pointer = "/event/data/service/summary", default = "" }
                type = "/event/event_type"
                urgency = { pointer = "/event/data/urgency", default = "high", map = { high = "time-sensitive" }, map-default = "active" }
                """,
            fields: [
                ("Integrations, Generic Webhooks (v3), New Webhook: Webhook URL", "{url}"),
                ("Event Subscription", "incident.triggered, incident.escalated, incident.reopened"),
            ]),
        HookTemplate(
            "linear", "Linear: issues that are created",
            .given("the Signing secret of the webhook, under Settings, API"), target: "{+url}",
            keys: """
                when = [{ pointer = "/type", equals = "Issue" }, { pointer = "/action", equals = "create" }]
                title = "{title}"
                subtitle = "{issue}"
                thread = "{team}"
                """,
            values: """
                url = { pointer = ["/url", "/data/url"], default = "https://linear.app/" }
                title = { pointer = "/data/title", default = "" }
                issue = { pointer = "/data/identifier", default = "" }
                team = { pointer = "/data/team/key", default = "" }
                """,
            fields: [
                ("Settings, API, Webhooks, New webhook: URL", "{url}"), ("Data change events", "Issues"),
            ]),
        HookTemplate(
            "twilio", "Twilio: messages that come in",
            .given("the primary Auth Token of the account; messages are signed with it"), target: "sms:{+from}",
            keys: """
                when = [{ pointer = "/MessageSid", exists = true }, { pointer = "/From", exists = true }, { pointer = "/MessageStatus", exists = false }]
                id = { pointer = "/MessageSid" }
                title = "{from}"
                body = "{text}"
                thread = "{from}"
                """,
            values: """
                from = "/From"
                text = { pointer = "/Body", default = "" }
                """,
            fields: [
                ("Phone Numbers, the number, Messaging: A message comes in, Webhook", "{url}"),
                ("HTTP method", "HTTP POST"),
            ]),
        HookTemplate(
            "zoom", "Zoom: meetings that begin",
            .given("the Secret Token of the app, under Features, Access"), target: "https://zoom.us/j/{meeting}",
            keys: """
                when = [{ pointer = "/event", equals = "meeting.started" }]
                title = "{topic}"
                body = "The meeting has begun"
                level = "time-sensitive"
                accepted = 200
                """,
            values: """
                meeting = "/payload/object/id"
                topic = { pointer = "/payload/object/topic", default = "Zoom" }
                """,
            fields: [
                ("Features, Access, Event subscription: Event notification endpoint URL", "{url}"),
                ("Events", "Meeting, Start Meeting"),
            ]),
        HookTemplate(
            "discord", "Discord: commands of an app; each is answered at once, to its user alone",
            .given("the Public Key of the app, under General Information"),
            target: "https://discord.com/channels/{+guild}/{channel}",
            keys: """
                when = [{ pointer = "/type", equals = 2 }]
                id = { pointer = "/id" }
                title = "/{command}"
                body = "{sender}"
                accepted = { status = 200, json = { type = 4, data = { content = "Received.", flags = 64 } } }
                """,
            values: """
                guild = { pointer = "/guild_id", default = "@me" }
                channel = { pointer = ["/channel_id", "/channel/id"], default = "" }
                command = { pointer = "/data/name", default = "command" }
                sender = { pointer = ["/member/user/username", "/user/username"], default = "" }
                """,
            fields: [("General Information: Interactions Endpoint URL", "{url}")]),
        HookTemplate(
            "sendgrid", "SendGrid: mail that is not delivered, and complaints",
            .given("the Verification Key of Signed Event Webhook Requests"), target: "mailto:{+address}",
            keys: """
                each = { pointer = "", when = [{ pointer = "/event", in = ["bounce", "dropped", "spamreport"] }] }
                id = { template = "{event}" }
                title = "{what}: {address}"
                body = "{reason}"
                thread = "{what}"
                """,
            values: """
                address = "/email"
                what = "/event"
                event = ["/sg_event_id", "/sg_message_id"]
                reason = { pointer = "/reason", default = "" }
                """,
            fields: [
                ("Settings, Mail Settings, Event Webhooks, Create new webhook: Post URL", "{url}"),
                ("Actions to be posted", "Bounced, Dropped, Spam Reports"),
                ("Signed Event Webhook", "Enabled"),
            ]),
        HookTemplate(
            "sentry", "Sentry: issues that are created, and alerts",
            .given("the Client Secret of the internal integration, under Settings, Developer Settings"),
            target: "{+url}",
            keys: """
                when = [
                    { header = "Sentry-Hook-Resource", in = ["issue", "event_alert"] },
                    { pointer = "/action", in = ["created", "triggered"] },
                ]
                title = "{title}"
                subtitle = "{project}"
                thread = "{project}"
                """,
            values: """
                url = { pointer = ["/data/issue/web_url", "/data/event/web_url", "/data/issue/permalink", "/data/event/issue_url"], default = "https://sentry.io/" }
                title = { pointer = ["/data/issue/title", "/data/event/title"], default = "Sentry" }
                project = { pointer = "/data/issue/project/slug", default = "" }
                """,
            fields: [
                ("Settings, Developer Settings, New Internal Integration: Webhook URL", "{url}"),
                ("Permissions", "Issue & Event: Read"), ("Webhooks", "issue; Alert Rule Action: on"),
            ]),
        HookTemplate(
            "standard", "A sender that signs as Standard Webhooks does (Svix and others)", .madeForStandard,
            target: nil,
            keys: """
                title = "{type}"
                body = "{id}"
                thread = "{type}"
                """,
            values: """
                type = { pointer = ["/type", "/eventType"], default = "event" }
                id = { pointer = ["/data/id", "/id"], default = "" }
                """,
            fields: [("Endpoint URL", "{url}"), ("Secret", "{secret}")]),
        HookTemplate(
            "alertmanager", "Alertmanager (Prometheus): alerts that fire", .made, signature: "scheme = \"bearer\"",
            target: "{+url}",
            keys: """
                when = [{ pointer = "/version", equals = "4" }]
                each = { pointer = "/alerts", when = [{ pointer = "/status", equals = "firing" }] }
                id = { template = "{fingerprint}-{since}" }
                title = "{name}"
                subtitle = "{instance}"
                body = "{summary}"
                level = "{severity}"
                thread = "{receiver}"
                """,
            values: """
                url = [{ pointer = "/generatorURL" }, { body-pointer = "/externalURL", default = "http://localhost:9093/" }]
                name = { pointer = "/labels/alertname", default = "alert" }
                instance = { pointer = "/labels/instance", default = "" }
                summary = { pointer = ["/annotations/summary", "/annotations/description"], default = "" }
                severity = { pointer = "/labels/severity", default = "", map = { info = "passive", none = "passive" }, map-default = "time-sensitive" }
                fingerprint = "/fingerprint"
                since = "/startsAt"
                receiver = { body-pointer = "/receiver", default = "" }
                """,
            fields: [
                ("receivers, webhook_configs, url", "{url}"),
                ("http_config, authorization, type", "Bearer"),
                ("http_config, authorization, credentials", "{secret}"),
            ]),
        HookTemplate(
            "grafana", "Grafana: alerts that fire", .made,
            signature: "scheme = \"hmac\", header = \"X-Grafana-Alerting-Signature\", "
                + "timestamp-header = \"X-Grafana-Alerting-Timestamp\", content = \"{timestamp}:{body}\"",
            target: "{+url}",
            keys: """
                each = { pointer = "/alerts", when = [{ pointer = "/status", equals = "firing" }] }
                id = { template = "{fingerprint}-{since}" }
                title = "{name}"
                subtitle = "{folder}"
                body = "{summary}"
                level = "time-sensitive"
                thread = "{receiver}"
                """,
            values: """
                url = ["/panelURL", "/dashboardURL", "/generatorURL", { body-pointer = "/externalURL", default = "http://localhost:3000/" }]
                name = { pointer = "/labels/alertname", default = "alert" }
                folder = { pointer = "/labels/grafana_folder", default = "" }
                summary = { pointer = ["/annotations/summary", "/valueString"], default = "" }
                fingerprint = "/fingerprint"
                since = "/startsAt"
                receiver = { body-pointer = "/receiver", default = "" }
                """,
            fields: [
                ("Alerting, Contact points, Webhook: URL", "{url}"),
                ("Optional settings, HMAC Signature: Secret", "{secret}"),
                ("Header", "X-Grafana-Alerting-Signature"),
                ("Timestamp Header", "X-Grafana-Alerting-Timestamp"),
            ]),
    ]
}
