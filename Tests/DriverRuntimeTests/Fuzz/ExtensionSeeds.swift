import DriverContract
@testable import DriverRuntime

/// One payload of an exchange with an extension, as it should be.
struct ExtensionSeed {
  let kind: DriverExtension
  let payload: ExtensionPayload

  init(_ kind: DriverExtension, _ payload: ExtensionPayload) {
    self.kind = kind
    self.payload = payload
  }
}

/// Exchanges with extensions, for tests and a fuzzer to begin with.
enum ExtensionSeeds {
  static var openings: [ExtensionSeed] {
    [
      ExtensionSeed(.ocr, DisplayQuestion.opening(assets: ["weights": [1, 2], "frame": []])),
      ExtensionSeed(.image, ExtensionPayload()),
      ExtensionSeed(.conversation, ConversationClient.opening(ConversationSeeds.opening)),
      ExtensionSeed(.import, ImportClient.opening(ImportSeeds.opening)),
    ]
  }

  static var questions: [ExtensionSeed] {
    DisplaySeeds.questions + ConversationSeeds.questions + ImportSeeds.questions
  }
  static var answers: [ExtensionSeed] {
    DisplaySeeds.answers + ConversationSeeds.answers + ImportSeeds.answers
  }

  static var hostMessages: [HostMessage] {
    let opened = openings.map { ExtensionMessage(kind: $0.kind.rawValue, .open(driver: "d"), $0.payload) }
    let asked = questions.map { ExtensionMessage(kind: $0.kind.rawValue, .call, $0.payload) }
    return (opened + asked).map { HostMessage.extension($0) }
  }

  static var workerMessages: [WorkerMessage] { answers.map { WorkerMessage.extension($0.payload) } }

  /// Reads a question as a worker does, and writes it again.
  static func question(_ kind: DriverExtension, _ payload: ExtensionPayload) throws(WireError) -> [UInt8] {
    switch kind {
    case .ocr:
      try payload.read { reader throws(WireError) in try DisplayQuestion(from: &reader) }.payload.bytes
    case .image: try payload.read { reader throws(WireError) in try ImageQuestion(from: &reader) }.payload.bytes
    case .conversation:
      try written(payload.read { reader throws(WireError) in try ConversationEvent(from: &reader) }) {
        $0.encode(to: &$1)
      }
    case .import:
      try written(payload.read { reader throws(WireError) in try ImportEvent(from: &reader) }) { $0.encode(to: &$1) }
    }
  }

  /// Reads an answer as a host does, in each of the ways in which it can, and writes it again.
  static func answers(_ payload: ExtensionPayload) -> [[UInt8]] {
    [
      try? written(payload.read { reader throws(WireError) in try RawLayout(from: &reader) }) { $0.encode(to: &$1) },
      try? written(payload.read { reader throws(WireError) in try RawReading(from: &reader) }) { $0.encode(to: &$1) },
      try? written(payload.read { reader throws(WireError) in try RawInterpretation(from: &reader) }) {
        $0.encode(to: &$1)
      },
      try? payload.read { reader throws(WireError) in try ImageAnswer(from: &reader) }.payload.bytes,
      try? written(payload.read { reader throws(WireError) in try RawTalkUnit(from: &reader) }) { $0.encode(to: &$1) },
      try? payload.read { reader throws(WireError) in try RawImportUnit(from: &reader) }.payload.bytes,
    ].compactMap(\.self)
  }

  private static func written<Value>(_ value: Value, _ write: (Value, inout WireWriter) -> Void) -> [UInt8] {
    var writer = WireWriter()
    write(value, &writer)
    return writer.bytes
  }
}
