import Hummingbird
import Logging
import NIOCore

/// A request's context that can also hang up on the client, which the fault switches need.
struct ReceiverRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Closes the connection and returns when it is closed. What is answered afterwards reaches nobody.
  func hangUp() async {
    // It throws when the client was faster, which is just as good.
    try? await channel.close().get()
  }
}
