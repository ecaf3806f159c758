#include "functions.h"

#include <meterhost/functions.h>

static const mh_test_vector vectors[] = {
    {"hrs-cap-2", "164d1603", 0x2a37, 0, MH_OK, 1, MH_METRIC_HEART_RATE, MH_UNIT_PER_MINUTE, 77, 0, MH_TIME_NONE, 0},
    {"hrs-spec-u16-high", "012c01", 0x2a37, 0, MH_OK, 1, MH_METRIC_HEART_RATE, MH_UNIT_PER_MINUTE, 3, 2,
     MH_TIME_NONE, 0},
    {"hrs-nordic-nocontact", "04ff", 0x2a37, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"hrs-spec-filler-u16", "07ffff", 0x2a37, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"hrs-spec-short-energy", "0e4832", 0x2a37, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(heart_rate_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

const mh_extension_function heart_rate_functions[HEART_RATE_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
};
