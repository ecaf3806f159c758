package import GatewayAPI
import DriverContract
import Foundation
import HostPrimitives
package import MeterBluetooth
import MeterCore
package import MeterDrivers

/// Decodes captured characteristic values with the installed drivers: `meterhost driver decode`.
///
/// Requests of one call for the same peripheral and device go to the driver together: decoding is pure (rule R14), so
/// their order among others does not matter.
package struct DriverDecoder: Sendable {
  /// Longest line that is read.
  package static let maximumLineLength = 1 << 16

  private let registry: Registry
  private let bundles: BundleCatalog
  private let drivers: DriverHost

  /// A decoder with the drivers of a registry.
  package init(registry: Registry, bundles: BundleCatalog, drivers: DriverHost) {
    self.registry = registry
    self.bundles = bundles
    self.drivers = drivers
  }

  /// Decodes lines of JSON; answers in the same order, one each.
  package func decode(lines: [[UInt8]]) async -> [DecodeAnswer] {
    await decode(lines.map(Self.parse))
  }

  /// Decodes requests; answers in the same order, one each.
  package func decode(_ requests: [DecodeRequest]) async -> [DecodeAnswer] {
    await decode(requests.map { .success($0) })
  }

  private func decode(_ parsed: [Result<DecodeRequest, DecodeRefusal>]) async -> [DecodeAnswer] {
    var answers: [DecodeAnswer?] = Array(repeating: nil, count: parsed.count)
    var groups: [DecodeGroup: [Prepared]] = [:]
    for (place, line) in parsed.enumerated() {
      do throws(DecodeRefusal) {
        let prepared = try prepare(line.get(), place: place)
        groups[prepared.group, default: []].append(prepared)
      } catch {
        answers[place] = DecodeAnswer(id: error.id, records: [], error: error.failure)
      }
    }
    for group in groups.values {
      for (prepared, answer) in zip(group, await run(group[...])) { answers[prepared.place] = answer }
    }
    return answers.enumerated().map { place, answer in
      answer
        ?? DecodeAnswer(
          id: "", records: [], error: .init(code: "no_answer", message: "line \(place + 1) has no answer"))
    }
  }

  private static func parse(_ line: [UInt8]) -> Result<DecodeRequest, DecodeRefusal> {
    guard line.count <= maximumLineLength else {
      return .failure(DecodeRefusal("", "bad_line", "the line has more than \(maximumLineLength) bytes"))
    }
    let data = Data(line)
    do {
      return .success(try JSONDecoder().decode(DecodeRequest.self, from: data))
    } catch {
      // The id is given back wherever it can be read, so that the caller knows which line it was.
      let id = (try? JSONDecoder().decode(RequestName.self, from: data))?.id ?? ""
      return .failure(
        DecodeRefusal(
          id, "bad_line",
          "the line is not {\"id\", \"peripheral\", \"characteristic\", \"hex\", \"service_data\"?, \"device\"?}: \(DecodeRefusal.place(error))"
        ))
    }
  }

  private func prepare(_ request: DecodeRequest, place: Int) throws(DecodeRefusal) -> Prepared {
    guard let peripheral = registry.peripheral(id: request.peripheral) else {
      throw DecodeRefusal(request.id, "unknown_peripheral", registry.isNoBluetoothPeripheral(request.peripheral))
    }
    guard let driver = peripheral.driverID.flatMap({ registry.driver(id: $0) }) else {
      throw DecodeRefusal(request.id, "no_driver", "no driver is installed for \(peripheral.name)")
    }
    guard let bytes = [UInt8](hexadecimal: request.hex.utf8) else {
      throw DecodeRefusal(request.id, "bad_hex", "hex is not an even number of hexadecimal digits")
    }
    let isServiceData = request.serviceData ?? false
    let code = UUIDString(request.characteristic).flatMap { uuid in
      isServiceData ? peripheral.decodeCode(ofServiceData: uuid) : peripheral.decodeCode(of: uuid)
    }
    guard let code else {
      throw DecodeRefusal(
        request.id, "unknown_characteristic",
        "\(request.characteristic.prefix(64)) is neither a 16-bit id nor a "
          + "\(isServiceData ? "service" : "characteristic") of \(peripheral.name)")
    }
    return Prepared(
      place: place, request: request, peripheral: peripheral, driver: driver,
      item: DecodeItem(characteristic: code, isServiceData: isServiceData, receivedMicroseconds: 0, bytes: bytes))
  }

  /// One answer for each of the group, in its order.
  private func run(_ group: ArraySlice<Prepared>) async -> [DecodeAnswer] {
    guard let first = group.first else { return [] }
    do {
      let bundle = try bundles.bundle(for: first.driver)
      let outcomes = try await drivers.decode(
        bundle, driver: first.driver.id, opening: first.opening(with: bundle.assets), limits: first.driver.limits,
        items: group.map(\.item))
      guard outcomes.count == group.count else {
        throw DriverFault(
          .brokeRule, driver: first.driver.id, rule: "R14",
          message: "\(group.count) values were given and \(outcomes.count) answers came back")
      }
      return zip(group, outcomes).map { prepared, outcome in
        DecodeAnswer(id: prepared.request.id, outcome: outcome, driver: prepared.driver)
      }
    } catch let fault as DriverFault where group.count > 1 && fault.code.isOfOneValue {
      // One value may have brought the driver down; halving finds it and spares the others.
      let middle = group.startIndex + group.count / 2
      return await run(group[..<middle]) + (await run(group[middle...]))
    } catch {
      let code = error is DriverFault ? "driver_fault" : "driver_unavailable"
      return group.map { DecodeAnswer(id: $0.request.id, records: [], error: .init(code: code, message: "\(error)")) }
    }
  }
}

extension DriverFault.Code {
  /// Whether the value that is being decoded can bring the fault about: then the other values deserve another try.
  fileprivate var isOfOneValue: Bool {
    switch self {
    case .brokeRule, .crashed, .killed, .hung, .brokeProtocol: true
    case .loadFailed, .unknownDriver, .refused, .workerFailed, .closed, .cancelled: false
    }
  }
}

/// As much of a line as can be read when the whole cannot.
private struct RequestName: Decodable {
  var id: String?
}

/// What a driver is opened for: requests that share it are decoded together.
private struct DecodeGroup: Hashable {
  let peripheral: UInt32
  let device: DecodeRequest.Device?
}

/// A request whose driver is known.
private struct Prepared: Sendable {
  let place: Int
  let request: DecodeRequest
  let peripheral: Peripheral
  let driver: DriverEntry
  let item: DecodeItem

  var group: DecodeGroup { DecodeGroup(peripheral: peripheral.id, device: request.device) }

  func opening(with assets: [String: [UInt8]]) -> DriverOpening {
    let facts = DeviceFacts(name: request.device?.name, manufacturer: request.device?.manufacturer)
    return DriverOpening(
      peripheralID: peripheral.id, purpose: .test, manufacturer: request.device?.manufacturer ?? "",
      name: request.device?.name ?? "", advertisedName: request.device?.name ?? "",
      parameters: peripheral.parameters(for: facts).map(\.driverParameter), assets: assets)
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
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? "it is no JSON object" : "\"\(path)\" has the wrong type"
    case .dataCorrupted: return "it is no JSON"
    @unknown default: return "it is no JSON"
    }
  }
}
