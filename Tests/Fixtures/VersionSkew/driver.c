/* A driver that uses what a later minor brings, when its headers have it: an event, an action, a field of each, a
 * capability and a service of the host (rule R4). CARELESS: it does not look whether the host has them. */
#include <meterhost/driver.h>

#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

struct mh_session {
  const mh_host *host;
};

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (!MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  *out = session;
  return MH_OK;
}

static void close_session(mh_session *session) { free(session); }

static int32_t reading(const mh_event *event, mh_sink *sink) {
  if (event->value.n != 1) return MH_E_PROTOCOL;
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MMOL_PER_L, .exp10 = -1,
                    .value = event->value.p[0] / 10.0, .raw = event->value.p[0]};
  return mh_sink_record(sink, &record, &value, 1, NULL, 0);
}

#ifdef MH_EV_PHY
static void say(const mh_session *session, const char *line) {
  mh_str text = {line, strlen(line)};
  session->host->log(session->host->ctx, MH_LOG_INFO, text);
}

static int32_t ask_for_phy(const mh_session *session, mh_sink *sink) {
#ifndef CARELESS
  if (session->host->abi_minor < MH_ABI_MINOR) {
    say(session, "the host is older");
    return MH_OK;
  }
  if (MH_HAS(session->host, uptime) && session->host->uptime(session->host->ctx) > 0) say(session, "the host is up");
#endif
  int32_t status = mh_sink_act(sink, (mh_action){.kind = MH_DO_PHY, .phy = 2});
  if (status == MH_E_UNSUPPORTED) {
    say(session, "the host cannot change the phy");
    return MH_OK;
  }
  return status;
}
#endif

static int32_t handle(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session;
  if (!MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx)) return MH_E_ARG;
  switch (event->kind) {
    case MH_EV_CONNECTED: {
      int32_t status = mh_sink_act(sink, (mh_action){.kind = MH_DO_READY});
#ifdef MH_EV_PHY
      if (status == MH_OK) status = ask_for_phy(session, sink);
#endif
      return status;
    }
#ifdef MH_EV_PHY
    case MH_EV_PHY:
      say(session, MH_HAS(event, phy) && event->phy == 2 ? "the phy is 2" : "the phy is another");
      return MH_OK;
#endif
    case MH_EV_NOTIFICATION: return reading(event, sink);
    case MH_EV_CONTINUE:
    case MH_EV_DISCONNECTED: return MH_OK;
    default: return MH_E_UNSUPPORTED;
  }
}

static const mh_bluetooth table = {
    .struct_size = sizeof(mh_bluetooth), .open = open_session, .event = handle, .close = close_session};

static const mh_driver driver = {
    .struct_size = sizeof(mh_driver),
    .abi_major = MH_ABI_MAJOR,
    .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
#ifdef MH_CAP_PHY
    .capabilities = MH_CAP_CONNECT | MH_CAP_PHY,
#else
    .capabilities = MH_CAP_CONNECT,
#endif
    .id = {"org.meterhost.skew", 18},
    .version = {"1.0.0", 5},
    .vendor = {"MeterHost", 9},
    .bluetooth = &table,
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (!mh_host_fits(host)) {
    *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
