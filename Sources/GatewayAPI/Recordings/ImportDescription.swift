/// What an import has come to, as `--json` shows it.
public struct ImportDescription: Sendable, Codable, Hashable {
  /// The recording's name, or the file that was written.
  public var recording: String
  /// The driver's id.
  public var driver: String
  /// The id of the catalogue's entry that the meter is taken for.
  public var peripheral: UInt32
  /// The meter's Bluetooth address; nil where the capture does not say it.
  public var address: String?
  /// How many connections to the meter the capture has.
  public var connections: Int
  /// How many steps the recording has: what the meter sent, and what it was asked.
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
