extension Record {
  /// Whether the content is the one that the content hash was made of.
  var isIntact: Bool {
    let again = Record(
      logID: logID, identityClass: identityClass, type: type, time: time, deviceSequence: deviceSequence,
      deviceUser: deviceUser, values: values, notes: notes, source: source, origin: origin, flags: flags,
      details: details)
    return again.contentHash == contentHash
  }

  /// The record under another name, as its first revision.
  func named(_ logID: LogID) -> Record {
    Record(
      logID: logID, identityClass: identityClass, type: type, time: time, deviceSequence: deviceSequence,
      deviceUser: deviceUser, values: values, notes: notes, source: source, origin: origin,
      flags: flags.subtracting(.identitySuspect), details: details)
  }

  /// The record under its name with other values, another time, origin or marks; all else goes along.
  ///
  /// Segments and points move with the start: they lie where they lay within the record. The store gives the revision.
  ///
  /// - Parameters:
  ///   - values: Nil leaves them.
  ///   - time: Nil leaves it.
  func changed(
    values: [RecordValue]? = nil, time: RecordTime? = nil, origin: ValueOrigin? = nil, flags: RecordFlags? = nil
  ) -> Record {
    let shift = (time ?? self.time).startMicroseconds.subtractingReportingOverflow(self.time.startMicroseconds)
    return Record(
      logID: logID, identityClass: identityClass, type: type, time: time ?? self.time, deviceSequence: deviceSequence,
      deviceUser: deviceUser, values: values ?? self.values, notes: notes, source: source,
      origin: origin ?? self.origin, flags: flags ?? self.flags, details: details?.moved(by: shift.partialValue))
  }
}

extension RecordDetails {
  /// The same parts, so many microseconds later.
  fileprivate func moved(by shift: Int64) -> RecordDetails {
    guard shift != 0 else { return self }
    return RecordDetails(
      segments: segments.map { segment in
        RecordSegment(
          name: segment.name, startMicroseconds: segment.startMicroseconds.map { $0 &+ shift },
          endMicroseconds: segment.endMicroseconds.map { $0 &+ shift }, values: segment.values, foods: segment.foods)
      },
      series: series.map { series in
        RecordSeries(
          granularity: series.granularity,
          channels: series.channels.map { channel in
            RecordSeries.Channel(
              metric: channel.metric, unit: channel.unit,
              points: channel.points.map { point in
                RecordSeries.Point(
                  timeMicroseconds: point.timeMicroseconds &+ shift, number: point.number, qualifier: point.qualifier,
                  isScheduled: point.isScheduled)
              })
          })
      }, tags: tags, extras: extras)
  }
}
