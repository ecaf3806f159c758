package import HostErrors

/// Why a recording cannot be read, written or replayed.
package struct RecordingError: HostError, Hashable {
  /// The reasons; the raw value is stable.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The file is no recording.
    case notARecording = "not_a_recording"
    /// A newer MeterHost wrote it.
    case newerVersion = "newer_recording"
    /// Bytes were changed, exchanged or left out.
    case damaged = "damaged_recording"
    /// Its end is missing.
    case cutOff = "recording_cut_off"
    /// Neither the vault's key nor the support key that was given opens it.
    case noKey = "recording_key"
    /// The file that should hold a support key does not.
    case badKey = "support_key"
    /// There is no recording of this name.
    case unknown = "unknown_recording"
    /// The bundle is another one than the recording's.
    case otherBundle = "other_bundle"
    /// The bundle, or what the recording needs besides, is not there.
    case unavailable = "recording_unavailable"
    /// A file cannot be read or written.
    case file = "recording_file"
    /// It is larger than any that this host writes.
    case tooLarge = "recording_too_large"
  }

  /// Which of them.
  package let code: Code
  /// What happened, and what to do.
  package let message: String
  /// Where in the file, in bytes, when that is known.
  package let offset: Int?

  /// Makes an error.
  package init(_ code: Code, _ message: String, offset: Int? = nil) {
    (self.code, self.message, self.offset) = (code, message, offset)
  }

  /// Decides the exit status.
  package var kind: HostErrorKind {
    switch code {
    case .unknown, .badKey, .otherBundle, .notARecording: .usage
    case .unavailable, .noKey: .unavailable
    case .newerVersion, .damaged, .cutOff, .file, .tooLarge: .failed
    }
  }

  /// One line for people.
  package var fullMessage: String { message + offset.map { "at byte \($0)" }.inBrackets }
}
