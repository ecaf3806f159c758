/// What runs beside a service's socket, and in which order it ends.
struct ServiceTasks {
  /// The first ends first.
  enum Phase: Int, CaseIterable {
    /// Reads, takes in, delivers, and answers others than the socket does.
    case work
    /// Tells people what the work has come to.
    case feedback
    case clock
    /// Tells who has started the process that it ends; it lasts as long as anything does.
    case supervisor
  }

  private var tasks: [Phase: [Task<Void, Never>]] = [:]

  mutating func start(_ phase: Phase, _ work: @escaping @Sendable () async -> Void) {
    tasks[phase, default: []].append(Task(operation: work))
  }

  /// Gives everything up at once.
  func cancel() { for task in tasks.values.joined() { task.cancel() } }

  /// Ends what is of a phase, and waits for it, in the order in which it was started: senders first, so that what they still hand on is
  /// on disk when those end that take it.
  func end(_ phase: Phase) async {
    let ending = tasks[phase] ?? []
    for task in ending { task.cancel() }
    for task in ending { await task.value }
  }
}
