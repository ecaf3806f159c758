/// How a receiver is reached, where it stores, and what it accepts.
public struct ReceiverConfiguration: Sendable {
  /// A user to exist from the start, with their organisation.
  public struct Account: Sendable {
    /// The organisation's id; it is made if it is missing.
    public var organization: String
    /// The organisation's token for reading and provisioning, used when the organisation is made; nil makes a random one
    /// that nobody learns, which is right where records are read through the library only.
    public var organizationToken: String?
    /// The organisation's name for the user.
    public var uid: String
    /// The token that the user's host uploads with.
    public var token: String

    /// A user `uid` of `organization` who uploads with `token`.
    public init(organization: String, organizationToken: String? = nil, uid: String, token: String) {
      self.organization = organization
      self.organizationToken = organizationToken
      self.uid = uid
      self.token = token
    }
  }

  /// An organisation to exist from the start.
  public struct Organization: Sendable {
    /// Its id in URLs.
    public var id: String
    /// The token for reading and provisioning.
    public var token: String

    /// An organisation `id` that reads and provisions with `token`.
    public init(id: String, token: String) {
      self.id = id
      self.token = token
    }
  }

  /// The address to listen on. The receiver speaks plain HTTP: beyond this machine it belongs behind a TLS proxy.
  public var host = "127.0.0.1"
  /// The TCP port; 0 takes any free one, which `Receiver.run(onReady:)` reports.
  public var port = 0
  /// The path of the SQLite file, or `postgres://user@host:port/name`.
  public var database: String
  /// The largest request body in bytes; longer ones are answered with 413.
  public var bodyLimit = 1 << 20
  /// The most records that one request may hold; more are answered with 413.
  public var recordLimit = 500
  /// The largest image in bytes; longer ones are answered with 413.
  public var mediaLimit = 8 << 20
  /// The most images that a record may have; one more is answered with 422.
  public var mediaPerRecord = 16
  /// What stands before the paths of images in answers, such as `https://receiver.example`; with the empty text the
  /// addresses are paths.
  public var publicAddress = ""
  /// The metrics, units and values that are accepted.
  public var vocabulary = MeasurementVocabulary.standard
  /// Organisations that are made, or given the token stated here, when the receiver is set up; before the users.
  public var organizations: [Organization] = []
  /// Users who are made, or given the token stated here, when the receiver is set up.
  public var accounts: [Account] = []

  /// A receiver on a free port of the loopback address that stores in `database`.
  public init(database: String) {
    self.database = database
  }

  func validate() throws(ReceiverError) {
    guard (0...65_535).contains(port) else {
      throw ReceiverError(.invalidConfiguration, "The port must be 0 to 65535, not \(port)")
    }
    guard (256...(64 << 20)).contains(bodyLimit) else {
      throw ReceiverError(.invalidConfiguration, "The body limit must be 256 bytes to 64 MiB, not \(bodyLimit)")
    }
    guard (256...(64 << 20)).contains(mediaLimit), (1...1000).contains(mediaPerRecord) else {
      throw ReceiverError(
        .invalidConfiguration, "Images may have 256 bytes to 64 MiB, and a record 1 to 1000 of them")
    }
    guard publicAddress.isEmpty || Self.isAddress(publicAddress) else {
      throw ReceiverError(
        .invalidConfiguration, "The public address must be like https://receiver.example, without a / at the end")
    }
    guard (1...10_000).contains(recordLimit) else {
      throw ReceiverError(.invalidConfiguration, "The record limit must be 1 to 10000, not \(recordLimit)")
    }
  }

  /// Whether the text is the address of a PostgreSQL database with a password in it.
  public static func showsPassword(_ database: String) -> Bool {
    PostgresAddress.isMeant(by: database) && (try? PostgresAddress(database).hasPassword) == true
  }

  private static func isAddress(_ text: String) -> Bool {
    let rest = ["https://", "http://"].compactMap { text.hasPrefix($0) ? text.dropFirst($0.count) : nil }.first
    guard let rest, !rest.isEmpty, rest.last != "/" else { return false }
    return rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>?#@\\".utf8.contains($0) }
  }
}
