public import Foundation
public import MeterCore

/// Asks what a reading with the camera belongs to, before it begins.
public struct DisplayStartRequest: ControlRequest {
  /// The session that the reading will belong to.
  public typealias Answer = Ticket

  /// Its name on the socket.
  public static let name = "display.start"
  /// Asking changes nothing.
  public static let isRepeatable = true

  /// The session that the reading will belong to.
  public struct Ticket: Sendable, Codable, Hashable {
    /// The session in force when the reading began.
    public var generation: SessionGeneration
    /// Whether there is a user; without one the reading is kept and never delivered.
    public var hasUser: Bool
    /// The time that was asked about, in the zone of the session's user or else of whoever asks; nil where none was.
    public var time: RecordTime?

    package init(generation: SessionGeneration, hasUser: Bool, time: RecordTime? = nil) {
      self.generation = generation
      self.hasUser = hasUser
      self.time = time
    }
  }

  /// When a person says that it was measured.
  public var time: MomentText?
  /// The zone of a time that is written without one, where the session has none.
  public var zone: String

  /// Asks.
  ///
  /// - Parameter time: When a person says that it was measured. It is read before the reading is shown: what a person confirms
  ///   is what they have seen.
  public init(time: MomentText? = nil, zone: TimeZone? = nil) {
    self.time = time
    self.zone = zone?.identifier ?? GatewayZone.name
  }
}

extension DisplayStartRequest {
  enum CodingKeys: String, CodingKey { case time, zone }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(time: try container.decodeIfPresent(MomentText.self, forKey: .time))
    zone = try container.decode(.zone, else: zone)
  }
}

extension DisplayStartRequest.Ticket {
  private enum CodingKeys: String, CodingKey {
    case generation, time
    case hasUser = "has_user"
  }

  /// Reads a ticket.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      generation: SessionGeneration(rawValue: try container.decode(Int64.self, forKey: .generation)),
      hasUser: try container.decode(Bool.self, forKey: .hasUser),
      time: try container.decodeIfPresent(StatedTime.self, forKey: .time)?.time)
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(generation.rawValue, forKey: .generation)
    try container.encode(hasUser, forKey: .hasUser)
    try container.encodeIfPresent(time.map(StatedTime.init), forKey: .time)
  }
}
