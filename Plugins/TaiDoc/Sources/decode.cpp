#include "decode.h"

namespace taidoc {

/* Start, command, direction and sum; scales have frames with two bytes of payload less (TD-2555) and more. */
constexpr uint64_t frame_least = 5;
constexpr uint64_t frame_most = 12;

static void set(mh_value &value, uint16_t metric, int64_t number) {
  value = mh_value{};
  value.metric = metric;
  value.unit = MH_UNIT_NONE;
  value.value = static_cast<double>(number);
  value.raw = number;
}

/* A frame of either direction and of whatever length: what it says of itself. */
static int32_t diagnose(mh_bytes bytes, mh_sink *sink) {
  if (bytes.p == nullptr || bytes.n < frame_least || bytes.n > frame_most || bytes.p[0] != start_byte)
    return MH_E_PROTOCOL;
  uint8_t direction = bytes.p[bytes.n - 2], sum = 0;
  for (uint64_t i = 0; i + 1 < bytes.n; i++) sum = static_cast<uint8_t>(sum + bytes.p[i]);
  if (sum != bytes.p[bytes.n - 1] || (direction != request_byte && direction != reply_byte)) return MH_E_PROTOCOL;
  /* Least significant byte first; at most eight bytes, of which a double holds 53 bits: longer ones are not shown. */
  uint64_t n_payload = bytes.n - 4, payload = 0;
  for (uint64_t i = 0; i < n_payload && i < 6; i++) payload |= static_cast<uint64_t>(bytes.p[2 + i]) << (8 * i);
  mh_value values[3];
  set(values[0], metric_frame_command, bytes.p[1]);
  set(values[1], metric_frame_direction, direction);
  set(values[2], metric_frame_payload, static_cast<int64_t>(payload));
  mh_record record = {};
  record.kind = MH_KIND_DIAGNOSTIC;
  record.device_seq = MH_SEQ_NONE;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  record.ident_class = MH_IDENT_LIVE;
  return mh_sink_record(sink, &record, values, n_payload <= 6 ? 3 : 2, nullptr, 0);
}

int32_t decode_value(const Meter &meter, mh_bytes bytes, mh_sink *sink) {
  Reply first = {}, second = {};
  if (bytes.p == nullptr || (bytes.n != frame_size && bytes.n != 2 * frame_size)) return diagnose(bytes, sink);
  if (!read_reply(bytes.p, &first)) return bytes.n == frame_size ? diagnose(bytes, sink) : MH_E_PROTOCOL;
  if (bytes.n == 2 * frame_size) {
    if (!read_reply(bytes.p + frame_size, &second) || first.opcode != opcode(Command::RecordTime) ||
        second.opcode != opcode(Command::RecordValue))
      return MH_E_PROTOCOL;
    return emit_reading(meter, Entry{first.payload, second.payload}, 0, sink);
  }
  if (first.opcode != opcode(Command::RecordValue)) return diagnose(bytes, sink);
  Meter timeless = meter;
  timeless.has_no_clock = true;
  return emit_reading(timeless, Entry{Payload{}, first.payload}, 0, sink);
}

} // namespace taidoc
