/// Who opens the sessions of drivers: the host, or somebody who stands in between and looks on.
package protocol SessionOpener: Sendable {
  /// See ``DriverHost/prepare()``.
  func prepare()

  /// Opens a session; see ``DriverHost/open(_:driver:opening:limits:services:recorder:)``.
  func open(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits,
    services: (any SessionServices)?, recorder: SessionRecorder?
  ) async throws(DriverFault) -> any DriverSession

  /// See ``DriverHost/failsAlone(_:driver:opening:limits:)``.
  func failsAlone(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits
  ) async -> Bool
}

extension DriverHost: SessionOpener {}
