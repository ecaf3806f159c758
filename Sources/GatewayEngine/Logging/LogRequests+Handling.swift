package import GatewayAPI
import MeterCore

extension LogShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> LogDescription {
    LogDescription(try owner.store.logSettings() ?? LogSettings())
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
