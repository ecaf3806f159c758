#include "functions.h"

#include <meterhost/functions.h>

#include "decode.h"

namespace taidoc {

static const mh_test_vector vectors[] = {
    {"taidoc-glucose-plain", "51255d300507a5b451266e000000a58a", 0x8000, 0, MH_OK, 1,
     MH_METRIC_BLOOD_GLUCOSE, MH_UNIT_MG_PER_DL, 11, 1, MH_TIME_CIVIL, INT64_C(1709190300000000)},
    {"taidoc-glucose-control", "51255d300507a5b45126780000c0a554", 0x8000, 0, MH_OK, 1,
     MH_METRIC_CONTROL_SOLUTION_GLUCOSE, MH_UNIT_MG_PER_DL, 12, 1, MH_TIME_CIVIL, INT64_C(1709190300000000)},
    {"taidoc-glucose-alone", "51266e000000a58a", 0x8000, 0, MH_OK, 1, MH_METRIC_BLOOD_GLUCOSE,
     MH_UNIT_MG_PER_DL, 11, 1, MH_TIME_NONE, 0},
    {"taidoc-glucose-is-ketone", "51255d300507a5b451261e00001ca556", 0x8000, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"taidoc-glucose-filler", "51255d300507a5b45126ffff0000a51a", 0x8000, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"taidoc-wrong-sum", "51266e000000a58b", 0x8000, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  mh_param kind = {};
  kind.name = parameter_meter_kind;
  kind.type = MH_PARAM_TYPE_INTEGER;
  kind.i = static_cast<int64_t>(MeterKind::Glucose);
  return mh_self_test(taidoc_decode_all, &kind, 1, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t clock_bytes(int64_t civil_us, uint8_t *bytes, uint64_t *n) {
  Payload payload = {};
  if (!clock_payload(civil_us, &payload)) return MH_E_ARG;
  Frame frame = encode(Command::SetClock, payload);
  return mh_put_bytes(bytes, n, frame.b, frame_size);
}

static int32_t clock_time(mh_bytes bytes, int64_t *civil_us) {
  Reply reply = {};
  if (bytes.n != frame_size || !read_reply(bytes.p, &reply) || reply.opcode != opcode(Command::GetClock))
    return MH_E_PROTOCOL;
  return civil_time(reply.payload, civil_us) ? MH_OK : MH_E_NO_VALUE;
}

/* The linker fills the addresses in; nothing runs when the bundle is loaded. */
const mh_extension_function functions[function_count] = {
    {"self_test", "i32(out_text)", reinterpret_cast<void (*)(void)>(self_test)},
    {"clock_bytes", "i32(i64,out_bytes)", reinterpret_cast<void (*)(void)>(clock_bytes)},
    {"clock_time", "i32(bytes,out_i64)", reinterpret_cast<void (*)(void)>(clock_time)},
};

} // namespace taidoc
