extension OpenAPIDocument {
    static let deliveryPaths = #"""
        "/v1/deliveries": {
          "get": {
            "operationId": "listDeliveries", "tags": ["deliveries"],
            "summary": "Deliveries, newest first",
            "parameters": [
              {"name": "state", "in": "query", "description": "One state, or several parted by commas", "schema": {"type": "string", "examples": ["failed", "accepted,acting"]}},
              {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 100}},
              {"name": "before", "in": "query", "description": "Those that arrived before this id: the next page", "schema": {"type": "string"}}
            ],
            "responses": {
              "200": {
                "description": "Deliveries without their inputs",
                "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Delivery"}}}}
              },
              \#(problems(400))
            }
          }
        },
        "/v1/deliveries/{id}": {
          "parameters": [{"$ref": "#/components/parameters/delivery"}],
          "get": {
            "operationId": "getDelivery", "tags": ["deliveries"],
            "summary": "One delivery, with its record once it has one",
            "responses": {
              "200": {"description": "The delivery", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Delivery"}}}},
              \#(problems(404))
            }
          },
          "delete": {
            "operationId": "dropDelivery", "tags": ["deliveries"],
            "summary": "Forgets a failed delivery",
            "responses": {
              "200": {"description": "It is gone", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/DeliveryList"}}}},
              \#(problems(404, 409))
            }
          }
        },
        "/v1/deliveries/{id}/retry": {
          "parameters": [{"$ref": "#/components/parameters/delivery"}],
          "post": {
            "operationId": "retryDelivery", "tags": ["deliveries"],
            "summary": "Carries out a failed delivery once more",
            "responses": {
              "200": {"description": "It is open again", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/DeliveryList"}}}},
              \#(problems(404, 409))
            }
          }
        },
        "/v1/records": {
          "get": {
            "operationId": "streamRecords", "tags": ["deliveries"],
            "summary": "Decision records as they are made (Server-Sent Events)",
            "description": "Each event is `event: record`, `id:` the delivery's id, `data:` the decision record as JSON on one line. A client that was cut off sends the last id it saw and misses nothing that the journal still has.",
            "parameters": [
              {"name": "since", "in": "query", "description": "As Last-Event-ID, for clients that cannot set a field", "schema": {"type": "string"}},
              {"name": "Last-Event-ID", "in": "header", "description": "First the records that followed this delivery", "schema": {"type": "string"}}
            ],
            "responses": {
              "200": {
                "description": "A stream without an end",
                "content": {"text/event-stream": {
                  "schema": {"type": "string", "contentMediaType": "text/event-stream"},
                  "examples": {"record": {"value": "event: record\nid: 0199a7c2-0000-7000-8000-000000000001\ndata: {\"v\":1,\"id\":\"0199a7c2-0000-7000-8000-000000000001\"}\n\n"}}
                }}
              },
              \#(problems())
            }
          }
        }
        """#
}
