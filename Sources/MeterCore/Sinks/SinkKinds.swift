import Synchronization

/// The kinds of sinks that a program knows. Whoever adds one adds it here and nowhere else.
public final class SinkKinds: Sendable {
  /// All of them, in the order in which people are shown them.
  package let all: [SinkKind]
  private let byName: [String: SinkKind]
  /// What sinks take, by their settings: a commit asks each time.
  private let known = Mutex<[SinkTarget: SinkCapabilities]>([:])

  /// Some kinds; of two with one name the first counts.
  public init(_ all: [SinkKind]) {
    self.all = all
    byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  }

  /// None: every sink is taken to take everything.
  public static let none = SinkKinds([])

  /// The kind of this name.
  package subscript(name: String) -> SinkKind? { byName[name] }

  /// The kind of this name.
  ///
  /// - Throws: ``SinkSettingError`` with code `unknown_sink_kind`.
  package func kind(_ name: String) throws(SinkSettingError) -> SinkKind {
    guard let kind = byName[name] else {
      throw SinkSettingError(
        .unknownKind, "there is no kind of receiver \(name.prefix(40))",
        hint: all.isEmpty ? nil : "there are: " + all.map(\.name).joined(separator: ", "))
    }
    return kind
  }

  /// The setting of a target.
  ///
  /// - Throws: ``SinkSettingError`` with code `unknown_sink_kind` or `sink_setting`.
  package func setting(_ target: SinkTarget) throws -> any SinkSetting { try kind(target.kind).setting(target.setting) }

  /// What a sink takes. One that nobody here knows takes everything: it is for its own program to say what it does not.
  func capabilities(of target: SinkTarget) -> SinkCapabilities {
    if let found = known.withLock({ $0[target] }) { return found }
    let capabilities = (try? setting(target))?.capabilities ?? SinkCapabilities()
    known.withLock { known in
      // A session has a handful; what was set up and changed again and again must not add up.
      if known.count > 64 { known = [:] }
      known[target] = capabilities
    }
    return capabilities
  }
}
