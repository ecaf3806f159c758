public import Foundation
import MeterBluetooth
public import MeterCore
import MeterDrivers
import MeterOCR

/// Asks what a reading with the camera belongs to, before it begins.
public struct DisplayStartRequest: ControlRequest {
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

  /// The session in force.
  public func perform(on owner: GatewayOwner) throws -> Ticket {
    let session = try owner.store.currentSession()
    let person = try owner.personZone(else: zone)
    return Ticket(
      generation: session.generation, hasUser: session.user != nil, time: try time.map(person.time))
  }
}

/// When a display was read.
public struct DisplayMoment: Sendable, Codable, Hashable {
  /// Microseconds since 1970-01-01T00:00Z by this machine's clock.
  public var microseconds: Int64
  /// Whether the clock was right at that moment.
  public var isSynchronized: Bool
  /// Whether a person has said when it was measured, such as of a photograph; else the picture has just been taken.
  public var isStated: Bool
  /// The moment with its offset, as a person has said it; nil where nobody has.
  public var time: RecordTime?
  /// The boot in which it was read, and the time since then, in microseconds; nil where only the date is known.
  public var bootID: String?
  /// See ``bootID``.
  public var bootMicroseconds: Int64?

  /// A moment from its parts.
  public init(microseconds: Int64, isSynchronized: Bool, isStated: Bool = false) {
    self.microseconds = microseconds
    self.isSynchronized = isSynchronized
    self.isStated = isStated
  }

  /// The moment at which a person says that it was measured.
  public init(stated time: RecordTime, isSynchronized: Bool) {
    self.init(microseconds: time.startMicroseconds, isSynchronized: isSynchronized, isStated: true)
    self.time = time
  }

  /// The moment at which a display was read.
  public init(read clock: BootClock, isSynchronized: Bool) {
    self.init(microseconds: clock.utcMicroseconds, isSynchronized: isSynchronized)
    (bootID, bootMicroseconds) = (clock.bootID, clock.bootMicroseconds)
  }

  /// The moment by the clock as it is now. A person may look at the picture for long before they confirm it; a clock that
  /// was set meanwhile was wrong before.
  ///
  /// - Parameter isSynchronized: Whether the clock is right now.
  func settled(by clock: BootClock, isSynchronized isRight: Bool) -> DisplayMoment {
    guard let arrival = arrival(in: clock), isRight || !isSynchronized else { return self }
    var settled = self
    settled.isSynchronized = isRight || isSynchronized
    // Two looks at the clocks are never quite alike: what was not set stays as it is, so that a repeat is the same.
    let (moved, overflows) = arrival.utcMicroseconds.subtractingReportingOverflow(microseconds)
    if overflows || !(-Self.jump...Self.jump).contains(moved) {
      settled.microseconds = arrival.utcMicroseconds / Self.jump * Self.jump
    }
    return settled
  }

  /// When it was read, by a clock of the same boot; nil in another one, and where a person says when.
  func arrival(in clock: BootClock) -> BootClock? {
    guard !isStated, let bootMicroseconds, bootID == clock.bootID, bootMicroseconds >= 0,
      bootMicroseconds <= clock.bootMicroseconds
    else { return nil }
    return BootClock(
      bootID: clock.bootID, bootMicroseconds: bootMicroseconds,
      utcMicroseconds: clock.utcMicroseconds(ofBoot: bootMicroseconds))
  }

  /// By less than this a clock is corrected, and not set.
  private static let jump: Int64 = 1_000_000

  /// Now, for a picture that has just been taken.
  ///
  /// - Parameter clockIsVouched: A person vouches for this machine's clock.
  public static func now(clockIsVouched: Bool = false) -> DisplayMoment {
    let trust: HostClockTrust = clockIsVouched ? .vouched : .kernel
    return DisplayMoment(read: .now, isSynchronized: trust.isSynchronized)
  }

  /// Longer than this nobody looks at a picture before they confirm it.
  static let longestDelay: Int64 = 86_400_000_000

  /// - Throws: ``GatewayError`` with code `display_time`.
  func check(now: Int64) throws(GatewayError) {
    let (age, overflows) = now.subtractingReportingOverflow(microseconds)
    guard overflows || age >= -RecordAdmission.futureTolerance else {
      throw .futureDisplay(microseconds, now: now)
    }
    let oldest = isStated ? Int64.max : Self.longestDelay
    guard !overflows, age <= oldest else {
      throw GatewayError(
        .usage, code: "display_time", "the picture's time is not one of the last day",
        hint: "read it again, or say when it was measured with --time")
    }
  }
}

/// Puts what was read from a display into the queue, with the picture, in one commit.
///
/// The records are named by the reading: sent twice, it is one.
public struct DisplaySubmitRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "display.submit"
  /// Performed twice, it submits once.
  public static let isRepeatable = true
  /// The most records of one display.
  public static let recordLimit = 8

  /// The reading; a random value that only this reading has.
  public var reading: UUID
  /// The OCR peripheral.
  public var peripheral: UInt32
  /// What the session was when the reading began.
  public var generation: SessionGeneration
  /// What the display shows.
  public var measurements: [DisplayMeasurement]
  /// When it was read.
  public var moment: DisplayMoment
  /// Whether a person has changed what was recognised.
  public var isCorrected = false
  /// Whether the meter was only drawn; the record says so then.
  public var isDrawn = false
  /// The SHA-256 of the bundle that has read it; nil where that is not said.
  public var bundle: String?
  /// The picture of the display, JPEG or PNG; nil for none.
  public var picture: Data?
  /// Deliver at once.
  public var delivers = true

  /// A submission.
  public init(
    reading: UUID, peripheral: UInt32, generation: SessionGeneration, measurements: [DisplayMeasurement],
    moment: DisplayMoment, picture: Data?
  ) {
    self.reading = reading
    self.peripheral = peripheral
    self.generation = generation
    self.measurements = measurements
    self.moment = moment
    self.picture = picture
  }

  /// What became of a reading.
  public struct Answer: Sendable, Codable, Hashable {
    /// Its records.
    public var records: [SubmittedRecord]
    /// Whether the picture goes with them; it does not where there is no session.
    public var hasPicture: Bool

    enum CodingKeys: String, CodingKey {
      case records
      case hasPicture = "picture"
    }
  }

  /// Records and picture are on disk when it returns, or nothing is.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`, `display_values`, `display_time`, that of an
  ///   `AdmissionRejection`, or that of a `RecordImage.Refusal` behind `image_`; `StoreError` with code
  ///   `stale_generation` when the user has changed since the reading began.
  public func perform(on owner: GatewayOwner) async throws -> Answer {
    let clock = BootClock.now
    let moment = moment.settled(by: clock, isSynchronized: HostClockTrust.kernel.isSynchronized)
    try moment.check(now: clock.utcMicroseconds)
    guard (1...Self.recordLimit).contains(measurements.count) else {
      throw GatewayError(
        .usage, code: "display_values",
        "a display gives 1 to \(Self.recordLimit) records, not \(measurements.count)")
    }
    var batch = IntakeBatch(try measurements.map { measurement throws(GatewayError) in try measurement.reported() })
    batch.images = try [picture].compactMap(\.self).map { picture throws(GatewayError) in
      try RecordImage.taken(Array(picture))
    }
    let session = try owner.store.currentSession()
    batch.circumstances = circumstances(moment, session, arrival: moment.arrival(in: clock))
    let receipt = try await take(batch, at: moment, of: session, in: owner)
    noteSuccess(in: owner.store)
    let names = measurements.indices.map { LogID.live(submission: reading, number: $0) }
    let left = delivers && session.user != nil ? try await owner.deliver(names, of: generation) : nil
    return Answer(
      records: try names.map { try SubmittedRecord($0, .init(receipt, of: $0), in: owner.store, left) },
      hasPicture: picture != nil && session.user != nil)
  }

  private func take(
    _ batch: IntakeBatch, at moment: DisplayMoment, of session: Session, in owner: GatewayOwner
  ) async throws -> CommitReceipt {
    let registry = owner.gateway.registry
    guard let entry = registry.peripheral(id: peripheral, kind: .ocr), !entry.isDisabled,
      let driver = entry.driverID.flatMap({ registry.driver(id: $0) })
    else { throw GatewayError.unknownDisplay(peripheral, in: registry) }
    var context = IntakeContext(display: entry, driver: driver, in: session)
    context.generation = generation
    let clock = HostClockReading(utcMicroseconds: moment.microseconds, isSynchronized: moment.isSynchronized)
    let receipt: IntakeReceipt
    do { receipt = try await Intake(owner.store).take(batch, context, clock: clock) } catch let error
      as AdmissionRejection
    { throw GatewayError(error) }
    return receipt.commit
  }

  private func circumstances(
    _ moment: DisplayMoment, _ session: Session, arrival: BootClock?
  ) -> IntakeBatch.Circumstances {
    var time: RecordTime?
    if moment.isStated {
      // The same moment, with the offset that a person wrote beside it.
      let stated = moment.time.flatMap { $0.startMicroseconds == moment.microseconds ? $0 : nil }
      let zone = session.options.timeZone
      time = stated ?? .utc(moment.microseconds, zone: zone ?? .gateway, source: zone == nil ? .gateway : .user)
    }
    var result = IntakeBatch.Circumstances(reading: reading, time: time, arrival: arrival)
    result.isCorrected = isCorrected
    result.notes = drawnNote
    return result
  }

  /// A receiver that gets what was tried out must be able to tell it from what was measured.
  private var drawnNote: [RecordNote] {
    guard isDrawn, let note = Metric.named("note").first else { return [] }
    return [RecordNote(field: note.code, text: "drawn by meterhost snap --demo: nothing was measured")]
  }
}

extension GatewayError {
  /// The catalogue has no such meter whose display is read.
  static func unknownDisplay(_ id: UInt32, in registry: Registry) -> GatewayError {
    let package = registry.disabledPackage(with: PeripheralKey(kind: .ocr, id: id))
    return GatewayError(
      .usage, code: "unknown_peripheral",
      package.map { Registry.isDisabled("the meter \(id)", package: $0) }
        ?? "there is no meter \(id) whose display can be read",
      hint: "`meterhost snap list` shows what there is")
  }
}
