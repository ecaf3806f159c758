import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Puts the same header fields on every answer, also on those that the server gives by itself.
package final class AnswerFields: ChannelOutboundHandler, RemovableChannelHandler {
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let fields: [HTTPField]
  private let added: Set<HTTPField.Name>

  /// - Parameters:
  ///   - fields: What every answer has, whatever it had of these names before.
  ///   - added: Of these names what an answer had itself stays beside it: of a policy that only makes things stricter each holds.
  package init(_ fields: [(name: String, value: String)], addingTo added: [String] = []) {
    self.fields = fields.compactMap { field in
      HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
    }
    self.added = Set(added.compactMap { HTTPField.Name($0) })
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
      return context.write(data, promise: promise)
    }
    for field in fields {
      // A comma divides the members of a list, such as policies.
      let own = added.contains(field.name) ? head.headerFields[field.name].map { "\($0), " } : nil
      head.headerFields[field.name] = (own ?? "") + field.value
    }
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}
