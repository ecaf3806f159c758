/// How a connection to NATS is made and kept.
package struct NATSOptions: Sendable {
  /// The servers, of which any will do.
  package var servers: [NATSAddress]
  /// The key by which they know the client; nil where they want none.
  package var key: (@Sendable () throws(NATSError) -> NATSKeyPair)?
  /// A name for people, in the servers' monitoring.
  package var name = "meterhost"
  /// What answers come under: tokens between dots, such as `_INBOX.gw0001`. Who may subscribe to more than their own could read others'
  /// answers.
  package var inboxPrefix: String
  /// For the whole beginning of a connection.
  package var connectTimeout: Duration = .seconds(15)
  /// For an answer, the wait for a connection included.
  package var requestTimeout: Duration = .seconds(10)
  /// How often the server is asked whether it lives.
  package var pingInterval: Duration = .seconds(30)
  /// How many of these questions may be open.
  package var openPings = 2
  /// The first wait after every server has failed, and the longest; jitter makes it anything from half of it to all of it.
  package var backoff: ClosedRange<Duration> = .milliseconds(500)...Duration.seconds(30)
  /// Messages that a subscription keeps for a reader that is slow; further ones are lost, and told as ``NATSEvent/slowConsumer(subject:dropped:)``.
  package var subscriptionLimit = 1024
  /// Bytes of a message that are taken from a server.
  package var messageLimit = 8 << 20
  /// Bytes that wait to be sent; who publishes more waits.
  package var sendLimit = 4 << 20

  /// Options for some servers, with defaults for all else.
  package init(servers: [NATSAddress], inboxPrefix: String = "_INBOX") {
    (self.servers, self.inboxPrefix) = (servers, inboxPrefix)
  }
}
