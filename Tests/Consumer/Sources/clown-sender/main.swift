import UsherTarget

// usage: clown-sender CLOWN PATH SECRET "$(date +%s)" | curl --config -
let words = CommandLine.arguments
let catalog = try TargetCatalog(["clown": "https://clowntown.example/clowns/{clown}"])
var payload = APNsPayload()
payload.alert = .init(title: "Your clown is on the way")
payload.targetContentIdentifier = try catalog.build("clown", ["clown": .string(words[1])])
let request = try SignedWebhookRequest.standard(
    id: "order-\(words[1])", timestamp: Int64(words[4])!, path: words[2], body: payload.body(),
    secrets: [WebhookSecret(words[3])])
print(request.curlConfiguration(server: "http://127.0.0.1:8484"))
