#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "CReference.h"
#include "by_hand.h"

/* As many as one round of the host's decoder takes. */
#define RECORDS 4096
#define VALUES 16384
#define TEXTS 4096
#define ARENA (256 << 10)

struct bench_batch {
  uint8_t *arena;
  uint64_t n_arena;
  mh_slice *slices;
  uint32_t n_slices;
  mh_record *records;
  mh_value *values;
  mh_text *texts;
  uint8_t *identities;
  mh_sink sink;
};

static int32_t (*bundle_decode)(const mh_open *, mh_bytes, mh_slice *, uint64_t, mh_sink *, uint64_t *);

bench_batch *bench_batch_make(const uint8_t *arena, const uint32_t *lengths, uint32_t count) {
  bench_batch *batch = calloc(1, sizeof(*batch));
  if (batch == NULL) return NULL;
  for (uint32_t i = 0; i < count; i++) batch->n_arena += lengths[i];
  batch->n_slices = count;
  batch->arena = malloc(batch->n_arena + 1);
  batch->slices = calloc(count, sizeof(mh_slice));
  batch->records = calloc(RECORDS, sizeof(mh_record));
  batch->values = calloc(VALUES, sizeof(mh_value));
  batch->texts = calloc(TEXTS, sizeof(mh_text));
  batch->identities = calloc(ARENA, 1);
  if (!batch->arena || !batch->slices || !batch->records || !batch->values || !batch->texts || !batch->identities) {
    bench_batch_free(batch);
    return NULL;
  }
  memcpy(batch->arena, arena, batch->n_arena);
  uint32_t offset = 0;
  for (uint32_t i = 0; i < count; i++) {
    batch->slices[i] = (mh_slice){.off = offset, .len = lengths[i], .t_us = i, .characteristic = 0x2a18};
    offset += lengths[i];
  }
  return batch;
}

void bench_batch_free(bench_batch *batch) {
  if (batch == NULL) return;
  free(batch->arena);
  free(batch->slices);
  free(batch->records);
  free(batch->values);
  free(batch->texts);
  free(batch->identities);
  free(batch);
}

static int32_t refuse_action(void *ctx, const mh_action *action) {
  (void)ctx;
  (void)action;
  return MH_E_DENIED;
}

static mh_bytes start(bench_batch *batch) {
  batch->sink = (mh_sink){
      .struct_size = sizeof(mh_sink),
      .records = batch->records,
      .cap_records = RECORDS,
      .values = batch->values,
      .cap_values = VALUES,
      .texts = batch->texts,
      .cap_texts = TEXTS,
      .arena = batch->identities,
      .cap_arena = ARENA,
      .act = refuse_action,
  };
  return (mh_bytes){batch->arena, batch->n_arena};
}

const char *bench_load_bundle(const char *path) {
  static const mh_host host = {
      .struct_size = sizeof(mh_host), .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR};
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == NULL) return dlerror();
  int32_t (*entry)(const mh_host *, uint32_t, const mh_driver **, mh_str *) = NULL;
  *(void **)&entry = dlsym(object, "mh_driver_entry");
  if (entry == NULL) return "it exports no mh_driver_entry";
  const mh_driver *driver = NULL;
  mh_str why = {0};
  if (entry(&host, 0, &driver, &why) != MH_OK || driver->bluetooth == NULL || driver->bluetooth->decode == NULL)
    return "its first driver does not decode";
  bundle_decode = driver->bluetooth->decode;
  return NULL;
}

int32_t bench_decode_bundle(bench_batch *batch) {
  static const mh_open opening = {
      .struct_size = sizeof(mh_open), .purpose = MH_PURPOSE_READ, .since_us = INT64_MIN, .until_us = INT64_MAX};
  if (bundle_decode == NULL) return MH_E_UNSUPPORTED;
  uint64_t done = 0;
  return bundle_decode(&opening, start(batch), batch->slices, batch->n_slices, &batch->sink, &done);
}

int32_t bench_decode_by_hand(bench_batch *batch) {
  uint64_t done = 0;
  return decode_by_hand(start(batch), batch->slices, batch->n_slices, &batch->sink, &done);
}

uint64_t bench_batch_records(const bench_batch *batch) { return batch->sink.n_records; }

const char *bench_batch_difference(const bench_batch *one, const bench_batch *other) {
  const mh_sink *a = &one->sink, *b = &other->sink;
  if (one->n_slices != other->n_slices || memcmp(one->slices, other->slices, one->n_slices * sizeof(mh_slice)) != 0)
    return "statuses";
  if (a->n_records != b->n_records || memcmp(a->records, b->records, a->n_records * sizeof(mh_record)) != 0)
    return "records";
  if (a->n_values != b->n_values || memcmp(a->values, b->values, a->n_values * sizeof(mh_value)) != 0) return "values";
  if (a->n_texts != b->n_texts) return "texts";
  if (a->n_arena != b->n_arena || memcmp(a->arena, b->arena, a->n_arena) != 0) return "identity bytes";
  return NULL;
}
