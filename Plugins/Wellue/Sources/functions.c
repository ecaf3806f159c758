#include "functions.h"

#include <meterhost/functions.h>

#include "sample.h"

static const mh_test_vector vectors[] = {
    {"ring-on-a-finger", "5500ff00000d00624200000000006100920a01002f", WELLUE_FIRST_ANSWERS, 0, MH_OK, 1,
     MH_METRIC_SPO2, MH_UNIT_PERCENT, 98, 0, MH_TIME_NONE, 0},
    {"ring-on-the-table", "5500ff00000d00ffffff000000006201000000003d", WELLUE_FIRST_ANSWERS, 0, MH_E_NO_VALUE, 0, 0,
     0, 0, 0, 0, 0},
    {"ring-s-on-a-finger", "a504fb01001400df290000020164053200c702005c00000000000075", WELLUE_SECOND_ANSWERS, 0,
     MH_OK, 1, MH_METRIC_SPO2, MH_UNIT_PERCENT, 100, 0, MH_TIME_NONE, 0},
    {"wrong-checksum", "5500ff00000d00624200000000006100920a01002e", WELLUE_FIRST_ANSWERS, 0, MH_E_PROTOCOL, 0, 0, 0,
     0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(wellue_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* The values in one whole answer of either generation. */
static int32_t live_values(mh_bytes answer, uint32_t *saturation, uint32_t *pulse, double *index, uint32_t *battery) {
  for (uint32_t i = 0; answer.p != NULL && i < WELLUE_PROTOCOLS; i++) {
    const wellue_protocol *protocol = &wellue_protocols[i];
    wellue_frame frame;
    if (wellue_find(answer.p, answer.n, protocol->answering, &frame) != WELLUE_FRAME) continue;
    wellue_sample sample;
    int32_t status = wellue_sample_read(protocol, &frame, &sample);
    if (status != MH_OK) return status;
    *saturation = sample.saturation;
    *pulse = sample.pulse;
    *index = sample.index / 10.0;
    *battery = sample.battery;
    return MH_OK;
  }
  return MH_E_PROTOCOL;
}

const mh_extension_function wellue_functions[WELLUE_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"live_values", "i32(bytes,out_u32,out_u32,out_f64,out_u32)", (void (*)(void))live_values},
};
