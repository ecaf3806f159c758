import MeterCore

extension PassiveEvent {
  /// The event as the log keeps it.
  var hostEvent: HostEvent {
    switch self {
    case .isReady(let peripheral, let meter): .meterReady(.init(peripheral: peripheral, meter: meter))
    case .didRead(let peripheral, let meter, let summary):
      .meterRead(
        .init(
          peripheral: peripheral, meter: meter, records: (summary.records + summary.revised).map(\.record.logID)))
    case .didFail(let peripheral, let meter, let error):
      .meterFailed(
        .init(peripheral: peripheral, meter: meter, reason: error.code.rawValue, error: error.message))
    }
  }
}
