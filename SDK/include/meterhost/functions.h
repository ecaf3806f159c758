/* Help with extension functions (rule R19), for authors; driver.h does not include it and the host does not need it.
 *
 * A signature "i32(PARAMETER,...)" stands for a C function that returns a status, MH_OK or MH_E_*:
 *
 *   i32 u32 i64 u64 f64              int32_t, uint32_t, int64_t, uint64_t, double
 *   text, bytes                      mh_str, mh_bytes; borrowed for the call, at most 65536 bytes
 *   out_i32 ... out_f64              int32_t * ... double *
 *   out_text                         char *buffer, uint64_t *n: in, the room (65536); out, the length. UTF-8
 *   out_bytes                        uint8_t *buffer, uint64_t *n, in the same way
 *
 * At most 16 parameters. Inside a call the host lends its log only: no storage, keys, random numbers, files, meter. When
 * the status is an error, outputs count for nothing but the first out_text, which may say why.
 */
#ifndef METERHOST_FUNCTIONS_H
#define METERHOST_FUNCTIONS_H

#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts bytes into an out_bytes; MH_E_FULL when they do not fit. */
static inline int32_t mh_put_bytes(uint8_t *buffer, uint64_t *n, const uint8_t *bytes, uint64_t count) {
  if (count > *n) return MH_E_FULL;
  for (uint64_t i = 0; i < count; i++) buffer[i] = bytes[i];
  *n = count;
  return MH_OK;
}

/* Puts a text, terminated by NUL, into an out_text; MH_E_FULL when it does not fit. */
static inline int32_t mh_put_text(char *buffer, uint64_t *n, const char *text) {
  uint64_t count = 0;
  while (text[count] != '\0') count++;
  if (count > *n) return MH_E_FULL;
  for (uint64_t i = 0; i < count; i++) buffer[i] = text[i];
  *n = count;
  return MH_OK;
}

/* One value that a self-test decodes, and the first value of the first record that must come of it. */
typedef struct mh_test_vector {
  const char *name;
  /* Lower-case hex digits; at most MH_TEST_BYTES_MAX bytes. Both end with NUL. */
  const char *hex;
  /* As in mh_slice. */
  uint16_t characteristic;
  uint16_t flags;
  int32_t status;
  /* How many records; when there are none, the rest counts for nothing. */
  uint32_t n_records;
  uint16_t metric;
  uint16_t unit;
  /* The value is raw * 10^exp10; 3600 and -2 are the same as 360 and -1. */
  int64_t raw;
  int32_t exp10;
  /* MH_TIME_*, and the time when there is one. */
  uint32_t time_kind;
  int64_t t_us;
} mh_test_vector;

#define MH_TEST_BYTES_MAX 64u

/* What mh_bluetooth.decode is. */
typedef int32_t (*mh_decode_function)(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n,
                                      mh_sink *sink, uint64_t *n_done);

static inline int32_t mh_test_act(void *ctx, const mh_action *action) {
  (void)ctx;
  (void)action;
  return MH_E_DENIED;
}

/* Reads hex digits; how many bytes they are, more than MH_TEST_BYTES_MAX when they are none or too many. */
static inline uint32_t mh_test_bytes(const char *hex, uint8_t *bytes) {
  uint32_t n = 0;
  for (; hex[2 * n] != '\0'; n++) {
    if (n == MH_TEST_BYTES_MAX) return MH_TEST_BYTES_MAX + 1u;
    bytes[n] = 0;
    for (uint32_t i = 0; i < 2; i++) {
      char digit = hex[2 * n + i];
      int value = digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
      if (value < 0) return MH_TEST_BYTES_MAX + 1u;
      bytes[n] = (uint8_t)(bytes[n] << 4 | value);
    }
  }
  return n;
}

/* Whether two decimal numbers are the same. */
static inline int mh_test_same(int64_t a, int32_t a_exp10, int64_t b, int32_t b_exp10) {
  while (a_exp10 < b_exp10 && a % 10 == 0 && a != 0) a /= 10, a_exp10++;
  while (b_exp10 < a_exp10 && b % 10 == 0 && b != 0) b /= 10, b_exp10++;
  return a == b && (a_exp10 == b_exp10 || a == 0);
}

/* What a vector and its decoding do not agree about; NULL when they do. */
static inline const char *mh_test_difference(const mh_test_vector *vector, const mh_slice *slice, const mh_sink *sink) {
  if (slice->status != vector->status) return "status";
  if (slice->n_records != vector->n_records || slice->n_records != sink->n_records) return "number of records";
  if (vector->n_records == 0) return NULL;
  const mh_record *record = &sink->records[slice->first_record];
  if (record->time_kind != vector->time_kind) return "kind of time";
  if (record->time_kind != MH_TIME_NONE && record->t_us != vector->t_us) return "time";
  if (record->n_values == 0) return "number of values";
  const mh_value *value = &sink->values[record->first_value];
  if (value->metric != vector->metric) return "metric";
  if (value->unit != vector->unit) return "unit";
  if (!mh_test_same(value->raw, value->exp10, vector->raw, vector->exp10)) return "value";
  return NULL;
}

/* Decodes every vector as a tool would and compares: the body of a function "self_test" with "i32(out_text)". MH_OK, or
 * MH_E_PROTOCOL with the name of the first vector that differs. `params` are given to each. */
static inline int32_t mh_self_test(mh_decode_function decode, const mh_param *params, uint32_t n_params,
                                   const mh_test_vector *vectors, uint32_t n_vectors, char *out, uint64_t *n) {
  mh_record records[4];
  mh_value values[MH_SINK_VALUES_MIN];
  mh_text texts[MH_SINK_TEXTS_MIN];
  uint8_t arena[MH_SINK_ARENA_MIN];
  uint8_t input[MH_TEST_BYTES_MAX];
  for (uint32_t i = 0; i < n_vectors; i++) {
    const mh_test_vector *vector = &vectors[i];
    mh_open opening;
    __builtin_memset(&opening, 0, sizeof opening);
    opening.struct_size = (uint32_t)sizeof(mh_open);
    opening.purpose = MH_PURPOSE_TEST;
    opening.since_us = INT64_MIN;
    opening.until_us = INT64_MAX;
    opening.params = params;
    opening.n_params = n_params;
    mh_slice slice;
    __builtin_memset(&slice, 0, sizeof slice);
    slice.len = mh_test_bytes(vector->hex, input);
    if (slice.len > MH_TEST_BYTES_MAX) return MH_E_ARG;
    slice.characteristic = vector->characteristic;
    slice.flags = vector->flags;
    mh_sink sink;
    __builtin_memset(&sink, 0, sizeof sink);
    sink.struct_size = (uint32_t)sizeof(mh_sink);
    sink.records = records;
    sink.cap_records = 4;
    sink.values = values;
    sink.cap_values = MH_SINK_VALUES_MIN;
    sink.texts = texts;
    sink.cap_texts = MH_SINK_TEXTS_MIN;
    sink.arena = arena;
    sink.cap_arena = MH_SINK_ARENA_MIN;
    sink.act = mh_test_act;
    mh_bytes bytes = {input, slice.len};
    uint64_t n_done = 0;
    int32_t status = decode(&opening, bytes, &slice, 1, &sink, &n_done);
    const char *difference =
        status != MH_OK || n_done != 1 ? "return value" : mh_test_difference(vector, &slice, &sink);
    if (difference == NULL) continue;
    const char *words[] = {"vector ", vector->name, ": another ", difference, " than expected"};
    uint64_t used = 0;
    for (uint32_t word = 0; word < 5; word++) {
      uint64_t room = *n - used;
      if (mh_put_text(out + used, &room, words[word]) != MH_OK) return MH_E_FULL;
      used += room;
    }
    *n = used;
    return MH_E_PROTOCOL;
  }
  return mh_put_text(out, n, "every vector is decoded as it should be");
}

#ifdef __cplusplus
}
#endif
#endif
