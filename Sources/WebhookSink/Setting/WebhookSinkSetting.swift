package import SinkHTTP

/// Where readings are posted, and what is taken for their receipt (docs/reference/webhook.md). The secret that signs them is the sink's
/// credential.
///
/// ```swift
/// var setting = WebhookSinkSetting(address: "https://example.org/readings")
/// setting.confirmation = .echo
/// let sink = WebhookSink(try setting.checked(in: place))
/// ```
package struct WebhookSinkSetting: Sendable, Hashable {
  /// By what an answer says that the receiver has a reading.
  package enum Confirmation: String, Sendable, Hashable, Codable, CaseIterable {
    /// By a status that is a success. Whoever answers at the address may have given it.
    case status
    /// By such a status and the message's own id in the answer's field `webhook-id`: the receiver has stored the reading.
    case echo
  }

  /// How the receiver is reached.
  package var reach: SinkReach
  /// A file with the value of the field `Authorization`, read for each request.
  package var authorizationFile: String?
  /// By what an answer says that the receiver has a reading.
  package var confirmation = Confirmation.status
  /// How many days the content of a reading stays here after its delivery.
  package var keepDays = 0

  /// What ``keepDays`` may be.
  static let keepDaysRange = 0...365

  /// A setting for an address, with defaults for all else.
  package init(address: String) { reach = SinkReach(address) }

  /// The members as they are written.
  enum Member: String, CodingKey {
    case confirmation
    case authorizationFile = "authorization_file"
    case keepDays = "keep_days"
  }
}

extension WebhookSinkSetting: Codable {
  /// Reads a setting; what is left out has its default.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    reach = try SinkReach(from: decoder)
    authorizationFile = try members.decodeIfPresent(String.self, forKey: .authorizationFile)
    confirmation = try members.decodeIfPresent(Confirmation.self, forKey: .confirmation) ?? confirmation
    keepDays = try members.decodeIfPresent(Int.self, forKey: .keepDays) ?? keepDays
  }

  /// Writes a setting; what has its default is left out.
  package func encode(to encoder: any Encoder) throws {
    try reach.encode(to: encoder)
    var members = encoder.container(keyedBy: Member.self)
    try members.encodeIfPresent(authorizationFile, forKey: .authorizationFile)
    if confirmation != .status { try members.encode(confirmation, forKey: .confirmation) }
    if keepDays != 0 { try members.encode(keepDays, forKey: .keepDays) }
  }
}
