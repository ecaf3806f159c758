import Foundation

/// By which numbers `decode` knows the characteristics of a driver's entries, as docs/reference/registry.md says.
public struct DecodeNumbers: Sendable {
  private struct Characteristic: Decodable {
    let uuid: String
    let decode_code: UInt16?
  }

  private struct Service: Decodable {
    let uuid: String
    let decode_code: UInt16?
    let characteristics: [Characteristic]
  }

  private struct Entry: Decodable {
    let id: UInt32
    let kind: String
    let driver: String?
    let services: [Service]?
  }

  private struct Registry: Decodable { let peripherals: [Entry] }

  private let numbers: [UInt32: [String: UInt16]]

  /// The numbers that the repository's registry gives.
  public init(driver id: String) throws {
    let data = try Data(contentsOf: CompiledBundle.root.appending(path: "registry.json"))
    let entries = try JSONDecoder().decode(Registry.self, from: data).peripherals
    let own = entries.filter { $0.driver == id && $0.kind == "bluetooth" }
    numbers = Dictionary(own.map { ($0.id, Self.numbers(of: $0)) }, uniquingKeysWith: { first, _ in first })
  }

  private static func numbers(of entry: Entry) -> [String: UInt16] {
    let services = entry.services ?? []
    let characteristics = services.flatMap(\.characteristics)
    let named =
      characteristics.compactMap { one in one.decode_code.map { (one.uuid.uppercased(), $0) } }
      + services.compactMap { one in one.decode_code.map { (one.uuid.uppercased(), $0) } }
    let vendors = characteristics.map { $0.uuid.uppercased() }.filter { $0.count > 8 }
    let placed = vendors.enumerated().map { ($1, UInt16(0x8000 + $0)) }
    return Dictionary(named.isEmpty ? placed : named, uniquingKeysWith: { first, _ in first })
  }

  /// The number of a characteristic, or of a service whose data it is: what its entry says, else any of the driver's; nil for one of
  /// the Bluetooth SIG's that has none.
  public func number(of characteristic: String, _ peripheral: UInt32?) -> UInt16? {
    let name = characteristic.uppercased()
    return peripheral.flatMap { numbers[$0]?[name] } ?? numbers.values.lazy.compactMap { $0[name] }.first
  }
}
