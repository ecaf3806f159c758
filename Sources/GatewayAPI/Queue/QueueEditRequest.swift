public import Foundation
public import MeterCore

/// Corrects a reading that is held or was refused.
public struct QueueEditRequest: ControlRequest {
  /// The reading as it is then.
  public typealias Answer = QueueItem

  /// Its name on the socket.
  public static let name = "queue.edit"
  /// The reading.
  public var reading: QueueName
  /// New values of metrics that it has.
  public var values: [WrittenValue]
  /// A new start.
  public var time: MomentText?
  /// The zone of a time that is written without one, where the session has none.
  public var zone: String

  /// Corrects a reading.
  public init(_ reading: QueueName, values: [WrittenValue], time: MomentText?, zone: TimeZone? = nil) {
    self.reading = reading
    self.values = values
    self.time = time
    self.zone = zone?.identifier ?? GatewayZone.name
  }
}
