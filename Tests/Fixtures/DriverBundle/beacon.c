/* A driver of a scale that only advertises, for tests of the host. The service data of 181D say what to do: one byte of
 * order, two of weight in hundredths of a kilogram, least significant first. */
#include <meterhost/driver.h>

#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

enum { UNSTABLE, STABLE, STABLE_LAST, STORED_LAST, COUNT, LATER, READY, ASK, REFUSE, CRASH, HOLD, NEEDS_LINK, DENY = 100 };

static const mh_host *services;

struct mh_session {
  uint64_t peer;
  uint16_t waiting;
  uint16_t heard;
  char address[13];
};

static mh_str words(const char *text) { return (mh_str){text, strlen(text)}; }

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  services = host;
  mh_session *session = calloc(1, sizeof *session);
  if (!session) return MH_E_MEMORY;
  session->peer = opening->peer;
  for (int i = 0; i < 12; i++)
    session->address[i] = "0123456789ABCDEF"[opening->address[i / 2] >> (i % 2 ? 0 : 4) & 15];
  *out = session;
  return MH_OK;
}

static void close_session(mh_session *session) { free(session); }

/* The weight is the identity; the text says for which address the session was opened. */
static int32_t weigh(mh_session *session, mh_sink *sink, uint16_t weight, uint32_t flags, uint16_t ident_class) {
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .flags = flags, .ident_class = ident_class};
  record.time_kind = ident_class == MH_IDENT_LIVE ? MH_TIME_NONE : MH_TIME_CIVIL;
  record.t_us = record.end_us = ident_class == MH_IDENT_LIVE ? 0 : 1700000000000000;
  record.device_seq = MH_SEQ_NONE;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  mh_value value = {.metric = MH_METRIC_BODY_WEIGHT, .unit = MH_UNIT_KILOGRAM, .exp10 = -2, .raw = weight};
  value.value = weight / 100.0;
  int32_t status = mh_sink_record(sink, &record, &value, 1, (const uint8_t *)&weight, sizeof weight);
  return status != MH_OK ? status : mh_sink_text(sink, MH_METRIC_NOTE, words(session->address));
}

static int32_t finish(mh_sink *sink) { return mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH}); }

static int32_t stable(mh_session *session, mh_sink *sink, uint16_t weight, uint16_t ident_class) {
  uint8_t bytes[2] = {(uint8_t)weight, (uint8_t)(weight >> 8)};
  int32_t status = services->kv_set(services->ctx, session->peer, words("user/last"), (mh_bytes){bytes, 2});
  return status != MH_OK ? status : weigh(session, sink, weight, 0, ident_class);
}

static int32_t obey(mh_session *session, mh_sink *sink, uint8_t order, uint16_t weight) {
  int32_t status = MH_OK;
  switch (order) {
    case UNSTABLE: return weigh(session, sink, weight, MH_REC_PROVISIONAL, MH_IDENT_LIVE);
    case STABLE: return stable(session, sink, weight, MH_IDENT_LIVE);
    case STABLE_LAST:
    case STORED_LAST:
      status = stable(session, sink, weight, order == STABLE_LAST ? MH_IDENT_LIVE : MH_IDENT_STORED);
      return status != MH_OK ? status : finish(sink);
    /* As many hundredths as there were advertisements. */
    case COUNT:
      status = weigh(session, sink, (uint16_t)(session->heard + 1000), 0, MH_IDENT_LIVE);
      return status != MH_OK ? status : finish(sink);
    case LATER:
      session->waiting = weight;
      return mh_sink_act(sink, (mh_action){.kind = MH_DO_TIMER, .token = 7, .arg = 1000000});
    case READY:
      status = mh_sink_act(sink, (mh_action){.kind = MH_DO_READY});
      return status != MH_OK ? status : mh_sink_act(sink, (mh_action){.kind = MH_DO_PROGRESS, .arg = 1, .arg2 = 2});
    case ASK:
      session->waiting = weight;
      return mh_sink_act(sink, (mh_action){.kind = MH_DO_ASK_USER, .code = MH_ASK_PASSKEY, .token = 9, .arg = 1,
                                           .arg2 = 6, .text = words("Which one?")});
    case REFUSE:
      return mh_sink_act(sink, (mh_action){.kind = MH_DO_FAIL, .code = MH_FAIL_METER_ERROR, .text = words("overload")});
    case CRASH: abort();
    case DENY: return MH_E_DENIED;
    /* Until the scale is gone. */
    case HOLD: session->waiting = weight; return MH_OK;
    default: break;
  }
  /* A record beside what it may not ask for: neither may be taken. */
  static const uint32_t kinds[] = {MH_DO_SUBSCRIBE, MH_DO_UNSUBSCRIBE,         MH_DO_READ, MH_DO_WRITE,
                                   MH_DO_WRITE_NO_RESPONSE, MH_DO_MTU, MH_DO_PAIR};
  status = stable(session, sink, weight, MH_IDENT_LIVE);
  mh_action action = {.kind = kinds[(order - NEEDS_LINK) % 7], .handle = 3, .arg = 100};
  return status != MH_OK ? status : mh_sink_act(sink, action);
}

static int32_t handle(mh_session *session, const mh_event *event, mh_sink *sink) {
  static const uint8_t head[] = {0x16, 0x1d, 0x18};
  switch (event->kind) {
    case MH_EV_ADVERTISEMENT: {
      session->heard++;
      mh_bytes data = event->value;
      for (uint64_t at = 0; at + 1 < data.n && at + 1 + data.p[at] <= data.n; at += data.p[at] + 1u)
        if (data.p[at] == 6 && memcmp(&data.p[at + 1], head, sizeof head) == 0)
          return obey(session, sink, data.p[at + 4], (uint16_t)(data.p[at + 5] | data.p[at + 6] << 8));
      return MH_OK;
    }
    case MH_EV_TIMER:
    case MH_EV_USER_INPUT: {
      int32_t status = stable(session, sink, (uint16_t)(session->waiting + event->token), MH_IDENT_LIVE);
      return status != MH_OK ? status : finish(sink);
    }
    case MH_EV_CANCEL: return finish(sink);
    case MH_EV_DISCONNECTED:
      return session->waiting ? stable(session, sink, (uint16_t)(session->waiting + event->status), MH_IDENT_LIVE)
                              : MH_OK;
    default: return MH_E_UNSUPPORTED;
  }
}

static const mh_bluetooth table = {
    .struct_size = sizeof table, .open = open_session, .event = handle, .close = close_session};
static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_ADVERTISEMENT_ONLY, .id = {"org.example.beacon", 18}, .version = {"1.0.0", 5},
    .vendor = {"tests", 5}, .bluetooth = &table};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)host, (void)why_not;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
