import HostPrimitives

/// The version of MeterHost.
public enum HostVersion {
  /// Semantic version.
  public static let current = ProgramVersion.current
}
