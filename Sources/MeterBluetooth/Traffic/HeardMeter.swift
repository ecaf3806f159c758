import BluetoothWire
import HostPrimitives

/// A meter that was heard, and when.
struct HeardMeter: Sendable {
  let report: AdvertisingReport
  let time: HostInstant
}
