package import DriverContract
import HostPrimitives
package import MeterCore

/// Puts recordings on disk: encrypted to the gateway's vault and to the operator's support key, and within the limits of age,
/// number and size.
package struct RecordingWriter: Sendable {
  private let store: MeterStore

  /// A writer into a store's folder.
  package init(store: MeterStore) { self.store = store }

  /// What is set for this folder.
  package var settings: RecordingSettings { RecordingSettings(store.recordings) }

  /// Writes what a recorder holds.
  ///
  /// - Parameters:
  ///   - recorder: The session's; the session is over.
  ///   - bundle: What it ran.
  ///   - driver: The driver's entry in the registry.
  ///   - opening: The session's opening.
  ///   - generation: The user's session that it belongs to.
  ///   - knowsDate: Whether this machine's date is right, so that recordings may go by their age.
  /// - Returns: The recording's name.
  /// - Throws: `StoreError` or ``RecordingError`` when it cannot be written.
  package func write(
    _ recorder: SessionRecorder, bundle: VerifiedBundle, driver: DriverEntry, opening: DriverOpening,
    generation: SessionGeneration, knowsDate: Bool
  ) throws -> String {
    let (events, isTruncated) = recorder.extent
    let fault = recorder.fault
    let head = RecordingHead(
      id: RecordingHead.newID(), origin: .session,
      createdMicroseconds: MeterStore.wallClockMicroseconds, driver: driver.id, driverVersion: "\(driver.version)",
      bundleName: bundle.name, bundleHash: bundle.hash, contract: .host, hostVersion: HostVersion.current,
      peripheral: opening.peripheralID, meterTag: (try? store.recordingTag(ofMeter: opening.address)) ?? [],
      end: fault == nil ? .orderly : .fault, fault: fault?.code.rawValue ?? "", events: events,
      isTruncated: isTruncated)
    return try write(head, recorder.content, generation, knowsDate)
  }

  /// Writes an imported capture.
  ///
  /// - Returns: The recording's name.
  /// - Throws: `StoreError` or ``RecordingError`` when it cannot be written.
  package func write(
    _ recording: Recording, generation: SessionGeneration, knowsDate: Bool
  ) throws -> String {
    try write(recording.head, recording.content, generation, knowsDate)
  }

  private func write(
    _ head: RecordingHead, _ content: [UInt8], _ generation: SessionGeneration, _ knowsDate: Bool
  ) throws -> String {
    var head = head
    if !knowsDate { head.createdMicroseconds = 0 }
    let name = Self.name(head)
    let sealed = try SealedRecording(head, content: content) { key, info throws(RecordingError) in
      try wrapped(key, info, head)
    }
    try store.writeRecording(sealed.bytes, name: name, generation: generation)
    // A thousandth of what this machine takes for the time keeps their order, and nobody takes it for a date.
    if !knowsDate { store.recordings.setModified(max(0, MeterStore.wallClockMicroseconds / 1000), of: name) }
    tend(keeping: name, now: knowsDate ? head.createdMicroseconds : nil)
    return name
  }

  /// Wraps for the vault and for support. A vault whose key is missing is no reason to lose a recording that support can read.
  private func wrapped(
    _ key: [UInt8], _ info: [UInt8], _ head: RecordingHead
  ) throws(RecordingError) -> [SealedRecording.WrappedKey] {
    var keys: [SealedRecording.WrappedKey] = []
    var failure: StoreError?
    do throws(StoreError) {
      let bytes = try store.wrapRecordingKey(key, id: head.idText)
      keys.append(SealedRecording.WrappedKey(holder: .vault, fingerprint: [], bytes: bytes))
    } catch { failure = error }
    if let support = try RecordingSettings.supportKey(store.recordings) {
      keys.append(try support.wrapped(key, info: info))
    }
    guard !keys.isEmpty else {
      throw RecordingError(.noKey, failure?.message ?? "there is no key to encrypt the recording with")
    }
    return keys
  }

  /// Removes what is too old or too much; the newest of each bundle and meter goes last. What was written while the date was
  /// not known ages from the first time on that it is.
  ///
  /// - Parameters:
  ///   - name: One that was just written and stays in any case.
  ///   - now: Microseconds since 1970; nil leaves age out, for a host that does not know the date.
  package func tend(keeping name: String? = nil, now: Int64? = nil) {
    let folder = store.recordings
    let entries = folder.files.filter { !$0.isKept }.map { RecordingEntry($0) }
    for old in RecordingRetention(settings).surplus(of: entries, keeping: name, now: now) { folder.removeSurplus(old) }
    guard let now else { return }
    let undated = entries.filter { $0.head != nil && $0.date(now: now) == nil }.sorted { $0.order() < $1.order() }
    for (place, entry) in undated.enumerated() {
      folder.setModified(now - Int64(undated.count - place), of: entry.file.name)
    }
  }

  /// `20261122T081530Z-org.meterhost.glucose-3fa2`; without a date `undated-org.meterhost.glucose-3fa2...` with more digits.
  private static func name(_ head: RecordingHead) -> String {
    let driver = String(
      String.UnicodeScalarView(
        head.driver.unicodeScalars.map { scalar in
          scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == ".")
            ? scalar : "-"
        }
      ).prefix(80))
    guard let date = head.dateMicroseconds else { return "undated-\(driver)-\(head.id.prefix(8).hexadecimal)" }
    return "\(StampText.compact(date))-\(driver)-\(head.id.prefix(2).hexadecimal)"
  }
}

extension SupportKey.Public {
  /// A content key, wrapped for this key.
  func wrapped(_ key: [UInt8], info: [UInt8]) throws(RecordingError) -> SealedRecording.WrappedKey {
    SealedRecording.WrappedKey(holder: .support, fingerprint: fingerprint, bytes: try wrap(key, info: info))
  }
}
