/* The kit of misbehaving drivers, for tests of the host. One driver, `kit`, commits the offence that it is told to: the
 * parameter MH_PARAM_KIT_OFFENCE names it ("segment"), MH_PARAM_KIT_PLACE says where (enum place). Macros say what is wrong
 * with the bundle as a whole: IN_CONSTRUCTOR or AT_ENTRY name an offence there. KIT_ID is another id. */
#include "kit.h"

#include <stdlib.h>

MH_DRIVER_NOTE

#ifndef KIT_ID
#define KIT_ID "kit"
#endif
#define PARAM_OFFENCE 0x8001u
#define PARAM_PLACE 0x8002u

struct mh_session {
  const struct offence *offence;
  int64_t place;
  uint32_t events;
};

static const mh_host *services;
uint64_t kit_peer;

int32_t put_reading(mh_sink *sink, uint32_t number) {
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .time_kind = MH_TIME_CIVIL, .ident_class = MH_IDENT_STORED};
  record.t_us = record.end_us = 1700000000000000 + (int64_t)number * 60000000;
  record.device_seq = number;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MMOL_PER_L, .exp10 = -1, .raw = 50, .value = 5.0};
  return mh_sink_record(sink, &record, &value, 1, (const uint8_t *)&number, sizeof number);
}

static const struct offence *find(mh_str name) {
  const struct offence *families[] = {crashes, hangs, greed, lies, escapes, stays};
  for (unsigned family = 0; family < sizeof families / sizeof *families; family++)
    for (const struct offence *offence = families[family]; offence->name; offence++)
      if (strlen(offence->name) == name.n && memcmp(offence->name, name.p, name.n) == 0) return offence;
  return NULL;
}

static int32_t told(const mh_open *opening, struct mh_session *session) {
  for (uint64_t i = 0; i < opening->n_params; i++) {
    const mh_param *parameter = &opening->params[i];
    if (parameter->name == PARAM_OFFENCE) session->offence = find((mh_str){(const char *)parameter->b.p, parameter->b.n});
    if (parameter->name == PARAM_PLACE) session->place = parameter->i;
  }
  return session->offence ? MH_OK : MH_E_ARG;
}

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  mh_session *session = calloc(1, sizeof *session);
  if (!session) return MH_E_MEMORY;
  services = host;
  kit_peer = opening->peer;
  int32_t status = told(opening, session);
  if (status == MH_OK && session->place == AT_OPEN) {
    mh_sink none = {.struct_size = sizeof none};
    status = session->offence->commit(host, NULL, &none);
  }
  *out = session;
  return status;
}

static int32_t on_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  /* The first is served, so that there is something to lose. */
  if (session->events++ == 0) return put_reading(sink, 1);
  if (session->place != AT_EVENT) return put_reading(sink, session->events);
  return session->offence->commit(services, event, sink);
}

static void close_session(mh_session *session) {
  mh_sink none = {.struct_size = sizeof none};
  if (session->place == AT_CLOSE) session->offence->commit(services, NULL, &none);
  free(session);
}

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  struct mh_session session = {0};
  int32_t status = told(opening, &session);
  (void)arena;
  for (*n_done = 0; *n_done < n && status == MH_OK; ++*n_done) {
    slices[*n_done].first_record = (uint32_t)sink->n_records;
    slices[*n_done].n_records = 0;
    slices[*n_done].status = MH_E_NO_VALUE;
    if (session.place == AT_DECODE) status = session.offence->commit(services, NULL, sink);
  }
  return status;
}

static const mh_bluetooth table = {.struct_size = sizeof table,
                                   .open = open_session,
                                   .event = on_event,
                                   .close = close_session,
                                   .decode = decode};

static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE, .id = {KIT_ID, sizeof KIT_ID - 1}, .version = {"1.0.0", 5}, .vendor = {"tests", 5},
    .bluetooth = &table,
};

#ifdef IN_CONSTRUCTOR
__attribute__((constructor)) static void construct(void) {
  const struct offence *offence = find(words(IN_CONSTRUCTOR));
  mh_sink none = {.struct_size = sizeof none};
  if (offence) offence->commit(NULL, NULL, &none);
}
#endif

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
#ifdef AT_ENTRY
  const struct offence *offence = find(words(AT_ENTRY));
  mh_sink none = {.struct_size = sizeof none};
  if (offence) offence->commit(host, NULL, &none);
#endif
  if (!mh_host_fits(host)) return MH_REFUSED;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
