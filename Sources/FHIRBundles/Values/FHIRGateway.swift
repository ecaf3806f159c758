import HostPrimitives

/// This gateway, as the servers know it: the implementation guide's personal health gateway.
package struct FHIRGateway: Sendable, Hashable {
  /// How the gateway's clock is kept right.
  package enum ClockSynchronization: Sendable, Hashable {
    /// By a network, with NTP.
    case network
    /// Not known.
    case unknown
  }

  /// The UUID of the gateway's state folder, which other gateways do not have.
  package let id: String
  /// The version of its program.
  package let version: String
  /// How its clock is kept right.
  package let clock: ClockSynchronization

  /// A gateway.
  package init(id: String, version: String = ProgramVersion.current, clock: ClockSynchronization = .unknown) {
    (self.id, self.version, self.clock) = (id, version, clock)
  }
}
