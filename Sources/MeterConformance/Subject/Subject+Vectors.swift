import DriverContract
import MeterDrivers

/// A vector that cannot be decoded as it stands, and why.
struct StrayVector: Error, Sendable, Hashable {
  var id: String
  var words: String
}

// A vector names its characteristic by UUID; `decode` takes a number.
extension Subject {
  /// Vectors that name what the driver's entries do not have.
  var strays: [StrayVector] {
    vectors.compactMap { vector in
      do throws(StrayVector) {
        _ = try code(of: vector)
        _ = try parameters(of: vector)
        return nil
      } catch { return error }
    }
  }

  /// By what number `decode` names a vector's characteristic; nil: it is the affair of another driver of the bundle.
  func code(of vector: DecodeVector) throws(StrayVector) -> UInt16? {
    if let short = vector.uuid.uuid16 { return short }
    let entries = peripherals.filter { vector.peripheral == nil || $0.id == vector.peripheral }
    let codes = Set(entries.compactMap { $0.code(of: vector) })
    if codes.count > 1 {
      throw StrayVector(
        id: vector.id,
        words: "the driver's entries have several numbers for \(vector.uuid) (\(codes.sorted())): "
          + "state \"decode_code\" in the registry, or \"peripheral\" in the vector")
    }
    if let code = codes.first { return code }
    guard !registry.peripherals.contains(where: { $0.driverID != entry.id && $0.code(of: vector) != nil }) else {
      return nil
    }
    throw StrayVector(
      id: vector.id,
      words: "no entry of the driver lists "
        + (vector.isServiceData ? "the service \(vector.uuid)" : "the characteristic \(vector.uuid)")
        + (hasMadeUpEntry ? "; name the script of a meter that has it with --meter" : ""))
  }

  /// The parameters that a vector's value is decoded with.
  func parameters(of vector: DecodeVector) throws(StrayVector) -> [DriverParameter] {
    var parameters: [DriverParameter] = []
    for (name, value) in vector.parameters.sorted(by: { $0.key < $1.key }) {
      guard let code = parameter(name) else {
        throw StrayVector(
          id: vector.id, words: "\(name) is no parameter of the contract, and the driver's entry declares none")
      }
      parameters.append(DriverParameter(name: code, value: .integer(value)))
    }
    return parameters
  }
}

extension Peripheral {
  fileprivate func code(of vector: DecodeVector) -> UInt16? {
    vector.isServiceData ? decodeCode(ofServiceData: vector.uuid) : decodeCode(of: vector.uuid)
  }
}
