/* A thermometer's driver that is right about good meters and dies of a bad one: it believes a byte. Macros: DIES_AT_OPEN dies
 * whoever the meter is, DIES_OF_ITS_NAME when the meter has a name that it does not expect, DIES_AT_CLOSE at the end. */
#include <meterhost/driver.h>

#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

struct mh_session {
  uint16_t handle;
  uint32_t count;
};

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  (void)host;
#ifdef DIES_AT_OPEN
  abort();
#endif
#ifdef DIES_OF_ITS_NAME
  if (opening->advertised_name.n > 5) abort();
#endif
  (void)opening;
  *out = calloc(1, sizeof **out);
  return *out ? MH_OK : MH_E_MEMORY;
}

static int32_t on_services(mh_session *session, const mh_event *event, mh_sink *sink) {
  for (uint32_t i = 0; i < event->n_characteristics; i++)
    if (event->characteristics[i].properties & 0x20) session->handle = event->characteristics[i].handle;
  return mh_sink_act(sink, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = 1, .handle = session->handle});
}

static int32_t on_value(mh_session *session, mh_bytes value, mh_sink *sink) {
  if (value.n < 12) return MH_E_PROTOCOL;
  if (value.p[1] == 0xee) abort();
  int64_t raw = value.p[1] | value.p[2] << 8;
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .time_kind = MH_TIME_CIVIL, .ident_class = MH_IDENT_STORED};
  /* 2018-03-10T21:00:00 and the minute of the value. */
  record.t_us = record.end_us = 1520715600000000 + (int64_t)value.p[10] * 60000000;
  record.device_seq = MH_SEQ_NONE;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  mh_value number = {.metric = MH_METRIC_BODY_TEMPERATURE, .unit = MH_UNIT_CELSIUS, .exp10 = -1, .raw = raw};
  number.value = (double)raw / 10;
  session->count++;
  return mh_sink_record(sink, &record, &number, 1, value.p, 12);
}

static int32_t on_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  switch (event->kind) {
    case MH_EV_SERVICES: return on_services(session, event, sink);
    case MH_EV_INDICATION: return on_value(session, event->value, sink);
    case MH_EV_DISCONNECTED: return mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH});
    default: return MH_OK;
  }
}

static void close_session(mh_session *session) {
#ifdef DIES_AT_CLOSE
  abort();
#endif
  free(session);
}

static const mh_bluetooth table = {
    .struct_size = sizeof table, .open = open_session, .event = on_event, .close = close_session};

static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_CONNECT, .id = {"org.meterhost.thermometer", 25}, .version = {"0.1.0", 5},
    .vendor = {"tests", 5}, .bluetooth = &table,
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  if (!mh_host_fits(host)) return MH_REFUSED;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
