import BluetoothWire
import Foundation
import MeterCore

/// What the host remembers of a meter between reads, so that a later read starts without discovery.
struct MeterKnowledge: Sendable {
  /// The cache's name for it, and the meter's address.
  let name: String
  let address: String
  let database: GATTDatabase
  let information: DeviceInformation
  /// By what the meter will tell that the database is another one.
  let marks: DatabaseMarks

  private struct Stored: Codable {
    var format: Int
    var database: GATTDatabase
    var information: DeviceInformation
    var marks: DatabaseMarks
  }

  /// What was stored in an earlier format is looked up anew.
  private static let format = 2

  static func name(peripheral: UInt32) -> String { "gatt-\(peripheral)" }

  init(
    name: String, address: String, database: GATTDatabase, information: DeviceInformation, marks: DatabaseMarks
  ) {
    self.name = name
    self.address = address
    self.database = database
    self.information = information
    self.marks = marks
  }

  /// From what was stored; nil when it is of another format or lacks what the driver needs by now.
  init?(_ bytes: [UInt8]?, name: String, address: String, requirements: [GATTRequirement]) {
    guard let bytes, let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
      stored.format == Self.format, stored.database.covers(requirements)
    else { return nil }
    self.init(
      name: name, address: address, database: stored.database, information: stored.information, marks: stored.marks)
  }

  var encoded: [UInt8] {
    let stored = Stored(format: Self.format, database: database, information: information, marks: marks)
    return (try? JSONEncoder().encode(stored)).map(Array.init) ?? []
  }
}

extension GATTDatabase {
  /// Whether everything that a driver cannot do without is there, and the indices are what they say.
  func covers(_ requirements: [GATTRequirement]) -> Bool {
    guard characteristics.allSatisfy({ services.indices.contains($0.serviceIndex) }) else { return false }
    return requirements.filter(\.isRequired).allSatisfy { requirement in
      guard let index = services.firstIndex(where: { $0.uuid == requirement.service }) else { return false }
      return requirement.characteristics.filter(\.isRequired).allSatisfy { wanted in
        characteristics.contains { $0.serviceIndex == index && $0.uuid == wanted.uuid }
      }
    }
  }
}
