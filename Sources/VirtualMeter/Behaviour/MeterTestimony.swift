package import BluetoothWire

/// What a virtual meter can say of a client that it has talked with, by what its script knows and the client cannot.
package struct MeterTestimony: Sendable, Equatable {
  /// A value that was sent.
  package struct SentValue: Sendable, Hashable {
    /// The characteristic that carried it; nil: an advertisement.
    package var characteristic: BluetoothUUID?
    /// Its bytes.
    package var value: [UInt8]

    package init(_ characteristic: BluetoothUUID?, _ value: [UInt8]) {
      (self.characteristic, self.value) = (characteristic, value)
    }
  }

  /// Values that the meter was still settling: no reading may come of them.
  package var settling: Set<SentValue> = []
  /// Values that were measured while the client listened and are kept nowhere: the same bytes again are another reading.
  package var live: Set<SentValue> = []
  /// What the client had to write and did not, in words.
  package var unmet: [String] = []
}
