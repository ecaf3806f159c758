/// Why a connection to a broker is of no more use.
struct MQTTSessionEnd: Error, Sendable, Hashable {
  enum Cause: Sendable, Hashable {
    /// The broker has refused it at the beginning.
    case refused(MQTTReason)
    /// The broker has ended it.
    case disconnected(MQTTReason)
    /// The broker speaks another language, or lacks what is needed.
    case unusable
    /// The broker has not answered in time.
    case silent
    /// The bytes do not travel any more, or never did; whether that is for the certificate's sake.
    case broken(isCertificate: Bool)
    /// This side has ended it.
    case left
  }

  let cause: Cause
  /// For people, in one line.
  let text: String

  init(_ cause: Cause, _ text: String) { (self.cause, self.text) = (cause, text) }
}
