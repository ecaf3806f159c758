import ArgumentParser
import HostErrors
import MeterReceiver

/// Whom a command is about.
struct UserOptions: ParsableArguments {
  @Argument(help: "The organisation's id.")
  var organization: String
  @Argument(help: "The organisation's name for the user.")
  var user: String

  /// The user as the store has it, after a change.
  ///
  /// - Throws: ``ProgramError`` `not_found`, `ReceiverError`.
  func account(in store: ReceiverStore) throws -> ReceiverAccount {
    guard let account = try store.user(organization: organization, uid: user) else {
      throw ProgramError(.failed, code: "not_found", "the user was removed at the same moment")
    }
    return account
  }
}

/// A user as JSON.
struct UserDescription: Encodable {
  let organization: String
  let uid: String
  let id: String
  let status: String
  let createdAt: String
  let updatedAt: String
  var readings: Int?
  /// Only when it was made: the database has its SHA-256 alone.
  var token: String?

  enum CodingKeys: String, CodingKey {
    case organization, uid, id, status, readings, token
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }

  init(_ account: ReceiverAccount, readings: Int? = nil, token: String? = nil) {
    organization = account.organization
    uid = account.uid
    id = account.id
    status = account.status.rawValue
    createdAt = account.createdAt
    updatedAt = account.updatedAt
    (self.readings, self.token) = (readings, token)
  }

  /// The line of a result: as JSON, or for a person, whose words go to standard error so that standard output is the token alone.
  func tell(_ words: String, asJSON: Bool) {
    let terminal = Terminal()
    guard !asJSON else { return terminal.json(self) }
    terminal.error(words)
    if let token { terminal.out(token) }
  }
}
