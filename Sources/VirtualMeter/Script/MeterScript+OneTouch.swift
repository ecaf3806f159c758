import BluetoothWire

extension MeterScript {
  /// How a LifeScan OneTouch meter behaves.
  public struct OneTouch: Sendable {
    /// What the meter's clock shows: seconds of civil time since 2000-01-01.
    public var clock: UInt32
    /// The number of the newest record that was ever stored; nil: that of the newest record in the memory.
    public var newestNumber: UInt32?
    /// The byte that must stand before a command's payload; nil: any.
    public var commandPrefix: UInt8?
    /// The most bytes of one notification, header included.
    public var fragmentSize: Int
    /// Whether a record is gone once its reply is acknowledged.
    public var forgetsAcknowledged: Bool
    /// Whether the meter answers 07 without a bond.
    public var answersPairedOnly: Bool
    /// Commands that are answered with a status, by their first byte.
    public var refusals: [Refusal]

    /// A meter that answers everything.
    public init(
      clock: UInt32 = 0, newestNumber: UInt32? = nil, commandPrefix: UInt8? = nil, fragmentSize: Int = 20,
      forgetsAcknowledged: Bool = false, answersPairedOnly: Bool = false, refusals: [Refusal] = []
    ) {
      self.clock = clock
      self.newestNumber = newestNumber
      self.commandPrefix = commandPrefix
      self.fragmentSize = fragmentSize
      self.forgetsAcknowledged = forgetsAcknowledged
      self.answersPairedOnly = answersPairedOnly
      self.refusals = refusals
    }
  }
}

extension MeterScript.OneTouch {
  static let keys = [
    "kind", "clock", "newest_number", "command_prefix", "fragment_size", "forget_acknowledged", "paired_only", "refuse",
  ]

  init(_ object: ScriptObject) throws {
    let numbers = 0...Int(UInt32.max)
    self.init(
      clock: UInt32(try object.int("clock", in: numbers) ?? 0),
      newestNumber: try object.int("newest_number", in: numbers).map { UInt32($0) },
      commandPrefix: try object.optional("command_prefix", as: HexByte.self)?.value,
      fragmentSize: try object.int("fragment_size", in: 6...20) ?? 20,
      forgetsAcknowledged: try object.optional("forget_acknowledged") ?? false,
      answersPairedOnly: try object.optional("paired_only") ?? false, refusals: try object.list("refuse"))
  }
}

extension BluetoothUUID {
  /// Commands are written to it, and acknowledgements of replies.
  static let oneTouchCommand = BluetoothUUID("AF9DF7A2-E595-11E3-96B4-0002A5D5C51B") ?? 0
  /// Replies are notified on it, and acknowledgements of commands.
  static let oneTouchReply = BluetoothUUID("AF9DF7A3-E595-11E3-96B4-0002A5D5C51B") ?? 0
}
