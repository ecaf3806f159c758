/// What an import has come to, as `--json` shows it.
public struct ImportDescription: Sendable, Codable, Hashable {
  /// The recording's name, or the file that was written.
  public var recording: String
  /// The driver's id.
  public var driver: String
  /// The peripheral's number.
  public var peripheral: UInt32
  /// The meter's address, where the capture says it.
  public var address: String?
  /// Connections to the meter in the capture.
  public var connections: Int
  /// What is in the recording: how many things of each kind.
  public var steps: Int
  /// What is not in it, in words.
  public var notes: [String]

  package init(
    recording: String, driver: String, peripheral: UInt32, address: String? = nil, connections: Int, steps: Int,
    notes: [String]
  ) {
    self.recording = recording
    self.driver = driver
    self.peripheral = peripheral
    self.address = address
    self.connections = connections
    self.steps = steps
    self.notes = notes
  }
}
