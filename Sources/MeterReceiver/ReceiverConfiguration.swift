package import HTTPServing
package import HostPrimitives

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

  /// The address to listen on. The library speaks plain HTTP: beyond this machine it belongs behind a TLS proxy, or into the program
  /// `meterhost-receiver`, which has TLS.
  public var host = "127.0.0.1"
  /// The TCP port; 0 takes any free one, which `Receiver.run(onReady:)` reports.
  public var port = 0
  /// The path of a Unix socket to listen on in place of address and port, of at most 107 bytes. Its file has the mode 0600: nobody but
  /// this user connects, and a client can see whose socket it is, which it cannot of a port. The folder must belong to this user.
  public var socket: String?
  /// Whether this user's group may connect to the socket, too (mode 0660).
  public var socketIsForGroup = false
  /// The most connections at once. One client, which is an address or a user of this machine, has three quarters of them at most; a
  /// connection without a request gives way to a new one.
  public var connectionLimit = 512
  /// Limits in place of those that follow from the others, and the clock by which they are kept.
  package var limits: ConnectionLimits?
  package var clock: any HostClock = .system
  /// TLS, of a program that brings it: the library links none.
  package var encryption: ConnectionEncryption?
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
    guard (1...65_536).contains(connectionLimit) else {
      throw ReceiverError(.invalidConfiguration, "The connection limit must be 1 to 65536, not \(connectionLimit)")
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

  /// A request of the largest size has its time on a slow link, too.
  var connectionLimits: ConnectionLimits {
    let seconds = 120 + max(bodyLimit, mediaLimit) / (32 << 10)
    return limits ?? ConnectionLimits(connections: connectionLimit, requestTime: .seconds(seconds))
  }

  /// Whether the text means a PostgreSQL database, and not a file.
  package static func isPostgres(_ database: String) -> Bool { PostgresAddress.isMeant(by: database) }

  /// Whether the text is the address of a PostgreSQL database with a password in it.
  public static func showsPassword(_ database: String) -> Bool {
    PostgresAddress.isMeant(by: database) && (try? PostgresAddress(database).hasPassword) == true
  }

  private static func isAddress(_ text: String) -> Bool {
    guard !text.hasSuffix("/"), let address = try? WebAddress(text) else { return false }
    return address.scheme == "https" || address.scheme == "http"
  }
}
