#include "functions.h"

#include <meterhost/functions.h>
#include <string.h>

#include "clock.h"
#include "record.h"

#define LAYOUT_7322T 1
#define LAYOUT_7142T2 9

/* An HEM-7322T-E's record, an EVOLV's and one of an HEM-7142T2, as published. */
static const mh_test_vector big_endian[] = {
    {"first of a block", "4f611642244a155c00638d809457", OMRON_CHARACTERISTIC, 0, MH_OK, 1, MH_METRIC_SYSTOLIC,
     MH_UNIT_MMHG, 122, 0, MH_TIME_CIVIL, INT64_C(1662114088000000)},
    {"one record", "5b781a4819d71b42000014006996", OMRON_CHARACTERISTIC, 0, MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG,
     145, 0, MH_TIME_CIVIL, INT64_C(1781480702000000)},
    {"wrong sum", "5b781a4819d71b42000014006997", OMRON_CHARACTERISTIC, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"empty slot", "ffffffffffffffffffffffffffff", OMRON_CHARACTERISTIC, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
};
static const mh_test_vector little_endian[] = {
    {"one record", "6558541a331ade1800004c00ba00", OMRON_CHARACTERISTIC, 0, MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG,
     126, 0, MH_TIME_CIVIL, INT64_C(1781724930000000)},
    {"refused", "088100080010e372", OMRON_CHARACTERISTIC, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  mh_param layout = {.name = OMRON_PARAM_LAYOUT, .type = MH_PARAM_TYPE_INTEGER, .i = LAYOUT_7322T};
  uint64_t room = *n;
  int32_t status = mh_self_test(omron_decode_all, &layout, 1, big_endian, sizeof big_endian / sizeof big_endian[0],
                                report, &room);
  if (status == MH_OK) {
    room = *n;
    layout.i = LAYOUT_7142T2;
    status = mh_self_test(omron_decode_all, &layout, 1, little_endian, sizeof little_endian / sizeof little_endian[0],
                          report, &room);
  }
  *n = room;
  return status;
}

static int32_t clock_time(int32_t number, mh_bytes block, int64_t *out) {
  const omron_layout *layout = omron_layout_of(number);
  if (layout == NULL || block.p == NULL || block.n != layout->clock_size) return MH_E_ARG;
  switch (omron_read_clock(layout, block.p, out)) {
    case OMRON_CLOCK_SET: return MH_OK;
    case OMRON_CLOCK_UNSET: return MH_E_NO_VALUE;
    default: return MH_E_PROTOCOL;
  }
}

static int32_t clock_bytes(int32_t number, mh_bytes block, int64_t civil_us, uint8_t *out, uint64_t *n) {
  const omron_layout *layout = omron_layout_of(number);
  uint8_t bytes[OMRON_CLOCK_MAX];
  if (layout == NULL || block.p == NULL || block.n != layout->clock_size) return MH_E_ARG;
  if (!omron_set_clock(layout, block.p, civil_us, bytes)) return MH_E_ARG;
  return mh_put_bytes(out, n, bytes, layout->clock_size);
}

const mh_extension_function omron_functions[OMRON_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"clock_time", "i32(i32,bytes,out_i64)", (void (*)(void))clock_time},
    {"clock_bytes", "i32(i32,bytes,i64,out_bytes)", (void (*)(void))clock_bytes},
};
