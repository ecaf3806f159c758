import ArgumentParser

/// Members of a receiver's setting by options of their own, for what is typed often; any member can be said with `--set`.
struct SinkMemberOptions: ParsableArguments {
  @Option(help: ArgumentHelp("fhir: the server's base address; as --set address=URL.", valueName: "url"))
  var address: String?
  @Option(help: ArgumentHelp("fhir: whose readings they are there, such as Patient/123.", valueName: "reference"))
  var patient: String?
  @Option(
    help: ArgumentHelp("fhir: or an identifier of theirs, which is looked up there.", valueName: "system|value"))
  var patientIdentifier: String?
  @Option(
    help: ArgumentHelp(
      "fhir: how this host proves who it is: none, bearer, basic, client-credentials or smart-backend.",
      valueName: "way"))
  var auth: String?
  @Option(
    help: ArgumentHelp("fhir: client makes the readings' names the ids of observations.", valueName: "server|client"))
  var fhirIds: String?

  /// What was given, as `--set` takes it.
  var members: [String] {
    let given = [
      ("address", address), ("patient", patient), ("patient_identifier", patientIdentifier), ("auth", auth),
      ("fhir_ids", fhirIds),
    ]
    return given.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
