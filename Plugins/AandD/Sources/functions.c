#include "functions.h"

#include <meterhost/functions.h>

#include "decode.h"
#include "number.h"

static const mh_test_vector vectors[] = {
    {"pressure", "1e7c0056006100e807060f11111b3300010000", AANDD_PRESSURE, 0, MH_OK, 1, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG,
     124, 0, MH_TIME_CIVIL, INT64_C(1718471847000000)},
    {"pressure-failed", "16ff07ff07ff07e80706170e230aff070000", AANDD_PRESSURE, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"weight-sig", "02083ee807060f11111b", AANDD_WEIGHT, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 79400, -3,
     MH_TIME_CIVIL, INT64_C(1718471847000000)},
    {"weight-own", "021a03e807060f11111b", AANDD_OWN_WEIGHT, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 794,
     -1, MH_TIME_CIVIL, INT64_C(1718471847000000)},
    {"weight-own-lb", "01d906", AANDD_OWN_WEIGHT, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_POUND, 1753, -1, MH_TIME_NONE,
     0},
    {"frame", "1011480200000001400826d96a70fb90018b00", AANDD_FRAME, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM,
     9945, -2, MH_TIME_UTC, INT64_C(1785789328000000)},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(aandd_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t clock_time(mh_bytes bytes, int64_t *civil_us) {
  if (bytes.n < AANDD_TIME_LENGTH) return MH_E_PROTOCOL;
  return aandd_time(bytes.p, civil_us) ? MH_OK : MH_E_NO_VALUE;
}

const mh_extension_function aandd_functions[AANDD_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"clock_time", "i32(bytes,out_i64)", (void (*)(void))clock_time},
};
