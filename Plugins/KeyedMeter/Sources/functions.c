#include "functions.h"

#include <meterhost/functions.h>

#include "protocol.h"

/* Records as they are after decryption: sequence, seconds since 2000, tenths of INR, flags. */
static const mh_test_vector vectors[] = {
    {"plain", "0700006fda2e190000", KEYED_DATA, 0, MH_OK, 1, MH_METRIC_INR, MH_UNIT_INR, 25, -1, MH_TIME_CIVIL,
     INT64_C(1732752000000000)},
    {"control", "080000000000220001", KEYED_DATA, 0, MH_OK, 1, MH_METRIC_INR, MH_UNIT_INR, 34, -1, MH_TIME_CIVIL,
     INT64_C(946684800000000)},
    {"no result", "0900006fda2effff00", KEYED_DATA, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"short", "0900006fda2e", KEYED_DATA, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

/* A driver that needs a key for every packet offers no decode; this one takes what the key has opened. */
static int32_t decode_record(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                             uint64_t *n_done) {
  (void)opening;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    slice->status = slice->len < KEYED_RECORD_LENGTH ? MH_E_PROTOCOL : keyed_put_record(arena.p + slice->off, sink);
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(decode_record, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t read_info(mh_bytes bytes, uint8_t *id, uint64_t *n_id, uint32_t *tag_length, uint32_t *last_sequence) {
  keyed_info info;
  int32_t status = keyed_read_info(bytes, &info);
  if (status != MH_OK) return status;
  *tag_length = info.tag_length;
  *last_sequence = info.last_sequence;
  return mh_put_bytes(id, n_id, info.id, sizeof info.id);
}

const mh_extension_function keyed_functions[KEYED_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_info", "i32(bytes,out_bytes,out_u32,out_u32)", (void (*)(void))read_info},
};
