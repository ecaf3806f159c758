public import HostErrors

/// Why a setting of files cannot be used, or why their folder cannot be written now.
public struct FileSinkError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The setting is no JSON object.
    case notJSON = "not_json"
    /// The setting has a member that there is not.
    case unknownMember = "unknown_member"
    /// The setting does not say which folder.
    case missingMember = "missing_member"
    /// A member is of another kind than it has to be, or no word that it may be.
    case wrongMember = "wrong_member"
    /// A number is too small or too large.
    case outOfRange = "out_of_range"
    /// The folder's path is none that can be used.
    case path
    /// The folder is in the state folder.
    case insideState = "inside_state"
    /// There is no folder, and it cannot be made.
    case missingFolder = "missing_folder"
    /// A file, a link or something else is in the folder's place.
    case notAFolder = "not_a_folder"
    /// The folder belongs to another user.
    case otherOwner = "other_owner"
    /// Every user of the machine may write to the folder.
    case openToOthers = "open_to_others"
    /// Another process or sink writes to the folder.
    case busy
    /// The folder was removed or replaced while it was written to.
    case moved
    /// Something of the name of one of the files is no file of this user alone.
    case foreignFile = "foreign_file"
    /// The disk or the user's share of it is full.
    case diskFull = "disk_full"
    /// The folder or its file system may not be written.
    case readOnly = "read_only"
    /// The disk failed.
    case inputOutput = "input_output"
  }

  /// The reason.
  public let code: Code
  /// The member of the setting that it is about; nil where it is about none.
  public let member: String?
  /// What happened and what to do.
  public let message: String
  /// What the system said.
  public let cause: String?

  init(_ code: Code, member: String? = nil, _ message: String, cause: String? = nil) {
    (self.code, self.member, self.message, self.cause) = (code, member, message, cause)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .notJSON, .unknownMember, .missingMember, .wrongMember, .outOfRange, .path, .insideState: .usage
    case .busy: .temporary
    case .missingFolder, .notAFolder, .otherOwner, .openToOthers, .moved, .foreignFile, .diskFull, .readOnly,
      .inputOutput:
      .failed
    }
  }
}
