package import GatewayAPI
import Foundation
package import MeterBluetooth

extension PairedDescription {
  /// Describes a paired meter.
  package init(_ meter: PairedMeter) {
    self.init(
      uuid: meter.uuid.uuidString.lowercased(), peripheral: meter.peripheral, address: meter.address, name: meter.name)
  }
}
