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

  init(_ meter: MeterDescription, peripheral: UInt32) {
    uuid = meter.identity.peripheralUUID
    self.peripheral = peripheral
    address = meter.address
    name = meter.identity.displayName
    pairedMicroseconds = HostClock.unixMicroseconds
  }

  private static let cacheName = "paired"

  /// The meters that this store knows as paired, by name.
  ///
  /// - Throws: `StoreError`.
  public static func all(in store: MeterStore) throws(StoreError) -> [PairedMeter] {
    try store.cachedEverywhere(cacheName).compactMap { try? JSONDecoder().decode(PairedMeter.self, from: Data($0)) }
      .sorted { ($0.name, $0.address) < ($1.name, $1.address) }
  }

  func remember(in store: MeterStore) throws(StoreError) {
    let bytes = (try? JSONEncoder().encode(self)).map(Array.init) ?? []
    try store.setCached(bytes, Self.cacheName, address: address)
  }

  /// Forgets that the meter is paired; its bond and keys are the caller's to forget.
  ///
  /// - Throws: `StoreError`.
  public func forget(in store: MeterStore) throws(StoreError) {
    try store.setCached(nil, Self.cacheName, address: address)
  }
}
