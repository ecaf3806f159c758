package import MeterCore
import Foundation

/// Opens recordings, with the keys that are there.
public struct RecordingReader: Sendable {
  /// The gateway's state folder, whose vault may have the key.
  package let folder: RecordingFolder
  /// The private support key, if somebody has given one.
  public let support: SupportKey?

  /// A reader with these keys.
  package init(state: String, support: SupportKey? = nil) {
    folder = RecordingFolder(state: state)
    self.support = support
  }

  /// A file, closed.
  ///
  /// - Throws: ``RecordingError``.
  package static func sealed(path: String) throws(RecordingError) -> SealedRecording {
    try SealedRecording(file: try bytes(path: path, most: SealedRecording.largestFile))
  }

  /// What a file tells without a key; only its beginning is read.
  ///
  /// - Throws: ``RecordingError``.
  package static func head(path: String) throws(RecordingError) -> RecordingHead {
    try SealedRecording.head(of: try bytes(path: path, most: RecordingHead.longest + 16, cuts: true))
  }

  /// The bytes of a file, as far as they are not too many.
  ///
  /// - Throws: ``RecordingError`` `file` or `tooLarge`.
  package static func bytes(path: String, most: Int) throws(RecordingError) -> [UInt8] {
    try bytes(path: path, most: most, cuts: false)
  }

  private static func bytes(path: String, most: Int, cuts: Bool) throws(RecordingError) -> [UInt8] {
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      let data = try handle.read(upToCount: most + 1) ?? Data()
      guard data.count <= most || cuts else {
        throw RecordingError(.tooLarge, "\(path) has more than the \(most) bytes that are read")
      }
      return Array(data)
    } catch let error as RecordingError {
      throw error
    } catch {
      throw RecordingError(.file, "\(path) cannot be read; check the path and its permissions")
    }
  }

  /// The file that a name or path means: a name is one of the state folder's recordings, anything with a slash or dot-suffix a
  /// path.
  ///
  /// - Throws: ``RecordingError/Code/unknown``.
  package func path(of target: String) throws(RecordingError) -> String {
    if !target.contains("/"), let file = folder.file(target) { return file.path }
    guard FileManager.default.fileExists(atPath: target) else {
      throw RecordingError(
        .unknown,
        "\(target) is neither a recording of this gateway nor a file; "
          + "`meterhost driver recordings list` shows the recordings")
    }
    return target
  }

  /// Opens a recording.
  ///
  /// - Throws: ``RecordingError``.
  package func open(_ sealed: SealedRecording) throws(RecordingError) -> Recording {
    try Recording(head: sealed.head, content: try sealed.content(key: try key(of: sealed)))
  }

  /// The same recording for somebody with a support key only: no key of this gateway is in it.
  ///
  /// - Throws: ``RecordingError``.
  package func exported(
    _ sealed: SealedRecording, to support: SupportKey.Public
  ) throws(RecordingError) -> SealedRecording {
    let key = try key(of: sealed)
    // What is sent on must be readable there.
    _ = try sealed.content(key: key)
    var copy = sealed
    copy.keys = [try support.wrapped(key, info: sealed.binding)]
    return copy
  }

  /// A recording that only the support key opens.
  ///
  /// - Throws: ``RecordingError``.
  package static func sealed(
    _ recording: Recording, to support: SupportKey.Public
  ) throws(RecordingError) -> SealedRecording {
    try SealedRecording(recording.head, content: recording.content) { key, info throws(RecordingError) in
      [try support.wrapped(key, info: info)]
    }
  }

  private func key(of sealed: SealedRecording) throws(RecordingError) -> [UInt8] {
    var reason = "give the private support key with --key"
    if let support {
      for wrapped in sealed.keys
      where wrapped.holder == .support && wrapped.fingerprint == support.publicKey.fingerprint {
        return try support.unwrap(wrapped.bytes, info: sealed.binding)
      }
      reason = "it was not encrypted to this support key"
    }
    for wrapped in sealed.keys where wrapped.holder == .vault {
      do throws(StoreError) {
        return try RecordingKey.open(wrapped.bytes, id: sealed.head.idText, state: folder.state)
      } catch { reason = error.code == .vault ? "its key was changed" : "\(error.message) \(reason)" }
    }
    throw RecordingError(.noKey, "the recording cannot be opened: \(reason)")
  }
}
