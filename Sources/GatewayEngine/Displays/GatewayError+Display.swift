package import GatewayAPI
package import DriverContract

extension GatewayError {
  /// A driver that reads displays or decodes pictures does not start, or breaks.
  package init(display fault: DriverFault) {
    switch fault.code {
    case .loadFailed, .workerFailed, .unknownDriver:
      self.init(
        .unavailable, code: "driver_unavailable", "\(fault)", hint: "`meterhost doctor` says more", cause: fault)
    case .cancelled: self.init(.cancelled, code: "cancelled", "interrupted", cause: fault)
    default: self.init(.failed, code: "driver_fault", "\(fault)", cause: fault)
    }
  }
}
