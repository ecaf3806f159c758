import Crypto
import HostPrimitives

extension ReceiverStore {
  /// Takes a batch of messages in one transaction. When it returns, what it says of each is on disk.
  ///
  /// A message that comes again says the same again, and is nowhere twice.
  ///
  /// - Returns: A verdict for each message, in their order.
  /// - Throws: `ReceiverError` of the database, after which nothing of the batch is known to be stored, or `CancellationError`.
  package func take(_ messages: [FleetMessage], by rules: FleetRules) async throws -> [FleetVerdict] {
    let claims = messages.map { message in Result { () throws(FleetFault) in try FleetClaim(message) } }
    let users = try await users(lookups: Set(claims.compactMap { try? $0.get().lookup }))
    let proved = zip(messages, claims).map { message, claim in
      claim.flatMap { claim in
        Result { () throws(FleetFault) in try ProvedMessage(message, claim, users: users[claim.lookup] ?? [], by: rules)
        }
      }
    }
    let numbers = Set(proved.compactMap { try? $0.get().user.account.number })
    guard !numbers.isEmpty else { return proved.map { Self.verdict($0, .unauthorized(text: "")) } }
    let time = timestamp
    return try await write(.accounts(numbers)) { database in
      try Self.store(proved, users: try Self.users(numbers: numbers, database), time: time, database)
    }
  }

  /// Asks the database whether it answers.
  ///
  /// - Throws: `ReceiverError` when it does not, or `CancellationError`.
  package func checkAnswers() async throws {
    _ = try await read { try $0.row("SELECT 1 AS one") != nil }
  }

  private static func store(
    _ proved: [Result<ProvedMessage, FleetFault>], users: [Int64: FleetUser], time: Int64,
    _ database: any StoreTransaction
  ) throws -> [FleetVerdict] {
    // They may have gone, been suspended or got another token since they were looked up.
    let current: [Result<ProvedMessage, FleetFault>] = proved.map { message in
      message.flatMap { message in message.user.isStill(users) ? .success(message) : .failure(FleetFault.gone) }
    }
    let batch = current.compactMap { try? $0.get() }.compactMap { message in
      (try? message.record.get()).map { BatchedRecord(account: message.user.account.number, record: $0) }
    }
    var receipts = try store(batch, time: time, database).makeIterator()
    var refusals: [RefusalRow] = []
    let verdicts = current.map { entry in
      guard let message = try? entry.get() else { return verdict(entry, .unauthorized(text: "")) }
      let made = message.verdict(receipt: message.isRecord ? receipts.next() : nil)
      if case .refused(_, let text) = made { refusals.append(message.row(reason: text)) }
      return made
    }
    try keep(refusals, time: time, database)
    return verdicts
  }

  private static func verdict(_ message: Result<ProvedMessage, FleetFault>, _ other: FleetVerdict) -> FleetVerdict {
    if case .failure(let fault) = message { .unauthorized(text: fault.text) } else { other }
  }

  private func users(lookups: Set<Int64>) async throws -> [Int64: [FleetUser]] {
    guard !lookups.isEmpty else { return [:] }
    return try await read { database in
      let rows = try Self.rows("token_lookup", lookups, database)
      return Dictionary(grouping: try rows.map { try FleetUser($0) }, by: \.lookup)
    }
  }

  private static func users(
    numbers: Set<Int64>, _ database: any StoreTransaction
  ) throws -> [Int64: FleetUser] {
    Dictionary(
      try rows("number", numbers, database).map { try FleetUser($0) }.map { ($0.account.number, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func rows(
    _ column: String, _ values: Set<Int64>, _ database: any StoreTransaction
  ) throws -> [SQLRow] {
    guard database.hasLists else {
      return try values.sorted().flatMap { try database.rows("SELECT * FROM account WHERE \(column) = $1", $0) }
    }
    var rows: [SQLRow] = []
    try database.forEachRow(
      "SELECT * FROM account WHERE \(column) = ANY($1)", [.integers(values.sorted())]
    ) { rows.append($0) }
    return rows
  }
}

/// A user with what messages are proved by.
private struct FleetUser: Sendable {
  let account: ReceiverAccount
  let digest: [UInt8]
  let lookup: Int64

  init(_ row: SQLRow) throws {
    account = try ReceiverAccount(row: row)
    digest = try row["token_digest"]
    lookup = try row["token_lookup"]
  }

  /// Whether they are the same, with the same token, and may upload.
  func isStill(_ users: [Int64: FleetUser]) -> Bool {
    guard let now = users[account.number] else { return false }
    return now.account.id == account.id && now.account.status == .active && now.digest == digest
  }
}

/// A message whose sender has the token of a user.
private struct ProvedMessage: Sendable {
  let message: FleetMessage
  let claim: FleetClaim
  let user: FleetUser
  let record: Result<ValidRecord, FleetRules.Refusal>

  /// - Parameter users: Those with the claim's lookup.
  /// - Throws: ``FleetFault`` where none of them has sent it, or may.
  init(_ message: FleetMessage, _ claim: FleetClaim, users: [FleetUser], by rules: FleetRules) throws(FleetFault) {
    guard let user = users.first(where: { claim.isProved(by: $0.digest) }) else { throw .unknown }
    // The server has let the gateway speak for that organisation only.
    guard user.account.organization.isExactly(claim.subject.organization) else { throw .otherOrganization }
    guard user.account.status == .active else { throw .suspended }
    (self.message, self.claim, self.user) = (message, claim, user)
    record = Result { () throws(FleetRules.Refusal) in
      try rules.record(message, collection: claim.subject.collection)
    }
  }

  var isRecord: Bool { (try? record.get()) != nil }

  /// - Parameter receipt: What the store has done with the record.
  func verdict(receipt: StoreReceipt?) -> FleetVerdict {
    switch record {
    case .failure(let refusal): return .refused(reason: refusal.reason, text: refusal.text)
    case .success:
      guard let receipt else { return .refused(reason: "invalid", text: "the record was not stored") }
      switch receipt.outcome {
      case .conflict:
        return .refused(
          reason: "conflict", text: "revision \(receipt.revision) is stored with other content already")
      case .typeConflict: return .refused(reason: "conflict", text: "log_id belongs to a record of another type")
      case .created: return stored(.created, receipt)
      case .unchanged: return stored(.unchanged, receipt)
      case .updated: return stored(.updated, receipt)
      case .superseded: return stored(.superseded, receipt)
      }
    }
  }

  private func stored(_ outcome: FleetVerdict.Outcome, _ receipt: StoreReceipt) -> FleetVerdict {
    .stored(outcome, id: receipt.id, logID: receipt.logID, revision: receipt.revision)
  }

  func row(reason: String) -> RefusalRow {
    RefusalRow(
      account: user.account.number, subject: message.subject.oneLine(atMost: 1024), messageID: claim.messageID,
      reason: reason,
      checksum: SHA256.hash(data: message.payload).hexadecimal, payload: message.payload)
  }
}

extension FleetFault {
  fileprivate static let unknown = FleetFault("no user has the token that it was sent with")
  fileprivate static let otherOrganization = FleetFault("the user is not one of the gateway's organisation")
  fileprivate static let suspended = FleetFault(
    "the user is suspended; ask the organisation to let them upload again")
  fileprivate static let gone = FleetFault("the user was removed, suspended or given another token")
}
