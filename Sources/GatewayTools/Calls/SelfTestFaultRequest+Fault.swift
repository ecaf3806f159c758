package import GatewayAPI
package import MeterDrivers

extension SelfTestFaultRequest {
  /// Notes a fault; nil when it is not the driver's.
  package init?(driver: String, _ fault: DriverFault) {
    guard QuarantinePolicy().isOffence(fault) else { return nil }
    self.init(driver: driver, code: fault.code.rawValue, rule: fault.rule, message: fault.message)
  }
}
