import Crypto
import DriverContract
import DriverRuntime
import HostPrimitives
import MeterCore

/// What a recording's file tells without a key: nothing about a person and nothing that a meter sent.
package struct RecordingHead: Sendable, Hashable {
  /// Where a recording comes from.
  package enum Origin: UInt8, Sendable, Hashable, CaseIterable {
    /// A session of this host.
    case session = 1
    /// A Bluetooth capture that was imported: there are no units to compare with.
    case capture
  }

  /// How the recorded session ended.
  package enum End: UInt8, Sendable, Hashable, CaseIterable {
    /// In order, or by the meter or the person.
    case orderly = 1
    /// By a fault of the driver or its worker; ``RecordingHead/fault`` says which.
    case fault
  }

  /// Sixteen random bytes: the recording's identity in its keys.
  package var id: [UInt8]
  /// Where it comes from.
  package var origin: Origin
  /// When it was written, microseconds since 1970-01-01T00:00Z; 0 when this machine did not know the date. It stands in the
  /// clear, and anybody may have changed it: ``dateMicroseconds`` is what to count with.
  package var createdMicroseconds: Int64
  /// The driver's id.
  package var driver: String
  /// The driver's version.
  package var driverVersion: String
  /// The bundle's file name.
  package var bundleName: String
  /// SHA-256 of the bundle.
  package var bundleHash: BundleHash
  /// The contract of the host.
  package var contract: ContractVersion
  /// The host's version.
  package var hostVersion: String
  /// The peripheral's number in the registry.
  package var peripheral: UInt32
  /// The same for the same meter on one gateway, and meaningless elsewhere; empty for an imported capture.
  package var meterTag: [UInt8]
  /// How the session ended.
  package var end: End
  /// The fault's code; empty when there was none.
  package var fault: String
  /// How many events the driver was handed.
  package var events: UInt32
  /// Whether something happened that was too much to keep.
  package var isTruncated: Bool

  /// Dates that a recording can have: 2020, before there was any, to 2200.
  static let dates: Range<Int64> = 1_577_836_800_000_000..<7_258_118_400_000_000

  /// When it was written; nil when that is not known, or cannot be.
  package var dateMicroseconds: Int64? { Self.dates.contains(createdMicroseconds) ? createdMicroseconds : nil }

  /// The sixteen bytes as hexadecimal digits.
  package var idText: String { id.hexadecimal }

  static let longest = 4096

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.put(id)
    writer.put(origin.rawValue)
    writer.put(createdMicroseconds)
    for text in [driver, driverVersion, bundleName] { writer.put(text) }
    writer.put(bundleHash.bytes)
    writer.put(contract.major)
    writer.put(contract.minor)
    writer.put(contract.layoutHash)
    writer.put(hostVersion)
    writer.put(peripheral)
    writer.put(meterTag)
    writer.put(end.rawValue)
    writer.put(fault)
    writer.put(events)
    writer.put(isTruncated)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    id = try reader.content()
    guard id.count == 16 else { throw WireError(message: "the recording's id has \(id.count) bytes") }
    guard let origin = Origin(rawValue: try reader.number()) else { throw WireError(message: "its origin is unknown") }
    self.origin = origin
    createdMicroseconds = try reader.number()
    driver = try reader.text()
    driverVersion = try reader.text()
    bundleName = try reader.text()
    guard let hash = BundleHash(bytes: try reader.content()) else {
      throw WireError(message: "the bundle's hash has the wrong length")
    }
    bundleHash = hash
    contract = ContractVersion(
      major: try reader.number(), minor: try reader.number(), layoutHash: try reader.number())
    hostVersion = try reader.text()
    peripheral = try reader.number()
    meterTag = try reader.content()
    guard let end = End(rawValue: try reader.number()) else { throw WireError(message: "its end is unknown") }
    self.end = end
    fault = try reader.text()
    events = try reader.number()
    isTruncated = try reader.flag()
    try reader.end()
  }

  init(
    id: [UInt8], origin: Origin, createdMicroseconds: Int64, driver: String, driverVersion: String, bundleName: String,
    bundleHash: BundleHash, contract: ContractVersion, hostVersion: String, peripheral: UInt32, meterTag: [UInt8],
    end: End, fault: String, events: UInt32, isTruncated: Bool
  ) {
    self.id = id
    self.origin = origin
    self.createdMicroseconds = createdMicroseconds
    self.driver = driver
    self.driverVersion = driverVersion
    self.bundleName = bundleName
    self.bundleHash = bundleHash
    self.contract = contract
    self.hostVersion = hostVersion
    self.peripheral = peripheral
    self.meterTag = meterTag
    self.end = end
    self.fault = fault
    self.events = events
    self.isTruncated = isTruncated
  }

  /// The head of an imported capture.
  package init(capturedBy driver: DriverEntry, bundle: VerifiedBundle, peripheral: UInt32, steps: Int, now: Int64) {
    self.init(
      id: Self.newID(), origin: .capture, createdMicroseconds: now, driver: driver.id,
      driverVersion: "\(driver.version)", bundleName: bundle.name, bundleHash: bundle.hash, contract: .host,
      hostVersion: HostVersion.current, peripheral: peripheral, meterTag: [], end: .orderly, fault: "",
      events: UInt32(clamping: steps), isTruncated: false)
  }

  static func newID() -> [UInt8] { SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) } }
}
