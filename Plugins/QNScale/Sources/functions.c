#include "functions.h"

#include <meterhost/advertisement.h>
#include <meterhost/functions.h>

#include "broadcast.h"

/* Frames of real scales. */
static const mh_test_vector vectors[] = {
    {"final", "100bff15810101fc01f4a3", 0xfff1, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 5505, -2,
     MH_TIME_NONE, 0},
    {"final of the longer kind", "100efffe021d4701f901f700d245", 0xfff1, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 7495, -2, MH_TIME_NONE, 0},
    {"stored", "2313ff04015dcdb6311cd901fc01f00000002e", 0xfff1, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM,
     7385, -2, MH_TIME_UTC, INT64_C(1780748509000000)},
    {"nothing stored", "2313ff000094b7b63100000000000000000067", 0xfff1, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"wrong sum", "100bff15810101fc01f4a4", 0xfff1, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(qn_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* What a scale that is never connected to says in a whole advertisement. */
static int32_t read_advertisement(mh_bytes advertisement, double *weight, int32_t *is_stable) {
  mh_bytes data;
  qn_reading reading;
  if (!mh_ad_find(advertisement, MH_AD_MANUFACTURER_DATA, QN_COMPANY, &data)) return MH_E_UNSUPPORTED;
  int32_t status = qn_broadcast_read(data, &reading);
  if (status != MH_OK) return status;
  *weight = reading.weight / 100.0;
  *is_stable = !reading.is_settling;
  return MH_OK;
}

const mh_extension_function qn_functions[QN_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_advertisement", "i32(bytes,out_f64,out_i32)", (void (*)(void))read_advertisement},
};
