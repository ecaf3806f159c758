extension GatewayError {
  /// An error of any part of the host in the form that the command line, `--json` and the control socket share; nil for
  /// what is no error of the host's.
  public init?(describing error: any Error) {
    switch error {
    case let error as GatewayError: self = error
    case let error as any HostError: self.init(error)
    case is CancellationError: self.init(.cancelled, code: "cancelled", "interrupted")
    default: return nil
    }
  }

  /// An error of another part of the host.
  ///
  /// - Parameters:
  ///   - place: What stands before its message.
  ///   - kind: What it is here; nil: what it says itself.
  ///   - hint: What to do about it here; nil: what it says itself.
  package init(_ error: any HostError, at place: String? = nil, kind: Kind? = nil, hint: String? = nil) {
    self.init(
      kind ?? error.kind, code: error.codeText, (place.map { "\($0): " } ?? "") + error.fullMessage,
      hint: hint ?? error.hint, cause: error)
  }
}

extension GatewayError {
  /// An error as it is written on the control socket and with `--json`.
  public struct Written: Codable, Sendable, Hashable {
    /// What kind of failure it is; of a kind that only a later version knows, that it failed.
    public var kind: Kind { Kind(rawValue: kindName) ?? .failed }
    /// The failure's stable name.
    public var code: String
    /// What happened.
    public var message: String
    /// What to do about it.
    public var hint: String?
    /// The kind's name, as it was written.
    private let kindName: String

    private enum CodingKeys: String, CodingKey {
      case code, message, hint
      case kindName = "kind"
    }

    /// An error from its parts.
    public init(kind: Kind, code: String, message: String, hint: String?) {
      (kindName, self.code, self.message, self.hint) = (kind.rawValue, code, message, hint)
    }
  }

  /// The error without its cause.
  public var written: Written { Written(kind: kind, code: code, message: message, hint: hint) }

  /// An error that was read from the control socket.
  public init(_ written: Written) {
    self.init(written.kind, code: written.code, written.message, hint: written.hint)
  }
}
