#include "functions.h"

#include <meterhost/functions.h>

#include "packet.h"

static const mh_test_vector vectors[] = {
    {"mi-v1-stable", "229e43e507040b101301", 0x181d, MH_SLICE_SERVICE_DATA, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 8655, -2, MH_TIME_CIVIL, INT64_C(1618157941000000)},
    {"mi-v2-imp", "0226b20705040f0201ac018642", 0x181b, MH_SLICE_SERVICE_DATA, MH_OK, 1,
     MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 8515, -2, MH_TIME_NONE, 0},
    {"mi-v2-theengs-lb", "0326e607020e10293af701f136", 0x181b, MH_SLICE_SERVICE_DATA, MH_OK, 1,
     MH_METRIC_BODY_WEIGHT, MH_UNIT_POUND, 14065, -2, MH_TIME_CIVIL, INT64_C(1644856918000000)},
    {"mi-v1-removed", "a29e43e507040b100534", 0x181d, MH_SLICE_SERVICE_DATA, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 8655, -2, MH_TIME_CIVIL, INT64_C(1618157152000000)},
    {"mi-v1-object", "627607b2070101000111", 0x181d, MH_SLICE_SERVICE_DATA, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"mi-v1-spec-two-units", "339e43e507040b101301", 0x181d, MH_SLICE_SERVICE_DATA, MH_E_PROTOCOL, 0, 0, 0,
     0, 0, 0, 0},
    {"mi-v2-spec-short", "0226b20705040f0201ac0186", 0x181b, MH_SLICE_SERVICE_DATA, MH_E_PROTOCOL, 0, 0, 0,
     0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(mi_scale_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* Service Data with a 16-bit UUID (Core Specification Supplement, Part A 1.11). */
#define SERVICE_DATA_16 0x16u

/* The weight is in the unit's own hundredths, a kilogram's halved (README.md). */
static int32_t read_advertisement(mh_bytes advertisement, double *weight, char *unit, uint64_t *n_unit,
                                  int32_t *is_stable, uint32_t *impedance, int64_t *civil_us) {
  mh_bytes data;
  uint16_t service = MI_SCALE_WEIGHT;
  if (!mh_ad_find(advertisement, SERVICE_DATA_16, MI_SCALE_WEIGHT, &data)) {
    service = MI_SCALE_COMPOSITION;
    if (!mh_ad_find(advertisement, SERVICE_DATA_16, MI_SCALE_COMPOSITION, &data)) return MH_E_UNSUPPORTED;
  }
  mi_packet packet;
  int32_t status = mi_packet_read(service, data, &packet);
  if (status != MH_OK) return status;
  *weight = packet.raw_weight / (packet.is_pound ? 100.0 : 200.0);
  *is_stable = packet.is_stable;
  *impedance = packet.impedance;
  *civil_us = packet.has_time ? packet.t_us : 0;
  return mh_put_text(unit, n_unit, packet.is_pound ? "lb" : "kg");
}

const mh_extension_function mi_scale_functions[MI_SCALE_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_advertisement", "i32(bytes,out_f64,out_text,out_i32,out_u32,out_i64)", (void (*)(void))read_advertisement},
};
