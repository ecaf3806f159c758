import GatewayAPI

/// The number of a meter's user, as it comes from outside.
enum UserSlot {
  /// Meters count from 0 or from 1 in one byte, of which 255 says that nobody is known (Blood Pressure Service 3.1.1.5): a meter
  /// that is assigned under such a number would never give its user a reading.
  ///
  /// - Throws: ``GatewayError`` with code `user_slot`.
  static func check(_ slot: UInt16?) throws(GatewayError) {
    guard let slot, slot > 254 else { return }
    throw GatewayError(
      .usage, code: "user_slot", "no meter has a user \(slot)",
      hint: "its users are 0 to 254, as the meter numbers them")
  }
}
