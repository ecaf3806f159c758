import Foundation
import MeterBluetooth

/// The paired meters.
public struct PairedListRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "paired.list"

  /// Asks for the list.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [PairedDescription] {
    try PairedMeter.all(in: owner.store).map(PairedDescription.init)
  }
}

/// Forgets a paired meter.
public struct PairedForgetRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "paired.forget"
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// The radio whose bond is to be forgotten.
  public var radio: RadioChoice

  /// Forgets a meter.
  public init(_ meter: String, radio: RadioChoice = RadioChoice()) {
    self.meter = meter
    self.radio = radio
  }

  /// - Throws: ``GatewayError`` with code `not_paired`.
  public func perform(on owner: GatewayOwner) async throws -> PairedDescription {
    guard let found = try PairedMeter.all(in: owner.store).first(where: { $0.uuid == UUID(uuidString: meter) }) else {
      throw GatewayError(
        .usage, code: "not_paired", "no paired meter has the UUID \(meter)", hint: "`meterhost paired list` shows them")
    }
    try await owner.controller(radio).forget(found)
    return PairedDescription(found)
  }
}
