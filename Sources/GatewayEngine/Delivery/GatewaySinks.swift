import FHIRSink
import FileSink
import InformSink
public import MeterCore

extension SinkKinds {
  /// The kinds of sinks that a gateway knows.
  public static let gateway = SinkKinds([
    SinkKind(ReceiverSetting.self), SinkKind(FileSinkSetting.self), SinkKind(FHIRSinkSetting.self),
  ])
}
