import CMeterDriver

/// A registered driver without its type: what the C tables dispatch to, once per call and not once per value.
class Registration {
  let identity: DriverIdentity

  init(_ identity: DriverIdentity) { self.identity = identity }

  func open(
    _ host: UnsafePointer<mh_host>, _ opening: UnsafePointer<mh_open>
  ) throws(DriverError) -> AnySession {
    throw .unsupported
  }

  func decode(
    _ opening: UnsafePointer<mh_open>, _ arena: mh_bytes, _ slices: UnsafeMutableBufferPointer<mh_slice>,
    _ sink: UnsafeMutablePointer<mh_sink>
  ) -> Int? { 0 }
}

final class TypedRegistration<Driver: MeterDriver>: Registration {
  override func open(
    _ host: UnsafePointer<mh_host>, _ opening: UnsafePointer<mh_open>
  ) throws(DriverError) -> AnySession {
    let driver = try Driver(opening: Opening(borrowing: opening))
    return Session(driver, HostServices(table: host, peer: opening.pointee.peer))
  }

  /// Decodes slices until the sink is full; returns how many were finished, nil when one lies outside of the arena.
  override func decode(
    _ opening: UnsafePointer<mh_open>, _ arena: mh_bytes, _ slices: UnsafeMutableBufferPointer<mh_slice>,
    _ sink: UnsafeMutablePointer<mh_sink>
  ) -> Int? {
    let facts = Opening(borrowing: opening)
    let bytes = lend(arena)
    var output = RecordOutput(appendingTo: sink)
    var done = 0
    while done < slices.count {
      let slice = slices[done]
      let mark = output.mark
      let end = UInt64(slice.off) + UInt64(slice.len)
      guard end <= UInt64(bytes.byteCount) else { return nil }
      if UInt32(slice.flags) & ~(Driver.decodesServiceData ? MH_SLICE_SERVICE_DATA : 0) != 0 {
        slices[done].status = MH_E_UNSUPPORTED
      } else {
        let value = CharacteristicValue(
          characteristic: slice.characteristic, isServiceData: UInt32(slice.flags) & MH_SLICE_SERVICE_DATA != 0,
          bytes: bytes.extracting(Int(slice.off)..<Int(end)),
          arrivalMicroseconds: slice.t_us)
        do throws(DecodeError) {
          try Driver.decode(value, opening: facts, &output)
          if output.overflowed {
            output.rollBack(to: mark)
            break
          }
          slices[done].status = MH_OK
        } catch {
          output.rollBack(to: mark)
          slices[done].status = error.status
        }
      }
      slices[done].first_record = UInt32(truncatingIfNeeded: mark.records)
      slices[done].n_records = UInt32(truncatingIfNeeded: output.recordCount - mark.records)
      done += 1
    }
    output.publish(to: sink)
    return done
  }
}
