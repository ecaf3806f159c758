import DriverRuntime
import Foundation
public import MeterBluetooth
import MeterCore
public import MeterDrivers

/// Decodes captured characteristic values with the installed drivers: `meterhost driver decode`.
///
/// Neighbouring requests for the same peripheral and device go to the driver in one call.
public struct DriverDecoder: Sendable {
  /// Longest line that is read.
  public static let maximumLineLength = 1 << 16

  private let registry: Registry
  private let bundles: BundleCatalog
  private let drivers: DriverHost

  /// A decoder with the drivers of a registry.
  public init(registry: Registry, bundles: BundleCatalog, drivers: DriverHost) {
    self.registry = registry
    self.bundles = bundles
    self.drivers = drivers
  }

  /// Decodes lines of JSON; answers in the same order, one each.
  public func decode(lines: [[UInt8]]) async -> [DecodeAnswer] {
    await decode(lines.map(Self.parse))
  }

  /// Decodes requests; answers in the same order, one each.
  public func decode(_ requests: [DecodeRequest]) async -> [DecodeAnswer] {
    await decode(requests.map { .success($0) })
  }

  private func decode(_ parsed: [Result<DecodeRequest, DecodeRefusal>]) async -> [DecodeAnswer] {
    var answers: [DecodeAnswer] = []
    answers.reserveCapacity(parsed.count)
    var group: [Prepared] = []
    for line in parsed {
      do throws(DecodeRefusal) {
        let prepared = try prepare(line.get())
        if let last = group.last, !last.sharesOpening(with: prepared) {
          answers += await run(group)
          group = []
        }
        group.append(prepared)
      } catch {
        answers += await run(group)
        group = []
        answers.append(DecodeAnswer(id: error.id, records: [], error: error.failure))
      }
    }
    return answers + (await run(group))
  }

  private static func parse(_ line: [UInt8]) -> Result<DecodeRequest, DecodeRefusal> {
    guard line.count <= maximumLineLength else {
      return .failure(DecodeRefusal("", "bad_line", "the line has more than \(maximumLineLength) bytes"))
    }
    do {
      return .success(try JSONDecoder().decode(DecodeRequest.self, from: Data(line)))
    } catch {
      return .failure(
        DecodeRefusal(
          "", "bad_line",
          "the line is not {\"id\", \"peripheral\", \"characteristic\", \"hex\", \"device\"?}: \(DecodeRefusal.place(error))"
        ))
    }
  }

  private func prepare(_ request: DecodeRequest) throws(DecodeRefusal) -> Prepared {
    guard let peripheral = registry.peripheral(id: request.peripheral) else {
      throw DecodeRefusal(request.id, "unknown_peripheral", "there is no Bluetooth peripheral \(request.peripheral)")
    }
    guard let driver = peripheral.driverID.flatMap({ registry.driver(id: $0) }) else {
      throw DecodeRefusal(request.id, "no_driver", "no driver is installed for \(peripheral.name)")
    }
    guard let bytes = [UInt8](hexadecimal: request.hex) else {
      throw DecodeRefusal(request.id, "bad_hex", "hex is not an even number of hexadecimal digits")
    }
    guard let characteristic = peripheral.decodeCode(of: request.characteristic) else {
      throw DecodeRefusal(
        request.id, "unknown_characteristic",
        "\(request.characteristic.prefix(64)) is neither a 16-bit id nor a characteristic of \(peripheral.name)")
    }
    return Prepared(
      request: request, peripheral: peripheral, driver: driver,
      item: DecodeItem(characteristic: characteristic, receivedMicroseconds: 0, bytes: bytes))
  }

  private func run(_ group: [Prepared]) async -> [DecodeAnswer] {
    guard let first = group.first else { return [] }
    do {
      let bundle = try bundles.bundle(for: first.driver)
      let outcomes = try await drivers.decode(
        bundle, driver: first.driver.id, opening: first.opening, items: group.map(\.item))
      return zip(group, outcomes).map { prepared, outcome in
        DecodeAnswer(id: prepared.request.id, outcome: outcome, driver: prepared.driver)
      }
    } catch is DriverFault where group.count > 1 {
      // One value may have brought the driver down; the others are tried without it.
      var answers: [DecodeAnswer] = []
      for prepared in group { answers += await run([prepared]) }
      return answers
    } catch {
      let code = error is DriverFault ? "driver_fault" : "driver_unavailable"
      return group.map { DecodeAnswer(id: $0.request.id, records: [], error: .init(code: code, message: "\(error)")) }
    }
  }
}

/// A request whose driver is known.
private struct Prepared: Sendable {
  let request: DecodeRequest
  let peripheral: Peripheral
  let driver: DriverEntry
  let item: DecodeItem

  func sharesOpening(with other: Prepared) -> Bool {
    peripheral.id == other.peripheral.id && request.device == other.request.device
  }

  var opening: DriverOpening {
    let facts = DeviceFacts(name: request.device?.name, manufacturer: request.device?.manufacturer)
    return DriverOpening(
      peripheralID: peripheral.id, purpose: .test, manufacturer: request.device?.manufacturer ?? "",
      name: request.device?.name ?? "", advertisedName: request.device?.name ?? "",
      parameters: peripheral.parameters(for: facts).map(\.driverParameter))
  }
}

/// Why a line was not even handed to a driver.
private struct DecodeRefusal: Error {
  let id: String
  let failure: DecodeAnswer.Failure

  init(_ id: String, _ code: String, _ message: String) {
    self.id = id
    failure = DecodeAnswer.Failure(code: code, message: message)
  }

  /// Where a line of JSON is wrong, without Foundation's own prose about types.
  static func place(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it is no JSON object" }
    switch error {
    case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has the wrong type"
    case .dataCorrupted: return "it is no JSON"
    @unknown default: return "it is no JSON"
    }
  }
}
