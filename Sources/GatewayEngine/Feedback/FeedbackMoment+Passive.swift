package import GatewayAPI
package import MeterBluetooth
import MeterDrivers

extension FeedbackMoment {
  /// The moment of passive reading's event; the catalogue has the name.
  package init(_ event: PassiveEvent, in gateway: Gateway) {
    let id = event.peripheral
    let name = gateway.registry.peripheral(id: id)?.name ?? "peripheral \(id)"
    switch event {
    case .isReady(_, let meter): self.init(.ready, peripheral: id, peripheralName: name, meter: meter)
    case .didRead(_, let meter, let summary):
      self.init(
        .read, peripheral: id, peripheralName: name, meter: meter,
        count: summary.records.count + summary.revised.count)
    case .didFail(_, let meter, let error):
      self.init(.failed, peripheral: id, peripheralName: name, meter: meter, error: error.code.rawValue)
    }
  }
}
