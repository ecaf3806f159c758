public import Foundation
public import MeterCore

/// Corrects a reading that is held or was refused.
public struct QueueEditRequest: ControlRequest {
  /// The reading as it is then.
  public typealias Answer = QueueItem

  /// Its name on the socket.
  public static let name = "queue.edit"
  /// Which reading is corrected, by the name that the queue shows.
  public var reading: QueueName
  /// New values of metrics that it has.
  public var values: [WrittenValue]
  /// When it was measured instead; nil leaves the time as it is.
  public var time: MomentText?
  /// The zone of a time that is written without one, where the session has none.
  public var zone: String
  /// What a person was shown who corrects: a reading that has another revision by now stays as it is. Nil: whatever waits.
  public var revision: Int?

  /// Corrects a reading.
  public init(
    _ reading: QueueName, values: [WrittenValue], time: MomentText?, zone: TimeZone? = nil, revision: Int? = nil
  ) {
    self.reading = reading
    self.values = values
    self.time = time
    self.zone = zone?.identifier ?? GatewayZone.name
    self.revision = revision
  }
}

extension QueueEditRequest {
  enum CodingKeys: String, CodingKey { case reading, values, time, zone, revision }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    reading = try container.decode(QueueName.self, forKey: .reading)
    values = try container.decode(.values, else: [])
    time = try container.decodeIfPresent(MomentText.self, forKey: .time)
    zone = try container.decode(.zone, else: GatewayZone.name)
    revision = try container.decodeIfPresent(Int.self, forKey: .revision)
  }
}
