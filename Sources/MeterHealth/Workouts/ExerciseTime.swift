import DriverContract

/// The time of workouts as a sum of the day.
///
/// Health Connect has no minutes of exercise of its own: the platform adds up the sessions, by the owner's order of sources, and leaves
/// their pauses out (`SessionDurationAggregationData` in a `PriorityRecordsAggregator`). A pause of the session that counts is no
/// exercise even where another app has none there: so a pause is a stretch of its own, worth 0.
enum ExerciseTime {
  /// The workouts as samples of exercise, each worth the seconds that it lasts, and each pause of one worth 0.
  static func store(of workouts: [HealthSample]) -> SumStore {
    var store = SumStore(.exercise)
    for workout in workouts {
      var start = workout.start
      for pause in Workouts.pauses(of: workout) {
        add(workout, from: start, until: pause.start, isPause: false, to: &store)
        add(workout, from: pause.start, until: pause.end, isPause: true, to: &store)
        start = pause.end
      }
      add(workout, from: start, until: workout.end, isPause: false, to: &store)
    }
    return store
  }

  private static func add(
    _ workout: HealthSample, from start: Int64, until end: Int64, isPause: Bool, to store: inout SumStore
  ) {
    guard start < end, let seconds = Fraction(Int128(end - start), over: 1_000_000) else { return }
    var sample = HealthSample(
      .exercise, start: start, end: end, value: isPause ? .zero : seconds, source: workout.source)
    sample.modified = workout.modified
    store.add(sample)
  }
}
