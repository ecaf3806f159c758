import Foundation
public import MeterCore
public import MeterDrivers

extension IntakeContext {
  /// Readings of a display. It does not tell which meter of its kind it belongs to.
  ///
  /// - Parameters:
  ///   - display: The meter's entry.
  ///   - driver: The driver that has read it.
  ///   - session: Whose reading it is stands before it begins: when somebody else has signed in meanwhile, it is refused.
  public init(display: Peripheral, driver: DriverEntry, in session: Session) {
    self.init(
      session,
      admission: AdmissionContext(
        meter: MeterIdentity(serial: nil, model: nil, systemID: nil, address: ""),
        source: RecordSource(
          peripheralID: Int(display.id), manufacturer: display.manufacturer.isEmpty ? nil : display.manufacturer,
          model: display.model.isEmpty ? nil : display.model, deviceID: "", driverID: driver.id,
          driverVersion: "\(driver.version)"), gatewayZone: .gateway, userZone: session.options.timeZone))
  }
}

extension IntakeBatch {
  /// A reading off a display that a person has looked at, with its picture.
  ///
  /// - Parameter notes: Words that go with each of its records.
  /// - Returns: nil for a reading whose name is none.
  public init?(_ reading: OCRReading, picture: RecordImage?, notes: [RecordNote] = []) {
    guard let name = UUID(uuidString: reading.id) else { return nil }
    self.init(reading.records)
    images = [picture].compactMap(\.self)
    var circumstances = Circumstances(reading: name, arrival: reading.metadata.moment)
    circumstances.isCorrected = reading.isCorrected
    circumstances.notes = notes
    self.circumstances = circumstances
  }
}

extension HostClockReading {
  /// The clock as it was when a display was read.
  public init(of reading: OCRReading) {
    self.init(
      utcMicroseconds: reading.metadata.moment.utcMicroseconds,
      isSynchronized: reading.metadata.isClockSynchronized)
  }
}
