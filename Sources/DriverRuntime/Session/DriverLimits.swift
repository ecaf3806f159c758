/// What a driver may use up (rule R16). The registry can grant less than ``greatest``, never more.
public struct DriverLimits: Sendable, Hashable {
  /// CPU time of one event in milliseconds.
  public let eventCPUMilliseconds: UInt32
  /// Wall time of one event in milliseconds.
  public let eventWallMilliseconds: UInt32
  /// Memory of the driver in MiB.
  public let memoryMebibytes: UInt32
  /// Records of one event.
  public let recordsPerEvent: UInt32

  /// Limits.
  public init(
    eventCPUMilliseconds: UInt32, eventWallMilliseconds: UInt32, memoryMebibytes: UInt32, recordsPerEvent: UInt32
  ) {
    self.eventCPUMilliseconds = eventCPUMilliseconds
    self.eventWallMilliseconds = eventWallMilliseconds
    self.memoryMebibytes = memoryMebibytes
    self.recordsPerEvent = recordsPerEvent
  }

  /// What rule R16 grants: also what a driver gets whose entry says nothing.
  public static let greatest = DriverLimits(
    eventCPUMilliseconds: 1_000, eventWallMilliseconds: 10_000, memoryMebibytes: 64, recordsPerEvent: 4_096)
}
