public import Foundation
public import MeterCore

/// A meter that was paired with this gateway.
public struct PairedMeter: Sendable, Hashable, Codable {
  /// The meter's stable name, the same on every gateway.
  public var uuid: UUID
  /// Its catalogue entry.
  public var peripheral: UInt32
  /// Its address when it was paired.
  public var address: String
  /// Its serial number, else its System ID or address.
  public var name: String
  /// When it was paired, microseconds since 1970-01-01T00:00Z.
  public var pairedMicroseconds: Int64

  init(_ meter: MeterDescription, peripheral: UInt32, at unixMicroseconds: Int64) {
    uuid = meter.identity.peripheralUUID
    self.peripheral = peripheral
    address = meter.address
    name = meter.identity.displayName
    pairedMicroseconds = unixMicroseconds
  }

  /// Nil of a meter that is not paired.
  init?(_ meter: StoredMeter) {
    guard let pairing = meter.pairing, let peripheral = meter.peripheral, let address = meter.address else {
      return nil
    }
    uuid = meter.uuid
    self.peripheral = peripheral
    self.address = address
    name = meter.name
    pairedMicroseconds = pairing.sinceMicroseconds
  }

  /// The meters that this store knows as paired, by name.
  ///
  /// - Throws: `StoreError`.
  public static func all(in store: MeterStore) throws(StoreError) -> [PairedMeter] {
    try store.meters().compactMap(PairedMeter.init).sorted { ($0.name, $0.address) < ($1.name, $1.address) }
  }
}
