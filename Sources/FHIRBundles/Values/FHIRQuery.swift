import HostPrimitives

/// Search parameters as they stand in `ifNoneExist`, in `PUT Observation?...` and in conditional references.
package enum FHIRQuery {
  /// `identifier=SYSTEM|VALUE`: the one form that every server understands.
  ///
  /// Letters, digits and what addresses are made of stay as they are; what would end the parameter, or begin another one, is written
  /// with percent signs, and what FHIR itself gives a meaning in a value (`,` `$` `|` `\`) behind a backslash.
  package static func identifier(_ system: String, _ value: String) -> String {
    "identifier=\(escaped(system))|\(escaped(value))"
  }

  private static let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/@".utf8)
  private static let meaningful = Set(",$|\\".utf8)

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if kept.contains(byte) {
        bytes.append(byte)
        continue
      }
      if meaningful.contains(byte) { bytes += Array("%5C".utf8) }
      bytes.append(UInt8(ascii: "%"))
      bytes += Array([byte].hexadecimal.uppercased().utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
