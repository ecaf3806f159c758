import DriverContract

extension DriverLimits {
  func encode(to writer: inout WireWriter) {
    writer.put(eventCPUMilliseconds)
    writer.put(eventWallMilliseconds)
    writer.put(memoryMebibytes)
    writer.put(recordsPerEvent)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      eventCPUMilliseconds: try reader.number(), eventWallMilliseconds: try reader.number(),
      memoryMebibytes: try reader.number(), recordsPerEvent: try reader.number())
  }
}
