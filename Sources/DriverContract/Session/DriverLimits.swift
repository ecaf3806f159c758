/// What a driver may use up (rule R16). The registry can grant less than ``greatest``, never more.
public struct DriverLimits: Sendable, Hashable {
  /// CPU time of one event in milliseconds.
  public let eventCPUMilliseconds: UInt32
  /// Wall time of one event in milliseconds.
  public let eventWallMilliseconds: UInt32
  /// Memory of the driver in MiB.
  public let memoryMebibytes: UInt32
  /// How many records a driver may put out for one event.
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

  /// CPU time in milliseconds for loading what a reader of displays needs: 5 s where an event has 1 s.
  public var loadCPUMilliseconds: UInt32 { eventCPUMilliseconds.multipliedSaturating(by: 5) }

  /// CPU time in milliseconds for one picture: 10 s where an event has 1 s.
  public var imageCPUMilliseconds: UInt32 { eventCPUMilliseconds.multipliedSaturating(by: 10) }

  /// The same with the memory that pictures of the largest size need: 512 MiB where a driver has 64.
  public var forImages: DriverLimits {
    DriverLimits(
      eventCPUMilliseconds: eventCPUMilliseconds, eventWallMilliseconds: eventWallMilliseconds,
      memoryMebibytes: memoryMebibytes.multipliedSaturating(by: 8), recordsPerEvent: recordsPerEvent)
  }
}

extension UInt32 {
  fileprivate func multipliedSaturating(by factor: UInt32) -> UInt32 {
    let (product, isTooMuch) = multipliedReportingOverflow(by: factor)
    return isTooMuch ? .max : product
  }
}
