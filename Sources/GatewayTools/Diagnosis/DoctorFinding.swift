/// One thing that the doctor looked at.
package struct DoctorFinding: Sendable, Codable, Hashable {
  /// What came of it.
  package enum Status: String, Sendable, Codable, Hashable {
    /// All is well.
    case passed
    /// It works, and somebody should know.
    case warning
    /// It does not work.
    case failed
  }

  /// What was looked at; stable.
  package var check: String
  /// What came of it.
  package var status: Status
  /// What was found.
  package var message: String
  /// What to do; nil when there is nothing to do.
  package var cure: String?
}
