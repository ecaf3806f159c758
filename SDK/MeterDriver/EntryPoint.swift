import CMeterDriver
import CMeterDriverNote

/// The bundle's one exported function (rule R1).
@c @implementation
public func mh_driver_entry(
  _ host: UnsafePointer<mh_host>!, _ index: UInt32, _ out: UnsafeMutablePointer<UnsafePointer<mh_driver>?>!,
  _ why_not: UnsafeMutablePointer<mh_str>!
) -> Int32 {
  guard let host, let out else { return MH_E_ARG }
  guard mh_host_fits(host) != 0 else {
    why_not?.pointee = mh_refusal()
    return MH_REFUSED
  }
  mh_swift_once { mh_swift_bundle() }
  guard !Bundle.tooMany else {
    why_not?.pointee = StaticString("this bundle registers more than 4 drivers; split it").contractText
    return MH_REFUSED
  }
  guard !Bundle.tooManyFunctions else {
    why_not?.pointee = StaticString("this bundle declares more than 8 functions of one form").contractText
    return MH_REFUSED
  }
  guard Int(index) < Bundle.registered.count else { return MH_END }
  out.pointee = UnsafePointer(Bundle.tables + Int(index))
  return MH_OK
}

extension Bundle {
  static func open(
    _ place: Int, _ host: UnsafePointer<mh_host>?, _ opening: UnsafePointer<mh_open>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> Int32 {
    guard let host, let opening, let out, Int(opening.pointee.struct_size) >= MemoryLayout<mh_open>.size else {
      return MH_E_ARG
    }
    do throws(DriverError) {
      let session = try registered[place].open(host, opening)
      out.pointee = OpaquePointer(Unmanaged.passRetained(session).toOpaque())
      return MH_OK
    } catch {
      return error.status
    }
  }

  static func event(
    _ session: OpaquePointer?, _ event: UnsafePointer<mh_event>?, _ sink: UnsafeMutablePointer<mh_sink>?
  ) -> Int32 {
    guard let session, let event, let sink, sink.pointee.act != nil,
      Int(event.pointee.struct_size) >= MemoryLayout<mh_event>.size,
      Int(sink.pointee.struct_size) >= MemoryLayout<mh_sink>.size
    else { return MH_E_ARG }
    return Unmanaged<AnySession>.fromOpaque(UnsafeRawPointer(session)).takeUnretainedValue().handle(event, sink)
  }

  static func close(_ session: OpaquePointer?) {
    guard let session else { return }
    Unmanaged<AnySession>.fromOpaque(UnsafeRawPointer(session)).release()
  }

  static func decode(
    _ place: Int, _ opening: UnsafePointer<mh_open>?, _ arena: mh_bytes, _ slices: UnsafeMutablePointer<mh_slice>?,
    _ count: UInt64, _ sink: UnsafeMutablePointer<mh_sink>?, _ done: UnsafeMutablePointer<UInt64>?
  ) -> Int32 {
    guard let opening, let sink, let done, let length = Int(exactly: count), slices != nil || length == 0,
      Int(opening.pointee.struct_size) >= MemoryLayout<mh_open>.size,
      Int(sink.pointee.struct_size) >= MemoryLayout<mh_sink>.size
    else { return MH_E_ARG }
    guard
      let finished = registered[place].decode(
        opening, arena, UnsafeMutableBufferPointer(start: slices, count: length), sink)
    else { return MH_E_ARG }
    done.pointee = UInt64(finished)
    return finished == length ? MH_OK : MH_E_FULL
  }
}
