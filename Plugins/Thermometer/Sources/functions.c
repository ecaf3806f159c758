#include "functions.h"

#include <meterhost/functions.h>

#include "decode.h"

static const mh_test_vector vectors[] = {
    {"hts-so-36.0", "06680100ffe207030a15340002", 0x2a1c, 0, MH_OK, 1, MH_METRIC_BODY_TEMPERATURE,
     MH_UNIT_CELSIUS, 36, 0, MH_TIME_CIVIL, INT64_C(1520718720000000)},
    {"hts-pyle-BFMNAP4J", "04530d00fe09", 0x2a1c, 0, MH_OK, 1, MH_METRIC_BODY_TEMPERATURE, MH_UNIT_CELSIUS,
     3411, -2, MH_TIME_NONE, 0},
    {"hts-spec-fahr", "01da0300ff", 0x2a1c, 0, MH_OK, 1, MH_METRIC_BODY_TEMPERATURE, MH_UNIT_FAHRENHEIT, 986,
     -1, MH_TIME_NONE, 0},
    {"hts-spec-nan", "00ffff7f00", 0x2a1c, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"hts-spec-unset-clock", "026c0100ff00000000000000", 0x2a1c, 0, MH_OK, 1, MH_METRIC_BODY_TEMPERATURE,
     MH_UNIT_CELSIUS, 364, -1, MH_TIME_NONE, 0},
    {"hts-nrfsim-4", "06840f00fedc070c050b0c1504", 0x2a1c, 0, MH_OK, 1, MH_METRIC_BODY_TEMPERATURE,
     MH_UNIT_CELSIUS, 3972, -2, MH_TIME_CIVIL, INT64_C(1354705941000000)},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(thermometer_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t clock_time(mh_bytes bytes, int64_t *civil_us) {
  if (bytes.n < THERMOMETER_TIME_LENGTH) return MH_E_PROTOCOL;
  return thermometer_time(bytes.p, civil_us) ? MH_OK : MH_E_NO_VALUE;
}

const mh_extension_function thermometer_functions[THERMOMETER_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"clock_time", "i32(bytes,out_i64)", (void (*)(void))clock_time},
};
