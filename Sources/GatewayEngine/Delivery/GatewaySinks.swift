import FHIRSink
import FileSink
import InfluxSink
import InformSink
import MQTTSink
public import MeterCore
import NATSSink
import WebhookSink

extension SinkKinds {
  /// The kinds of sinks that a gateway knows.
  public static let gateway = SinkKinds([
    SinkKind(ReceiverSetting.self), SinkKind(FileSinkSetting.self), SinkKind(FHIRSinkSetting.self),
    SinkKind(WebhookSinkSetting.self), SinkKind(InfluxSinkSetting.self),
    SinkKind(MQTTSinkSetting.self), SinkKind(NATSSinkSetting.self),
  ])
}
