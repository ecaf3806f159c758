package import GatewayAPI
import HostPrimitives
import Logging
import MeterCore

extension LogShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> LogDescription {
    LogDescription(try owner.store.logSettings() ?? LogSettings())
  }
}

extension LogTailRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_running_host` of an owner that is no service.
  package func perform(on owner: GatewayOwner) throws -> [LogLineDescription] {
    guard let log = owner.recentLog else { throw Self.noRunningHost }
    return log.lines(after: after, atMost: min(limit, Self.most)).map { entry in
      LogLineDescription(
        number: entry.number, time: CivilMoment.utcSeconds(microseconds: entry.microseconds),
        level: entry.line.level.rawValue, area: entry.line.area.rawValue, message: entry.line.message,
        fields: entry.line.fields)
    }
  }

  private static var noRunningHost: GatewayError {
    GatewayError(
      .unavailable, code: "no_running_host", "no host runs on this state folder: its log lines are in its memory",
      hint: "start one with `meterhost run`")
  }
}

extension LogSetRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> LogDescription {
    var settings = try owner.store.logSettings() ?? LogSettings()
    for (area, volume) in volumes { settings[area] = volume }
    if let showsValues { settings.showsValues = showsValues }
    try owner.store.setLogSettings(settings)
    if !LogEnvironment.isSet { LogSwitch.shared.settings = settings }
    return LogDescription(settings)
  }
}
