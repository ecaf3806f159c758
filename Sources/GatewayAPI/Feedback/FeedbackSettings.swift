/// What a person chose to notice headless reads by. Nothing is what was not chosen.
public struct FeedbackSettings: Sendable, Hashable, Codable {
  /// What happens at one kind of moment.
  public struct Actions: Sendable, Hashable, Codable {
    /// A desktop notification.
    public var notification = false
    /// A sound file, by its absolute path.
    public var sound: String?
    /// A program by its absolute path, and its arguments. No shell reads them.
    public var hook: [String]?

    /// Nothing.
    public init() {}

    /// Whether nothing happens.
    public var isEmpty: Bool { self == Actions() }
  }

  /// At the moment to measure.
  public var ready = Actions()
  /// When readings came.
  public var read = Actions()
  /// When a meter could not be read.
  public var failed = Actions()

  /// Nothing happens.
  public init() {}

  /// What happens at a kind of moment.
  public subscript(kind: FeedbackMoment.Kind) -> Actions {
    get {
      switch kind {
      case .ready: ready
      case .read: read
      case .failed: failed
      }
    }
    set {
      switch kind {
      case .ready: ready = newValue
      case .read: read = newValue
      case .failed: failed = newValue
      }
    }
  }

  /// Whether nothing happens at any moment.
  public var isEmpty: Bool { self == FeedbackSettings() }
}
