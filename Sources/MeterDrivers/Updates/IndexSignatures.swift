import HostPrimitives
import StrictJSON

/// What lies beside an index, `index.json.sig`: a line for each key that has signed it, the key and the signature in
/// hexadecimal with a space between.
package struct IndexSignatures: Sendable, Hashable {
  private struct Line: Sendable, Hashable {
    let key: PublisherKey
    let value: [UInt8]
  }

  private var lines: [Line]

  /// Largest file of signatures, in bytes: eight lines.
  package static let sizeLimit = RegistryLimits.signatures * Self.lineSize
  private static let lineSize = 64 + 1 + 128 + 1

  /// The signatures of these keys over an index.
  ///
  /// - Throws: ``PackageError`` with code `publisherKey`.
  package init(of index: [UInt8], by pairs: [PublisherKeyPair]) throws(PackageError) {
    lines = []
    for pair in pairs {
      lines.append(Line(key: pair.key, value: try pair.signature(over: UpdateIndex.statement(index))))
    }
  }

  /// Reads the file; nothing is judged yet.
  ///
  /// - Throws: ``PackageError`` with code `indexDamaged`.
  package init(_ bytes: [UInt8], name: String) throws(PackageError) {
    guard bytes.count <= Self.sizeLimit else {
      throw Self.damaged("\(name) has \(bytes.count) bytes; at most \(Self.sizeLimit) are read")
    }
    guard bytes.count % Self.lineSize == 0 else { throw Self.damaged("\(name) is cut, or no file of signatures") }
    var lines: [Line] = []
    for (number, start) in stride(from: 0, to: bytes.count, by: Self.lineSize).enumerated() {
      let line = bytes[start..<start + Self.lineSize]
      guard let key = PublisherKey(hexadecimal: String(decoding: line.prefix(64), as: UTF8.self)),
        line[start + 64] == UInt8(ascii: " "), line[start + Self.lineSize - 1] == UInt8(ascii: "\n"),
        let value = [UInt8](hexadecimal: line.dropFirst(65).prefix(128)), !lines.contains(where: { $0.key == key })
      else {
        throw Self.damaged("line \(number + 1) of \(name) is no key with its signature, or one that is there twice")
      }
      lines.append(Line(key: key, value: value))
    }
    self.lines = lines
  }

  /// The file.
  package var bytes: [UInt8] {
    lines.flatMap { Array("\($0.key) \($0.value.hexadecimal)\n".utf8) }
  }

  /// The keys that have signed these bytes. A signature that does not belong to them makes all of it suspect.
  ///
  /// - Throws: ``PackageError`` with code `badSignature`.
  package func signers(of index: [UInt8]) throws(PackageError) -> [PublisherKey] {
    let statement = UpdateIndex.statement(index)
    for line in lines where !line.key.accepts(line.value, over: statement) {
      throw PackageError(
        .badSignature, "the index was changed: the signature of \(line.key) is not one of its content",
        cure: "try again later, and tell its publisher if it stays so")
    }
    return lines.map(\.key)
  }

  private static func damaged(_ words: String) -> PackageError {
    PackageError(.indexDamaged, words, cure: "try again later, and tell its publisher if it stays so")
  }
}
