#include "functions.h"

#include <meterhost/functions.h>

#include "measurement.h"

#define WEIGHT MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM

/* The address of the scale whose frames these are: 5C:CA:D3:14:2B:B3. */
static const mh_param params[] = {
    {.name = HUAWEI_PARAM_ADDRESS_HIGH, .type = MH_PARAM_TYPE_INTEGER, .i = 0x5cca},
    {.name = HUAWEI_PARAM_ADDRESS_MIDDLE, .type = MH_PARAM_TYPE_INTEGER, .i = 0xd314},
    {.name = HUAWEI_PARAM_ADDRESS_LOW, .type = MH_PARAM_TYPE_INTEGER, .i = 0x2bb3},
};

static const mh_test_vector vectors[] = {
    {"ch100-126-6", "bc110eabf78678303ba462fc93d1db4b348861", HUAWEI_NOTIFY, 0, MH_OK, 1, WEIGHT, 1266, -1, MH_TIME_CIVIL,
     INT64_C(1786356098000000)},
    {"ch100-126-5", "bc110eabf48679303ba462fc93dce84b3f8861", HUAWEI_NOTIFY, 0, MH_OK, 1, WEIGHT, 1265, -1, MH_TIME_CIVIL,
     INT64_C(1786356741000000)},
    {"other-address", "bc100edef702c9bbf2176c755b6eccdd5b92b0", HUAWEI_NOTIFY, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"wants-person", "bd012021", HUAWEI_NOTIFY, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"short", "bc110eabf78678303ba462fc93d1db4b3488", HUAWEI_NOTIFY, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(huawei_decode_all, params, sizeof params / sizeof params[0], vectors,
                      sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t read_frame(mh_bytes frame, mh_bytes address, uint32_t slot, double *weight, uint32_t *resistance,
                          int64_t *civil_us) {
  if (address.p == NULL || address.n != 6) return MH_E_ARG;
  mh_param wish = {.name = MH_PARAM_USER_SLOT, .type = MH_PARAM_TYPE_INTEGER, .i = slot};
  mh_open opening = {.struct_size = sizeof opening, .params = &wish, .n_params = 1};
  for (int i = 0; i < 6; i++) opening.address[i] = address.p[i];
  huawei_link link;
  if (!huawei_link_of(&opening, &link)) return MH_E_ARG;
  huawei_measurement measurement;
  int32_t status = huawei_measurement_read(&link, frame, &measurement);
  if (status != MH_OK) return status;
  *weight = measurement.weight / 10.0;
  *resistance = measurement.resistance;
  *civil_us = measurement.t_us;
  return MH_OK;
}

const mh_extension_function huawei_functions[HUAWEI_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_frame", "i32(bytes,bytes,u32,out_f64,out_u32,out_i64)", (void (*)(void))read_frame},
};
