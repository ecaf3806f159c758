#include "functions.h"

#include <meterhost/functions.h>

#include "frame.h"

/* Frames of real scales, as their keys have opened them. */
static const mh_test_vector vectors[] = {
    {"s400 barefoot", "4050d53b0a166e0901bb52e154ed26f767", MIBEACON_SERVICE, MH_SLICE_SERVICE_DATA, MH_OK, 1,
     MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 699, -1, MH_TIME_UTC, INT64_C(1744250605000000)},
    {"s400 other impedance", "4050d53b0b166e09010000c04ded26f767", MIBEACON_SERVICE, MH_SLICE_SERVICE_DATA,
     MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"s200", "4050044c01164e0901511800008a1b1169", MIBEACON_SERVICE, MH_SLICE_SERVICE_DATA, MH_OK, 1,
     MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 6225, -2, MH_TIME_UTC, INT64_C(1762728842000000)},
    {"s800", "4050e2510a164e0990000105011b698d22", MIBEACON_SERVICE, MH_SLICE_SERVICE_DATA, MH_OK, 1,
     MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 8845, -2, MH_TIME_NONE, 0},
    {"sealed", "4859d53b0abc078ff2348c844138e930220000009e538599", MIBEACON_SERVICE, MH_SLICE_SERVICE_DATA,
     MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"object cut off", "4050d53b0a166e0901bb52e154ed26f7", MIBEACON_SERVICE, MH_SLICE_SERVICE_DATA, MH_E_PROTOCOL, 0,
     0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(mibeacon_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* What every listener sees of a frame. */
static int32_t read_frame(mh_bytes service_data, char *model, uint64_t *n_model, uint32_t *counter,
                          int32_t *is_sealed, int32_t *has_object) {
  static const char *const names[] = {"", "S400", "S200", "S800"};
  mibeacon_frame frame;
  int32_t status = mibeacon_frame_read(service_data, &frame);
  if (status != MH_OK) return status;
  *counter = frame.counter;
  *is_sealed = frame.is_sealed;
  *has_object = frame.has_object;
  return mh_put_text(model, n_model, names[frame.kind]);
}

const mh_extension_function mibeacon_functions[MIBEACON_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_frame", "i32(bytes,out_text,out_u32,out_i32,out_i32)", (void (*)(void))read_frame},
};
