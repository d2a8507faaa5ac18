internal import UsherEngine
internal import UsherJSON
internal import UsherLog
internal import UsherOperation

extension OpenAPIDocument {
    /// The schemas of what is answered, and of what the paths that are no operations take.
    ///
    /// - Parameter operations: those of the answers of operations.
    static func schemas(with operations: SchemaCollection) -> [JSONValue.Member] {
        var schemas = operations
        for shape in [
            AcceptedAnswer.shape, InvalidAnswer.shape, RefusedAnswer.shape, ProblemAnswer.shape, DecisionRecord.shape,
            HealthAnswer.shape, TargetBuilding.shape, TargetMatching.shape, TargetLinting.shape,
            TargetBuildRequest.shape, TargetRequest.shape,
        ] {
            _ = schemas.schema(shape)
        }
        schemas.add(
            "Payload",
            [
                "type": "object",
                "description":
                    "A payload in any format that is read (APNs' JSON, a simctl file, a shortcut item, a user activity, an envelope around one of them).",
            ])
        schemas.add(
            "Element",
            [
                "description":
                    "One of a batch; a record where wait=1 was asked for and the others are not all finished",
                "oneOf": [
                    SchemaCollection.reference("Accepted"), SchemaCollection.reference("Invalid"),
                    SchemaCollection.reference("Refused"), SchemaCollection.reference("DecisionRecord"),
                ],
            ])
        return schemas.named
    }
}
