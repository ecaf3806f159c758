/// The version of MeterHost's programs.
package enum ProgramVersion {
  /// Semantic version.
  package static let current = "0.1.0"
}
