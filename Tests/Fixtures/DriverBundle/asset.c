/* A thermometer's driver whose temperature is the first byte of its asset "table", in tenths: a session gives it as soon as
 * there is a connection, decode for every value. Without the asset nothing opens. ID, VERSION: what the driver is called. */
#include <meterhost/driver.h>

#include <stdlib.h>

MH_DRIVER_NOTE

struct mh_session {
  mh_bytes table;
};

#ifndef ID
#define ID "org.meterhost.thermometer"
#endif
#ifndef VERSION
#define VERSION "0.1.0"
#endif

static const mh_host *services;

static int32_t asset(mh_bytes *out) {
  const mh_str name = {"table", 5};
  const int32_t status = services->asset(services->ctx, name, out);
  return status == MH_OK && out->n == 0 ? MH_E_NOT_FOUND : status;
}

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  (void)host, (void)opening;
  mh_bytes table = {NULL, 0};
  const int32_t status = asset(&table);
  if (status != MH_OK) return status;
  *out = calloc(1, sizeof **out);
  if (!*out) return MH_E_MEMORY;
  (*out)->table = table;
  return MH_OK;
}

static int32_t reading(mh_bytes table, mh_sink *sink) {
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .time_kind = MH_TIME_CIVIL, .ident_class = MH_IDENT_STORED};
  record.t_us = record.end_us = 1700000000000000;
  record.device_seq = MH_SEQ_NONE;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  mh_value number = {.metric = MH_METRIC_BODY_TEMPERATURE, .unit = MH_UNIT_CELSIUS, .exp10 = -1, .raw = table.p[0]};
  number.value = (double)table.p[0] / 10;
  return mh_sink_record(sink, &record, &number, 1, table.p, 1);
}

static int32_t event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->kind != MH_EV_CONNECTED) return MH_OK;
  const int32_t status = reading(session->table, sink);
  return status == MH_OK ? mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH}) : status;
}

static void close_session(mh_session *session) { free(session); }

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  (void)opening, (void)arena;
  mh_bytes table = {NULL, 0};
  const int32_t found = asset(&table);
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    const uint64_t before = sink->n_records;
    const int32_t status = found == MH_OK ? reading(table, sink) : MH_E_UNSUPPORTED;
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}

static const mh_bluetooth table = {.struct_size = sizeof table, .open = open_session, .event = event,
                                   .close = close_session, .decode = decode};

static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE, .id = {ID, sizeof ID - 1}, .version = {VERSION, sizeof VERSION - 1},
    .vendor = {"Example", 7}, .bluetooth = &table,
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  if (!mh_host_fits(host)) return MH_REFUSED;
  services = host;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
