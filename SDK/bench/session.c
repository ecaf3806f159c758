/* One session: facts in, rounds until the driver has said everything, and decode beside it. */
#include <stdlib.h>
#include <string.h>

#include "bench_internal.h"

#define NOW INT64_C(1700000000000000)
#define PEER 7u
/* What an empty sink holds besides records: the contract's least for few records, room for all of many. */
#define VALUES(records) ((records) * 8 > MH_SINK_VALUES_MIN ? (records) * 8 : MH_SINK_VALUES_MIN)
#define TEXTS(records) ((records) * 2 > MH_SINK_TEXTS_MIN ? (records) * 2 : MH_SINK_TEXTS_MIN)
#define ARENA(records) ((records) * 64 > MH_SINK_ARENA_MIN ? (records) * 64 : MH_SINK_ARENA_MIN)

bench *bench_new(const mh_driver *driver) {
  bench *made = bench_allocate(sizeof *made);
  made->driver = driver;
  made->round_records = BENCH_ROUND_RECORDS;
  made->opening = (mh_open){.struct_size = sizeof(mh_open),
                            .peripheral_id = 900000,
                            .clock_trust = MH_CLOCK_SYNCHRONISED,
                            .peer = PEER,
                            .unix_us = NOW,
                            .since_us = INT64_MIN,
                            .until_us = INT64_MAX,
                            .security = MH_SECURITY_NONE};
  return made;
}

void bench_free(bench *bench) {
  if (bench == NULL) return;
  bench_close(bench);
  for (uint32_t i = 0; i < bench->n_keys; i++) free(bench->keys[i].value);
  free(bench->records);
  free(bench->values);
  free(bench->texts);
  free(bench->arena);
  free(bench);
}

mh_open *bench_opening(bench *bench) { return &bench->opening; }
void bench_room(bench *bench, uint64_t records) { bench->round_records = records == 0 ? 1 : records; }
void bench_crypto(bench *bench, const mh_crypto *table) { bench->crypto = table; }
void bench_wait(bench *bench, uint64_t nanoseconds) { bench->mono_ns += nanoseconds; }
int bench_has_ended(const bench *bench) { return bench->session == NULL || bench->has_ended; }

int32_t bench_open(bench *bench, uint32_t purpose) {
  bench_close(bench);
  bench_drop_output(bench);
  bench->opening.purpose = purpose;
  bench->seq = 0;
  bench->random = UINT64_C(0x9e3779b97f4a7c15);
  bench->is_disconnected = bench->has_ended = 0;
  mh_session *session = NULL;
  bench_current = bench;
  bench_allows_services = 1;
  int32_t status = bench->driver->bluetooth->open(&bench_host, &bench->opening, &session);
  bench_current = NULL;
  if (status == MH_OK && session == NULL) bench_broken(bench, "R9", "open said MH_OK and gave no session");
  if (status != MH_OK && session != NULL) bench_broken(bench, "R9", "open refused and gave a session");
  if (status > MH_OK || status == MH_E_FULL) bench_broken(bench, "R9", "open returned %d", status);
  if (status != MH_OK) bench_end_writes(bench, 0);
  bench->session = session;
  return status;
}

void bench_close(bench *bench) {
  if (bench->session == NULL) return;
  bench_current = bench;
  bench_allows_services = 1;
  bench->driver->bluetooth->close(bench->session);
  bench_current = NULL;
  bench->session = NULL;
  bench_end_writes(bench, 0);
}

static int32_t run_round(bench *bench, const mh_event *event) {
  uint64_t room = bench->round_records;
  mh_sink sink = bench_make_sink(bench, room, VALUES(room), TEXTS(room), ARENA(room));
  uint32_t actions_before = bench->n_actions;
  bench->takes_actions = 1;
  bench_current = bench;
  bench_allows_services = 1;
  int32_t status = bench->driver->bluetooth->event(bench->session, event, &sink);
  bench_current = NULL;
  bench_take(bench, &sink);
  if (status == MH_E_FULL && sink.n_records == 0 && bench->n_actions == actions_before)
    bench_broken(bench, "R13", "MH_E_FULL to an empty sink, which will never hold more");
  if (bench->n_records > MH_RECORDS_MAX) bench_broken(bench, "R16", "more than %u records in one event", MH_RECORDS_MAX);
  bench_free_sink(&sink);
  return status;
}

static int ends_session(const bench *bench, int32_t status) {
  if (status != MH_OK && status != MH_E_PROTOCOL && status != MH_E_UNSUPPORTED) return 1;
  return bench_find_action(bench, MH_DO_FINISH) != NULL || bench_find_action(bench, MH_DO_FAIL) != NULL;
}

static int32_t deliver(bench *bench, mh_event fact, int commits) {
  if (bench_has_ended(bench)) bench_broken(bench, "R10", "the test sent an event to a session that has ended");
  bench_drop_output(bench);
  bench->mono_ns += 1000000;
  fact.struct_size = sizeof(mh_event);
  fact.seq = ++bench->seq;
  fact.mono_ns = bench->mono_ns;
  fact.unix_us = NOW + (int64_t)(bench->mono_ns / 1000);
  if (fact.kind == MH_EV_DISCONNECTED) bench->is_disconnected = 1;
  /* Bytes of just this length, so that a memory checker sees a read behind their end. */
  uint8_t *bytes = bench_allocate(fact.value.n);
  if (fact.value.n != 0) memcpy(bytes, fact.value.p, fact.value.n);
  fact.value.p = fact.value.n == 0 ? NULL : bytes;
  int32_t status = run_round(bench, &fact);
  free(bytes);
  mh_event next = {.struct_size = sizeof(mh_event),
                   .kind = MH_EV_CONTINUE,
                   .seq = fact.seq,
                   .mono_ns = fact.mono_ns,
                   .unix_us = fact.unix_us};
  for (uint32_t rounds = 1; status == MH_E_FULL; rounds++) {
    /* The host's limit is for rounds of its own size; a bench with less room allows as many records. */
    if (rounds > MH_RECORDS_MAX) bench_broken(bench, "R13", "MH_E_FULL %u times to one event", rounds);
    status = run_round(bench, &next);
  }
  if (status > MH_OK || status < MH_E_NO_VALUE) bench_broken(bench, "R10", "event returned %d", status);
  bench_check_actions(bench);
  int has_output = bench->n_records != 0 || bench->n_actions != 0;
  if (status == MH_E_UNSUPPORTED && has_output)
    bench_broken(bench, "R10", "event returned MH_E_UNSUPPORTED and put something out");
  int is_taken = status == MH_OK || status == MH_E_PROTOCOL;
  if (!is_taken) bench_drop_output(bench);
  bench_end_writes(bench, commits && is_taken);
  bench->has_ended = ends_session(bench, status) || bench->is_disconnected;
  return status;
}

int32_t bench_event(bench *bench, mh_event fact) { return deliver(bench, fact, 1); }
int32_t bench_event_uncommitted(bench *bench, mh_event fact) { return deliver(bench, fact, 0); }

int32_t bench_services(bench *bench, uint16_t service, const bench_characteristic *list, uint32_t n) {
  mh_service services[1] = {{.first_handle = 1, .last_handle = 0xffff, .uuid = mh_uuid16(service)}};
  mh_characteristic *all = bench_allocate(n * sizeof *all);
  for (uint32_t i = 0; i < n; i++)
    all[i] = (mh_characteristic){
        .handle = list[i].handle, .properties = list[i].properties, .uuid = mh_uuid16(list[i].id)};
  int32_t status = bench_event(bench, (mh_event){.kind = MH_EV_SERVICES,
                                                 .services = services,
                                                 .n_services = 1,
                                                 .characteristics = all,
                                                 .n_characteristics = n});
  free(all);
  return status;
}

int32_t bench_answer(bench *bench, uint32_t kind, uint64_t token, int32_t status) {
  return bench_event(bench, (mh_event){.kind = kind, .token = token, .status = status});
}

int32_t bench_value(bench *bench, uint32_t kind, uint16_t handle, const uint8_t *bytes, uint64_t n) {
  mh_bytes value = {bytes, n};
  return bench_event(bench, (mh_event){.kind = kind, .handle = handle, .value = value});
}

int32_t bench_fact(bench *bench, uint32_t kind, uint64_t token) {
  return bench_event(bench, (mh_event){.kind = kind, .token = token});
}

/* MARK: decode */

static int32_t decode_once(bench *bench, mh_slice *slice, mh_bytes arena, uint64_t room) {
  bench_drop_output(bench);
  mh_sink sink = bench_make_sink(bench, room, VALUES(room), TEXTS(room), ARENA(room));
  uint64_t done = 0;
  bench->takes_actions = 0;
  bench_current = bench;
  bench_allows_services = 0;
  int32_t status = bench->driver->bluetooth->decode(&bench->opening, arena, slice, 1, &sink, &done);
  bench_current = NULL;
  if (status == MH_OK) {
    bench_take(bench, &sink);
    if (done != 1) bench_broken(bench, "R14", "decode returned MH_OK and finished %llu of 1", (unsigned long long)done);
    int says_none =
        slice->status == MH_E_NO_VALUE || slice->status == MH_E_PROTOCOL || slice->status == MH_E_UNSUPPORTED;
    if (slice->status != MH_OK && !says_none) bench_broken(bench, "R14", "a value has the status %d", slice->status);
    if (slice->n_records != sink.n_records || (says_none && slice->n_records != 0) ||
        (slice->n_records != 0 && slice->first_record != 0))
      bench_broken(bench, "R14", "a value names records that are not its own");
  } else if (status == MH_E_FULL) {
    if (done != 0) bench_broken(bench, "R14", "decode returned MH_E_FULL and finished everything");
  } else {
    bench_broken(bench, "R14", "decode returned %d", status);
  }
  bench_free_sink(&sink);
  return status;
}

int32_t bench_decode(bench *bench, uint16_t characteristic, uint16_t flags, const uint8_t *bytes, uint64_t n) {
  uint8_t *copy = bench_allocate(n);
  if (n != 0) memcpy(copy, bytes, n);
  mh_bytes arena = {n == 0 ? NULL : copy, n};
  mh_slice slice = {.len = (uint32_t)n, .t_us = NOW, .characteristic = characteristic, .flags = flags, .status = 99};
  mh_slice first = slice;
  uint32_t purpose = bench->opening.purpose;
  bench->opening.purpose = MH_PURPOSE_TEST;
  int32_t status = decode_once(bench, &first, arena, 1);
  uint64_t n_records = bench->n_records, n_values = bench->n_values;
  if (decode_once(bench, &slice, arena, BENCH_ROUND_RECORDS) != MH_OK)
    bench_broken(bench, "R13", "one value does not fit into %d records", BENCH_ROUND_RECORDS);
  if (status == MH_OK &&
      (first.status != slice.status || n_records != bench->n_records || n_values != bench->n_values))
    bench_broken(bench, "R14", "the same value was decoded in two ways");
  bench->opening.purpose = purpose;
  free(copy);
  return slice.status;
}
