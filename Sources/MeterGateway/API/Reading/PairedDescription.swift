import Foundation
public import MeterBluetooth

/// A paired meter as `--json` shows it.
public struct PairedDescription: Sendable, Codable, Hashable {
  /// The meter's stable UUID.
  public var uuid: String
  /// Its catalogue entry.
  public var peripheral: UInt32
  /// Its address when it was paired.
  public var address: String
  /// Its serial number, else its System ID or address.
  public var name: String

  /// Describes a paired meter.
  public init(_ meter: PairedMeter) {
    uuid = meter.uuid.uuidString.lowercased()
    peripheral = meter.peripheral
    address = meter.address
    name = meter.name
  }
}
