#include "functions.h"

#include <meterhost/functions.h>

#include "frame.h"

static const mh_test_vector vectors[] = {
    {"shape-200", "090107e30815081f37055312000000", SOEHNLE_DECODE_VALUES, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 1363, -1, MH_TIME_CIVIL, INT64_C(1566376315000000)},
    {"user", "0c0101270100c5055302", SOEHNLE_DECODE_VALUES, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"no time", "090107e3021e081f37055301c20190", SOEHNLE_DECODE_VALUES, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 1363, -1, MH_TIME_NONE, 0},
    {"no weight", "090107e30815081f37000001c20190", SOEHNLE_DECODE_VALUES, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"too heavy", "090107e30815081f370bb901c20190", SOEHNLE_DECODE_VALUES, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"short", "090107e30815081f370553", SOEHNLE_DECODE_VALUES, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(soehnle_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* Until the end of 9998: the bytes of a year are two. */
static int32_t clock_bytes(int64_t civil_us, uint8_t *out, uint64_t *n) {
  if (civil_us < 0 || civil_us > INT64_C(253000000000000000)) return MH_E_ARG;
  uint8_t bytes[SOEHNLE_TIME_LENGTH];
  soehnle_put_time(civil_us / 1000000, bytes);
  return mh_put_bytes(out, n, bytes, sizeof bytes);
}

const mh_extension_function soehnle_functions[SOEHNLE_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"clock_bytes", "i32(i64,out_bytes)", (void (*)(void))clock_bytes},
};
