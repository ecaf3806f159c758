/// The requests and conversations of one feature. Each feature's folder declares its own, and ``ControlTable`` joins them.
struct ControlFeature: Sendable {
  var requests: [any HandledRequest.Type] = []
  var conversations: [any HandledConversation.Type] = []
}
