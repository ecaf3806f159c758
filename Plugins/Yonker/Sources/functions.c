#include "functions.h"

#include <meterhost/functions.h>

#include "decode.h"

static const mh_test_vector vectors[] = {
    {"131-103", "818367510000190b18131200000000", YONKER_PACKET, 0, MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, 131, 0,
     MH_TIME_CIVIL, INT64_C(1764011880000000)},
    {"70-36", "8146243200001903150a1100000000", YONKER_PACKET, 0, MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, 70, 0,
     MH_TIME_CIVIL, INT64_C(1742552220000000)},
    {"progress", "80012c", YONKER_PACKET, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"oximeter", "81624804", YONKER_PACKET, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(yonker_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

const mh_extension_function yonker_functions[YONKER_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
};
