/// The version of MeterHost.
public enum HostVersion {
  /// Semantic version.
  public static let current = "0.1.0"
}
