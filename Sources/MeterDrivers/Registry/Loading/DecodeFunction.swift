import DriverContract
import StrictJSON

extension RegistryDecoder {
  /// A function beyond the contract (rule R19).
  mutating func function(_ value: JSONElement) throws(RegistryError) -> DriverEntry.Function {
    var object = try ObjectReader<FunctionKey>(value)
    let name = try object.required(.name).word("_", limit: 64)
    let signature = try signature(object.required(.signature))
    let arguments = try values(object.optional(.arguments), signature.inputs, "argument", of: signature)
    let outputs = try values(object.optional(.outputs), signature.outputs, "output", of: signature)
    let function = DriverEntry.Function(
      name: name, signature: signature, summary: try object.required(.summary).text(), arguments: arguments,
      outputs: outputs)
    try object.finish(&warnings)
    return function
  }

  private func signature(_ place: JSONElement) throws(RegistryError) -> FunctionSignature {
    let text = try place.string(limit: FunctionSignature.longest)
    do throws(FunctionSignature.ParseError) { return try FunctionSignature(text) } catch {
      throw place.error(
        .invalidValue, "\"\(shown(text))\" is no signature: \(error)",
        cure: "write i32(PARAMETER,...) such as i32(bytes,f64,out_bytes), without spaces")
    }
  }

  /// Names for the signature's arguments or outputs; as many as there are, or none at all.
  private mutating func values(
    _ list: JSONElement?, _ kinds: [FunctionSignature.Kind], _ what: String, of signature: FunctionSignature
  ) throws(RegistryError) -> [DriverEntry.Function.Value] {
    guard let list else {
      return kinds.enumerated().map {
        DriverEntry.Function.Value(name: "\(what)_\($0 + 1)", kind: $1, summary: "", unit: nil)
      }
    }
    let elements = try list.elements(atMost: FunctionSignature.mostParameters)
    var values: [Located<DriverEntry.Function.Value>] = []
    for (element, kind) in zip(elements, kinds) {
      values.append(Located(entry: try self.value(element, kind), place: element))
    }
    guard list.count == kinds.count else {
      throw list.error(
        .invalidValue, "describes \(list.count) \(what)s, and \(signature) has \(kinds.count)",
        cure: "describe each \(what) of the signature, in its order")
    }
    try refuseRepeats(values, what, \.name)
    return values.map(\.entry)
  }

  private mutating func value(
    _ element: JSONElement, _ kind: FunctionSignature.Kind
  ) throws(RegistryError) -> DriverEntry.Function.Value {
    var object = try ObjectReader<FunctionValueKey>(element)
    let value = DriverEntry.Function.Value(
      name: try object.required(.name).word("_", limit: 64), kind: kind, summary: try object.required(.summary).text(),
      unit: try object.optional(.unit)?.name(limit: 32))
    try object.finish(&warnings)
    return value
  }
}
