/// One thing that the doctor looked at.
public struct DoctorFinding: Sendable, Codable, Hashable {
  /// What came of it.
  public enum Status: String, Sendable, Codable, Hashable {
    /// All is well.
    case passed
    /// It works, and somebody should know.
    case warning
    /// It does not work.
    case failed
  }

  /// What was looked at; stable.
  public var check: String
  /// What came of it.
  public var status: Status
  /// What was found.
  public var message: String
  /// What to do; nil when there is nothing to do.
  public var cure: String?
}
