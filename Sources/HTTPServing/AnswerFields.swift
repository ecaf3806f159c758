import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Puts the same header fields on every answer, also on those that the server gives by itself.
package final class AnswerFields: ChannelOutboundHandler, RemovableChannelHandler {
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let fields: [HTTPField]

  /// - Parameter fields: What every answer has, whatever it had of these names before.
  package init(_ fields: [(name: String, value: String)]) {
    self.fields = fields.compactMap { field in
      HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
    }
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
      return context.write(data, promise: promise)
    }
    for field in fields { head.headerFields[field.name] = field.value }
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}
