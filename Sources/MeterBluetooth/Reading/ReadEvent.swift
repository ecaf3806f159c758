public import MeterCore
public import MeterDrivers

/// A meter as it presented itself.
public struct MeterDescription: Sendable, Hashable, Codable {
  /// The address that it was heard from.
  public var address: String
  /// The name in its advertisement.
  public var name: String?
  /// What its Device Information Service says; nothing, when the meter only advertises: its identity is the address then.
  public var information: DeviceInformation

  /// The stable identity that log_ids are made from.
  public var identity: MeterIdentity {
    MeterIdentity(
      serial: information.serialNumber, model: information.model, systemID: information.systemID, address: address)
  }
}

/// What happens during one read, in order; the last event is `completed`, `alreadyDelivered`, `cancelled` or
/// `failed`.
///
/// A read of meters that only advertise may hear several of them. Each has a session of its own, and what they say comes
/// mixed; which meter a reading is from stands in the record's source. The read is completed with the first meter that
/// has brought a reading.
public enum ReadEvent: Sendable {
  /// The host listens for the meter; the text says what the person has to do.
  case started(instructions: String)
  /// The meter was heard and its link is up; a meter that only advertises was heard, once for each session of it.
  case connected(MeterDescription)
  /// The moment to measure; the text says how.
  case ready(readingInstructions: String)
  /// The driver's progress; `total` is nil when it is unknown.
  case progress(done: Int, total: Int?)
  /// A value that is still moving. It never becomes a reading.
  case provisional([DriverRecord])
  /// What the meter says about itself: clock, battery, serial number.
  case meterFacts(MeterFacts)
  /// Readings that are on disk. With ``ReadOptions/Submission/confirmFirst`` they wait there for
  /// the person's word, else their delivery has begun.
  case shouldSubmit([CommitRecord])
  /// The person is asked; the operation goes on when the question is answered or refused.
  case question(ReadQuestion)
  /// The person has to enter this number at the meter, as six digits.
  case passkeyToEnter(UInt32)
  /// The meter is paired, and known by this name from now on.
  case paired(PairedMeter)
  /// Everything that was wanted has been read. A read of advertisements that brought nothing but known readings is
  /// complete when the meter has fallen silent.
  case completed(ReadSummary)
  /// Passive reading was faster: this is what it has brought, and it is being delivered.
  case alreadyDelivered(ReadSummary)
  /// The caller gave up; what was committed before stays.
  case cancelled(ReadSummary)
  /// It went wrong; what was committed before stays.
  case failed(BluetoothError, ReadSummary)
}

/// What a caller may choose about one read.
public struct ReadOptions: Sendable {
  /// What happens with readings after they are on disk.
  public enum Submission: String, Sendable, Hashable, CaseIterable {
    /// They are delivered.
    case automatic
    /// They are held until the person confirms them.
    case confirmFirst = "confirm_first"
  }

  /// Addresses or stable UUIDs of the meters that may be read: nil is any meter, an empty set is none.
  public var allowList: Set<String>?
  /// How long to listen for the meter and to connect.
  public var connectionTimeout: Duration = .seconds(60)
  /// How long the meter may be silent, the driver may take to end, and all of it may last.
  public var session = SessionLimits()
  /// What happens with the readings.
  public var submission: Submission = .automatic
  /// Whose word counts on whether the host's clock is right.
  public var clockTrust: HostClockTrust = .kernel
  /// Pair when the meter requires it and is not paired.
  public var pairs = false
  /// Set the meter's clock to the host's, after it was read and the readings are on disk; only while the host's is trusted
  /// Nil: what is set for the meter decides, and it is off where nothing is.
  public var setsClock: Bool?
  /// The meter's user slot that belongs to the session's user; nil leaves the assignment as it is.
  public var userSlot: UInt16?
  /// Take what the meter measured before it was assigned to the session's user, too. The first such read reads
  /// the whole memory again.
  public var takesHistory = false
  /// Read the whole memory again, whatever earlier reads have brought: what is known already is recognised, and not delivered
  /// twice. Of no effect where a part of the memory is wanted, which is read without a look at earlier reads.
  public var readsAgain = false
  /// Which readings are wanted. A bounded read leaves no trace in the drivers' cursors, so that a later one misses nothing.
  public var window = ReadWindow()
  /// Write a recording of each session, not only of one that a fault of the driver ends (rule R8).
  public var records = false
  /// Whether somebody listens to ``ReadEvent/question(_:)`` and answers; else drivers hear that nobody can be asked.
  public var answersQuestions = false

  /// The defaults: any meter, one minute to be heard, delivery at once.
  public init() {}
}
