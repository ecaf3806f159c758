package import GatewayAPI
package import GatewayEngine
import DriverContract
import Foundation
import MeterBluetooth
package import MeterCore
package import MeterDrivers

/// What a person does with the recordings of a gateway. A service may run beside it: nothing is locked.
package struct RecordingDesk: Sendable {
  private let locations: GatewayLocations
  private let reader: RecordingReader

  /// - Parameters:
  ///   - locations: Where the gateway's files are.
  ///   - keyFile: A file with the private support key.
  /// - Throws: `RecordingError` when the file holds none.
  package init(locations: GatewayLocations, keyFile: String? = nil) throws(RecordingError) {
    self.locations = locations
    var support: SupportKey?
    if let keyFile { support = try SupportKey(file: try RecordingReader.bytes(path: keyFile, most: 4096)) }
    reader = RecordingReader(state: locations.state, support: support)
  }

  private var folder: RecordingFolder { reader.folder }

  /// All recordings, the oldest first.
  package func list() -> [RecordingDescription] {
    folder.files.map { RecordingEntry($0) }
      .sorted { $0.order() < $1.order() }
      .map { RecordingDescription($0.file, head: $0.head) }
  }

  /// One recording, opened if a key is there.
  ///
  /// - Throws: `RecordingError` when there is none, or what is there is none.
  package func show(_ target: String) throws(RecordingError) -> RecordingContentDescription {
    let (sealed, description) = try closed(target)
    var content = RecordingContentDescription(description, sealed)
    do throws(RecordingError) {
      content.add(try reader.open(sealed))
    } catch {
      content.problem = error.description
    }
    return content
  }

  /// Writes a copy that only the support key opens.
  ///
  /// - Parameter supportKey: A file with a public support key; nil takes the one that is set.
  /// - Throws: `RecordingError`.
  package func export(_ target: String, to path: String, supportKey: String?) throws(RecordingError) {
    let (sealed, _) = try closed(target)
    let chosen: SupportKey.Public? =
      if let supportKey { try Self.publicKey(supportKey) } else { try RecordingSettings.supportKey(folder) }
    guard let key = chosen else {
      throw RecordingError(
        .badKey,
        "no support key is set, and a copy is for somebody who has it; give one with --support-key, or set it "
          + "with `meterhost driver recordings support-key FILE`")
    }
    try Self.writeNew(try reader.exported(sealed, to: key).bytes, path)
  }

  /// The name of the recording that is meant: of a name the beginning is enough. What is a file's path, or fits none, stays as it is.
  ///
  /// - Throws: `RecordingError` where several fit.
  package func named(_ text: String) throws(RecordingError) -> String {
    guard text.utf8.count >= Candidates.shortest, !text.contains("/"), folder.file(text) == nil,
      !FileManager.default.fileExists(atPath: text)
    else { return text }
    let begun = folder.files.map(\.name).filter { $0.hasPrefix(text) }.sorted()
    guard begun.count > 1 else { return begun.first ?? text }
    throw RecordingError(
      .unknown,
      "\(text) fits \(begun.count) recordings: \(begun.prefix(5).joined(separator: ", "))"
        + (begun.count > 5 ? " and more" : "") + "; write more of the name")
  }

  /// Removes a recording.
  ///
  /// - Throws: `RecordingError` when there is none.
  package func remove(_ name: String) throws(RecordingError) {
    guard folder.remove(name) else { throw Self.unknown(name) }
  }

  /// Keeps a recording past its session and all limits.
  ///
  /// - Throws: `RecordingError` when there is none.
  package func keep(_ name: String) throws(RecordingError) {
    guard folder.keep(name) else { throw Self.unknown(name) }
  }

  /// What is set.
  package var settings: RecordingSettings { RecordingSettings(folder) }

  /// Changes what is set.
  ///
  /// - Throws: `StoreError` when it cannot be written.
  package func set(_ settings: RecordingSettings) throws(StoreError) { try settings.write(to: folder) }

  /// The fingerprint of the support key that is set; nil when none is.
  ///
  /// - Throws: `RecordingError` when what is set is none.
  package func supportKey() throws(RecordingError) -> String? {
    try RecordingSettings.supportKey(folder)?.fingerprintText
  }

  /// Sets the support key from a file with its public half; nil removes it.
  ///
  /// - Returns: Its fingerprint.
  /// - Throws: `RecordingError`, or `StoreError` when it cannot be written.
  package func setSupportKey(file: String?) throws -> String? {
    let key = try file.map(Self.publicKey)
    try RecordingSettings.set(key, in: folder)
    return key?.fingerprintText
  }

  /// Makes a pair: the private key at a path, the public one beside it with `.pub` behind its name.
  ///
  /// - Returns: The fingerprint.
  /// - Throws: `RecordingError` when one of the files is there already or cannot be written.
  package static func makeSupportKey(at path: String) throws(RecordingError) -> String {
    let key = SupportKey()
    try writeNew(key.file, path)
    try writeNew(key.publicKey.file, path + ".pub")
    return key.publicKey.fingerprintText
  }

  /// Replays a recording with the bundle that it was made with, or on purpose with another one.
  ///
  /// - Parameters:
  ///   - bundle: A bundle's file; nil takes the installed driver's, whose hash must be the recorded one.
  ///   - withRecords: Say the records that came out.
  /// - Throws: ``GatewayError``, `RecordingError`.
  package func replay(
    _ target: String, bundle: String?, isolation: DriverHostConfiguration.Isolation, withRecords: Bool
  ) async throws -> ReplayDescription {
    let (sealed, description) = try closed(target)
    let recording = try reader.open(sealed)
    let gateway = try Gateway(locations: locations, isolation: isolation)
    let entry = gateway.registry.driver(id: recording.head.driver)
    let verified = try Self.bundle(bundle, of: entry, recording, gateway)
    let report = try await RecordingReplay(host: gateway.drivers).run(
      recording, bundle: verified, allowingOther: bundle != nil)
    return ReplayDescription(
      report, recording: description.name, driver: recording.head.driver, entry: entry, bundle: verified,
      withRecords: withRecords)
  }

  /// The bundle of a file, or the installed driver's. Whoever looks into a recording for others need not have installed it.
  private static func bundle(
    _ file: String?, of entry: DriverEntry?, _ recording: Recording, _ gateway: Gateway
  ) throws(RecordingError) -> VerifiedBundle {
    do {
      if let file {
        return try BundleVerifier.verify(path: file, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
      }
      if let entry { return try gateway.bundles.bundle(for: entry) }
    } catch {
      throw RecordingError(.unavailable, "the bundle cannot be loaded: \(error)")
    }
    throw RecordingError(
      .unavailable,
      "driver \(recording.head.driver) is not installed; name its bundle with --bundle (SHA-256 "
        + "\(recording.head.bundleHash))")
  }

  private func closed(_ target: String) throws(RecordingError) -> (SealedRecording, RecordingDescription) {
    let path = try reader.path(of: target)
    let sealed = try RecordingReader.sealed(path: path)
    let file = folder.file(target)
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    return (
      sealed,
      RecordingDescription(
        name: file?.name ?? path, size: file?.size ?? size, isKept: file?.isKept ?? true, head: sealed.head)
    )
  }

  private static func publicKey(_ path: String) throws(RecordingError) -> SupportKey.Public {
    try SupportKey.Public(file: try RecordingReader.bytes(path: path, most: 4096))
  }

  /// Writes a file that only this user may read, and never over another one.
  static func writeNew(_ bytes: [UInt8], _ path: String) throws(RecordingError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let why = errno == EEXIST ? "there is a file already" : String(cString: strerror(errno))
      throw RecordingError(.file, "\(path) cannot be written: \(why)")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(bytes))
      try handle.synchronize()
    } catch {
      unlink(path)
      throw RecordingError(.file, "\(path) cannot be written: make room on the disk")
    }
  }

  private static func unknown(_ name: String) -> RecordingError {
    RecordingError(
      .unknown, "there is no recording \(name); `meterhost driver recordings list` shows what there is")
  }
}
