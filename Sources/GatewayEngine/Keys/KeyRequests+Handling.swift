package import GatewayAPI
import Foundation
import MeterBluetooth
import MeterCore

extension KeySetRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> Answer {
    let stored = try GatewayKeys(gateway: owner.gateway, store: owner.store)
      .set(content, name: key, peripheral: peripheral, meter: meter)
    owner.retryPassive()
    let isPaired = try meter.map { meter in try PairedMeter.all(in: owner.store).contains { $0.uuid == meter } }
    return Answer(key: stored, isPaired: isPaired, hasSession: try !owner.actsWithoutSession("a key was stored"))
  }
}

extension KeyListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [KeyDescription] {
    try GatewayKeys(gateway: owner.gateway, store: owner.store).list()
  }
}

extension KeyForgetRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> Bool {
    try GatewayKeys(gateway: owner.gateway, store: owner.store).forget(name: key, peripheral: peripheral, meter: meter)
    return true
  }
}
