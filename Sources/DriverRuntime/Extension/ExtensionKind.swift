package import DriverContract

/// What the host grants an extension of a kind, and how much both sides say to each other (rule R16).
package struct ExtensionKind: Sendable {
  /// The id by which a driver offers it.
  package let id: DriverExtension
  /// The longest payload of the host.
  package let longestQuestion: Int
  /// The longest payload of a worker.
  package let longestAnswer: Int
  /// What its worker may use up, by what an entry of the registry grants.
  package let limits: @Sendable (DriverLimits) -> DriverLimits
  /// CPU time for opening it, milliseconds.
  package let openingCPU: @Sendable (DriverLimits) -> UInt32
  /// CPU time of one call, milliseconds.
  package let callCPU: @Sendable (DriverLimits) -> UInt32
  /// How many times the wall time of an event a call may take.
  package let patience: Int

  /// The files of a bundle, or a picture of a camera with room to spare.
  static let usualQuestion = 48 << 20

  /// A kind; what is not named is as for an event of a session.
  init(
    _ id: DriverExtension, longestQuestion: Int = Self.usualQuestion, longestAnswer: Int = WireFrame.longest,
    limits: @escaping @Sendable (DriverLimits) -> DriverLimits = { $0 },
    openingCPU: @escaping @Sendable (DriverLimits) -> UInt32 = { $0.eventCPUMilliseconds },
    callCPU: @escaping @Sendable (DriverLimits) -> UInt32 = { $0.eventCPUMilliseconds }, patience: Int = 1
  ) {
    self.id = id
    self.longestQuestion = longestQuestion
    self.longestAnswer = longestAnswer
    self.limits = limits
    self.openingCPU = openingCPU
    self.callCPU = callCPU
    self.patience = patience
  }
}
