#include "functions.h"

#include <meterhost/functions.h>

#include "decode.h"
#include "frame.h"

static const mh_test_vector vectors[] = {
    {"generation-4", "4d3a00310000000101000000000000000000000000000000000000000000000000000000000000000000864644160711110280008b",
     MICROLIFE_ANSWER, 0, MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, 134, 0, MH_TIME_CIVIL, INT64_C(1658077320000000)},
    {"generation-3", "4d31002500000001010000000000000000000000000000000000000000000000008e60554d8e0f10e2", MICROLIFE_ANSWER, 0,
     MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, 142, 0, MH_TIME_CIVIL, INT64_C(1473776100000000)},
    {"empty", "4d3a00270000000001000000000000000000000000000000000000000000000000000000000000000000af", MICROLIFE_ANSWER, 0,
     MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"done", "4d3a0002810a", MICROLIFE_ANSWER, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"wrong-sum", "4d3a0002810b", MICROLIFE_ANSWER, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(microlife_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t frame_is_whole(mh_bytes bytes, int32_t *is_whole) {
  *is_whole = microlife_is_frame(bytes);
  return MH_OK;
}

const mh_extension_function microlife_functions[MICROLIFE_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"frame_is_whole", "i32(bytes,out_i32)", (void (*)(void))frame_is_whole},
};
