import ArgumentParser
import HostErrors
import MeterReceiver

/// Whether a command is about gateways of an organisation or about receivers.
struct FleetMemberOptions: ParsableArguments {
  @Option(help: "The organisation whose gateways they are.")
  var organization: String?
  @Flag(help: "They are receivers, which take the readings of all gateways.")
  var receiver = false

  func validate() throws {
    guard (organization != nil) != receiver else {
      throw ValidationError("Give --organization for gateways, or --receiver for receivers.")
    }
  }

  /// - Throws: ``ProgramError`` `fleet_name` where a name cannot be part of a subject.
  func check(_ names: [String]) throws(ProgramError) {
    for name in names + (organization.map { [$0] } ?? []) where !FleetSubject.isName(name) {
      throw ProgramError(
        .usage, code: "fleet_name", "\(name.prefix(80)) cannot stand in a subject of messages",
        hint: "gateways, receivers and the organisations of a fleet are named by 1 to 64 letters, digits, - and _")
    }
    guard Set(names).count == names.count else {
      throw ProgramError(.usage, code: "fleet_name", "a name is given twice; nothing was done")
    }
  }
}

/// A gateway or receiver of a fleet as JSON.
struct FleetMemberDescription: Encodable {
  /// Its last word.
  struct Word: Encodable {
    var at: String
    var pending: Int64?
    var held: Int64?
    var dead: Int64?
    var version: String?
  }

  let name: String
  let role: String
  let organization: String?
  let publicKey: String
  var createdAt: String?
  var seedFile: String?
  var lastWord: Word?

  enum CodingKeys: String, CodingKey {
    case name, role, organization
    case publicKey = "public_key"
    case createdAt = "created_at"
    case seedFile = "seed_file"
    case lastWord = "last_word"
  }

  init(organization: String?, name: String, publicKey: String, seedFile: String? = nil) {
    (self.organization, self.name, self.publicKey, self.seedFile) = (organization, name, publicKey, seedFile)
    role = organization == nil ? "receiver" : "gateway"
  }

  init(_ key: FleetKey) {
    self.init(organization: key.organization, name: key.name, publicKey: key.publicKey)
    createdAt = key.createdAt
  }
}
