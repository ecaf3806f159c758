#include "functions.h"

#include <meterhost/functions.h>

#include "frame.h"

#define WEIGHT MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM

static const mh_test_vector vectors[] = {
    {"mini", "0d1f14020059c6152f23d0b632269500a508f237", YUNMAI_MEASUREMENT, 0, MH_OK, 1, WEIGHT, 9877, -2, MH_TIME_UTC,
     INT64_C(1506153775000000)},
    {"mini-2", "0d1f1402005b7aa7a223d882ea1e0101bb052836", YUNMAI_MEASUREMENT, 0, MH_OK, 1, WEIGHT, 7681, -2, MH_TIME_UTC,
     INT64_C(1534764962000000)},
    {"premium", "0d131202005ddd67220000aba51c0000ea3e", YUNMAI_MEASUREMENT, 0, MH_OK, 1, WEIGHT, 7168, -2, MH_TIME_UTC,
     INT64_C(1574790946000000)},
    {"swinging", "0d1f0b0159c6152f269503", YUNMAI_MEASUREMENT, 0, MH_OK, 1, WEIGHT, 9877, -2, MH_TIME_NONE, 0},
    {"answer", "0d1f12060123d0b632af0119555a8d26016f", YUNMAI_MEASUREMENT, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"checksum", "0d1f0b0159c6152f269504", YUNMAI_MEASUREMENT, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"x", "563412eeffc00b741704031f4001f4ad", YUNMAI_X, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT, 8000, -2, MH_TIME_NONE,
     0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(yunmai_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t read_notification(mh_bytes value, double *weight, uint32_t *resistance, double *fat, uint32_t *user,
                                 uint32_t *time) {
  yunmai_frame frame;
  int32_t status = yunmai_notification(value, &frame);
  if (status != MH_OK) return status;
  *weight = frame.weight / 100.0;
  *resistance = frame.resistance;
  *fat = frame.fat / 100.0;
  *user = frame.user;
  *time = frame.time;
  return MH_OK;
}

const mh_extension_function yunmai_functions[YUNMAI_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_notification", "i32(bytes,out_f64,out_u32,out_f64,out_u32,out_u32)", (void (*)(void))read_notification},
};
