import Crypto
import DriverContract
import DriverRuntime
import Foundation
import HostPrimitives

/// A recording as a file: a head for everybody, the content key wrapped for each who may read, and the content in chunks.
///
/// Layout, numbers little-endian: mark (8 bytes), version (u32), head (u32 length, bytes), wrapped keys (u8 number; each kind
/// u8, key's fingerprint and bytes with u32 lengths), then chunks (u32 length, bytes): AES-256-GCM under the content key, the
/// chunk's number as nonce; the associated data are SHA-256 of mark, version and head, the number, and 1 for the last chunk.
/// A chunk that is changed, missing or in another place does not open.
public struct SealedRecording: Sendable, Hashable {
  /// Who can unwrap the content key.
  package enum KeyHolder: UInt8, Sendable, Hashable {
    /// The gateway that wrote it.
    case vault = 1
    /// Whoever has the private support key.
    case support
  }

  struct WrappedKey: Sendable, Hashable {
    var holder: KeyHolder
    var fingerprint: [UInt8]
    var bytes: [UInt8]
  }

  /// Whose it is and how it ended.
  package let head: RecordingHead
  /// Keys that open it.
  var keys: [WrappedKey]
  private let chunks: [UInt8]
  private let chunkOffset: Int

  static let mark: [UInt8] = [0x4D, 0x48, 0x52, 0x45, 0x43, 0x0D, 0x0A, 0x1A]
  static let version: UInt32 = 1
  static let chunkSize = 64 << 10
  static let mostKeys = 8
  /// No recording of a session comes near it.
  public static let largestFile = 64 << 20
  /// Most bytes of content: with head, keys and what each chunk costs it fits into the largest file.
  static let largestContent = 63 << 20

  /// Who can open it.
  package var holders: [KeyHolder] { keys.map(\.holder) }

  /// Fingerprints of the support keys that open it.
  package var supportFingerprints: [String] {
    keys.filter { $0.holder == .support }.map { $0.fingerprint.hexadecimal }
  }

  /// Encrypts a content under a new key.
  ///
  /// - Parameter wrap: Wraps the content key for each who may read; gets the key and what binds it to this recording.
  init(
    _ head: RecordingHead, content: [UInt8],
    wrap: (_ key: [UInt8], _ info: [UInt8]) throws(RecordingError) -> [WrappedKey]
  ) throws(RecordingError) {
    guard content.count <= Self.largestContent else {
      throw RecordingError(
        .tooLarge,
        "the recording would have \(content.count) bytes, and at most \(Self.largestContent) are read again; "
          + "import a shorter capture")
    }
    self.head = head
    let key = SymmetricKey(size: .bits256)
    let binding = Self.binding(head)
    keys = try wrap(key.withUnsafeBytes { Array($0) }, binding)
    guard (1...Self.mostKeys).contains(keys.count) else {
      throw RecordingError(.noKey, "the recording would have \(keys.count) keys; 1 to \(Self.mostKeys) are allowed")
    }
    var writer = WireWriter()
    let count = max(1, (content.count + Self.chunkSize - 1) / Self.chunkSize)
    for number in 0..<count {
      let plain = content[number * Self.chunkSize..<min((number + 1) * Self.chunkSize, content.count)]
      do {
        let box = try AES.GCM.seal(
          plain, using: key, nonce: try Self.nonce(number),
          authenticating: Self.associated(binding, number, isLast: number == count - 1))
        writer.put(Array(box.ciphertext + box.tag))
      } catch {
        throw RecordingError(.damaged, "the recording cannot be encrypted")
      }
    }
    chunks = writer.bytes
    chunkOffset = 0
  }

  /// The file.
  public var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(Self.version)
    writer.put(head.encoded)
    writer.put(UInt8(keys.count))
    for key in keys {
      writer.put(key.holder.rawValue)
      writer.put(key.fingerprint)
      writer.put(key.bytes)
    }
    return Self.mark + writer.bytes + chunks
  }

  /// Reads a file; its content stays closed.
  ///
  /// - Throws: ``RecordingError``.
  package init(file: [UInt8]) throws(RecordingError) {
    guard file.count <= Self.largestFile else {
      throw RecordingError(.tooLarge, "the file has \(file.count) bytes; at most \(Self.largestFile) are read")
    }
    var reader = WireReader(Array(file.dropFirst(Self.mark.count)))
    let head = try Self.head(file, &reader)
    do throws(WireError) {
      let count = try reader.number(UInt8.self)
      guard (1...Self.mostKeys).contains(Int(count)) else { throw WireError(message: "it has \(count) keys") }
      var keys: [WrappedKey] = []
      for _ in 0..<count {
        guard let holder = KeyHolder(rawValue: try reader.number()) else {
          throw WireError(message: "one of its keys is of an unknown kind")
        }
        keys.append(WrappedKey(holder: holder, fingerprint: try reader.content(), bytes: try reader.content()))
      }
      self.keys = keys
    } catch {
      throw Self.damagedHead(error, file.count - reader.remaining)
    }
    self.head = head
    chunkOffset = file.count - reader.remaining
    chunks = Array(file.suffix(reader.remaining))
  }

  /// The head of a file, or of its beginning.
  static func head(of file: [UInt8]) throws(RecordingError) -> RecordingHead {
    var reader = WireReader(Array(file.dropFirst(mark.count)))
    return try head(file, &reader)
  }

  private static func head(_ file: [UInt8], _ reader: inout WireReader) throws(RecordingError) -> RecordingHead {
    guard file.starts(with: mark) else { throw RecordingError(.notARecording, "the file is no recording", offset: 0) }
    do throws(WireError) {
      let version = try reader.number(UInt32.self)
      if version == Self.version {
        let head = try reader.content()
        guard head.count <= RecordingHead.longest else { throw WireError(message: "it is too long") }
        return try RecordingHead(decoding: head)
      }
      guard version > Self.version else { throw WireError(message: "there is no version \(version)") }
    } catch {
      throw damagedHead(error, file.count - reader.remaining)
    }
    throw RecordingError(
      .newerVersion, "a newer MeterHost wrote the recording; install that version or a later one", offset: mark.count)
  }

  private static func damagedHead(_ error: WireError, _ offset: Int) -> RecordingError {
    RecordingError(.damaged, "the recording's head makes no sense: \(error.message)", offset: offset)
  }

  /// Decrypts the content.
  ///
  /// - Throws: ``RecordingError`` `damaged` or `cutOff`, with the place.
  func content(key: [UInt8]) throws(RecordingError) -> [UInt8] {
    let key = SymmetricKey(data: key)
    let binding = Self.binding(head)
    var reader = WireReader(chunks)
    var content: [UInt8] = []
    var number = 0
    while true {
      let offset = chunkOffset + chunks.count - reader.remaining
      guard let sealed = try? reader.content() else {
        throw RecordingError(
          .cutOff, "the recording's end is missing: it was cut off after \(number) chunks", offset: offset)
      }
      let isLast = reader.remaining == 0
      guard let plain = Self.open(sealed, key, number, binding, isLast: isLast) else {
        // Whole, and not the last one: those behind it are gone.
        if isLast, Self.open(sealed, key, number, binding, isLast: false) != nil {
          throw RecordingError(
            .cutOff, "the recording's end is missing: it was cut off after \(number + 1) chunks", offset: offset)
        }
        throw RecordingError(
          .damaged, "chunk \(number) of the recording was changed, exchanged or left out", offset: offset)
      }
      content += plain
      guard !isLast else { return content }
      number += 1
    }
  }

  /// The keys' binding to this head: SHA-256 of mark, version and head.
  var binding: [UInt8] { Self.binding(head) }

  private static func binding(_ head: RecordingHead) -> [UInt8] {
    var writer = WireWriter()
    writer.put(version)
    writer.put(head.encoded)
    return Array(SHA256.hash(data: mark + writer.bytes))
  }

  private static func nonce(_ number: Int) throws -> AES.GCM.Nonce {
    var writer = WireWriter()
    writer.put(UInt32(0))
    writer.put(UInt64(number))
    return try AES.GCM.Nonce(data: writer.bytes)
  }

  private static func associated(_ binding: [UInt8], _ number: Int, isLast: Bool) -> [UInt8] {
    var writer = WireWriter()
    writer.put(UInt64(number))
    writer.put(isLast)
    return binding + writer.bytes
  }

  private static func open(
    _ sealed: [UInt8], _ key: SymmetricKey, _ number: Int, _ binding: [UInt8], isLast: Bool
  ) -> [UInt8]? {
    guard sealed.count >= 16, let nonce = try? nonce(number),
      let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
    else { return nil }
    let plain = try? AES.GCM.open(box, using: key, authenticating: associated(binding, number, isLast: isLast))
    return plain.map { Array($0) }
  }
}
