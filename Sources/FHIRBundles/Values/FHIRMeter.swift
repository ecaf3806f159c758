package import MeterCore
import Foundation
import HostPrimitives

/// The meter that a reading came from: the implementation guide's personal health device.
package struct FHIRMeter: Sendable, Hashable {
  /// A moment at which the meter's clock was compared with the host's.
  package struct ClockReading: Sendable, Hashable {
    /// The host's clock, in microseconds since 1970-01-01T00:00Z.
    package let hostMicroseconds: Int64
    /// How far the meter's clock was ahead.
    package let aheadMicroseconds: Int64

    /// A comparison of both clocks.
    package init(hostMicroseconds: Int64, aheadMicroseconds: Int64) {
      (self.hostMicroseconds, self.aheadMicroseconds) = (hostMicroseconds, aheadMicroseconds)
    }
  }

  /// The maker; nil where neither the meter nor the catalogue says it.
  package var manufacturer: String?
  /// The model.
  package var model: String?
  /// The serial number.
  package var serialNumber: String?
  /// The System ID, 8 bytes, as IEEE 11073 orders them.
  package var systemID: [UInt8]?
  /// The public address, as `AA:BB:CC:DD:EE:FF`.
  package var address: String?
  /// The version of its firmware.
  package var firmware: String?
  /// The driver that read it, which is told where the firmware is not known.
  package var driverVersion: String
  /// What is known of its clock.
  package var clock: ClockReading?

  /// What a record says of the meter that it came from.
  ///
  /// Nil for what no driver has read off a meter by its radio: what people enter or have corrected, displays, exports of health
  /// stores, and documents of other programs.
  package init?(_ record: Record) {
    let source = record.source
    guard record.origin == .device, source.peripheralID != 0, !source.deviceID.isEmpty else { return nil }
    func note(_ field: String) -> String? {
      record.notes.first { Metric.withCode($0.field)?.name == field }.flatMap { FHIRText.string($0.text) }
    }
    manufacturer = note("manufacturer") ?? source.manufacturer.flatMap(FHIRText.string)
    model = note("model") ?? source.model.flatMap(FHIRText.string)
    firmware = note("firmware_version")
    driverVersion = FHIRText.string(source.driverVersion) ?? "0"
    // A meter is called by its serial number, else by its System ID in hexadecimal, else by its address.
    if Self.isAddress(source.deviceID) {
      address = source.deviceID
    } else if let bytes = Self.systemID(source.deviceID) {
      systemID = bytes
    } else {
      serialNumber = FHIRText.string(source.deviceID)
    }
    serialNumber = serialNumber ?? note("serial_number")
    clock = ClockReading(record)
    guard identifier != nil else { return nil }
  }

  private static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && [UInt8](hexadecimal: $0.utf8) != nil }
  }

  private static func systemID(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 16, text == text.lowercased(), let bytes = [UInt8](hexadecimal: text.utf8) else {
      return nil
    }
    return bytes
  }
}

extension FHIRMeter.ClockReading {
  /// The comparison that a record holds: what the driver said of the meter's clock, or a start that is not what the meter showed.
  init?(_ record: Record) {
    let time = record.time
    guard time.kind != .none else { return nil }
    if let value = record.values.first(where: { $0.metricName == "clock_offset" }), value.ucum == "s",
      let ahead = Self.microseconds(value.number)
    {
      let (host, isTooLarge) = time.startMicroseconds.subtractingReportingOverflow(ahead)
      guard ahead != 0, !isTooLarge else { return nil }
      self.init(hostMicroseconds: host, aheadMicroseconds: ahead)
      return
    }
    guard let civil = time.civilMicroseconds, let offset = time.utcOffsetSeconds else { return nil }
    let (shown, isTooLarge) = civil.subtractingReportingOverflow(Int64(offset) * 1_000_000)
    let (ahead, isTooFar) = shown.subtractingReportingOverflow(time.startMicroseconds)
    guard !isTooLarge, !isTooFar, ahead != 0 else { return nil }
    self.init(hostMicroseconds: time.startMicroseconds, aheadMicroseconds: ahead)
  }

  /// A century at most: beyond it no clock was compared with another one.
  private static func microseconds(_ seconds: ReportedNumber) -> Int64? {
    let value = (seconds.doubleValue * 1_000_000).rounded()
    return value.magnitude < 3.2e15 ? Int64(exactly: value) : nil
  }
}

/// An identifier of a device, by which a server finds it again.
package struct FHIRDeviceIdentifier: Sendable, Hashable {
  /// The kind, of Continua's kinds; nil where it is none of them.
  package let type: String?
  /// The system.
  package let system: String
  /// The value.
  package let value: String
}

extension FHIRMeter {
  /// All identifiers, the one that the meter is found by first: System ID, else address, else maker's serial number.
  package var identifiers: [FHIRDeviceIdentifier] {
    var found: [FHIRDeviceIdentifier] = []
    if let systemID {
      found.append(
        FHIRDeviceIdentifier(
          type: "SYSID", system: "urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680", value: Self.dashed(systemID)))
    }
    if let bytes = address.flatMap({ [UInt8](hexadecimal: $0.utf8.filter { $0 != UInt8(ascii: ":") }) }) {
      found.append(
        FHIRDeviceIdentifier(
          type: "BTMAC", system: "http://hl7.org/fhir/sid/eui-48/bluetooth", value: Self.dashed(bytes)))
    }
    if let serialNumber {
      // What many meters share is no serial number.
      let identity = MeterIdentity(serial: serialNumber, model: model, systemID: nil, address: "")
      if !identity.isByAddress {
        found.append(
          FHIRDeviceIdentifier(
            type: nil, system: "urn:ietf:rfc:3986",
            value: "urn:uuid:" + identity.peripheralUUID.uuidString.lowercased()))
      }
    }
    return found
  }

  /// The one that the meter is found by.
  package var identifier: FHIRDeviceIdentifier? { identifiers.first }

  /// `FE-ED-AB-EE-DE-AD-77-C3`.
  private static func dashed(_ bytes: [UInt8]) -> String {
    bytes.map { [$0].hexadecimal.uppercased() }.joined(separator: "-")
  }
}
