/* A driver for the invented thermometer of docs/examples/asking-meter, which speaks only when it is asked. As it stands
 * it keeps every rule; each macro makes it break one; Tests/MeterConformanceTests says which check must find it. */
#include <meterhost/driver.h>

#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}
/* By these numbers the registry names the two characteristics. */
#define QUESTIONS 0x8000u
#define ANSWERS 0x8001u
#define SECOND 1000000000ull
#define TIMER 7u
#ifdef HAS
#undef HAS
#endif

MH_DRIVER_NOTE

#ifdef R16_HOARDS
static void *volatile kept;
#endif

enum { HOW_MANY = 1, ONE_RECORD = 2, MEASURE = 3, GOODBYE = 4, NO_SUCH = 0xff };

struct mh_session {
  uint16_t questions;
  uint16_t answers;
  uint8_t count;
  uint8_t index;
  uint8_t question[4];
  uint32_t n_question;
  uint32_t tries;
  uint32_t has_ended;
};

/* a5c0000n-6d68-4b65-8964-4d6574657200 */
static uint8_t number_of(const mh_uuid *uuid) {
  static const uint8_t base[16] = {0xa5, 0xc0, 0x00, 0x00, 0x6d, 0x68, 0x4b, 0x65,
                                   0x89, 0x64, 0x4d, 0x65, 0x74, 0x65, 0x72, 0x00};
  for (uint32_t i = 0; i < 16; i++)
    if (i != 3 && uuid->b[i] != base[i]) return 0;
  return uuid->b[3];
}

static uint8_t sum(const uint8_t *bytes, uint64_t n) {
  uint8_t total = 0;
  for (uint64_t i = 0; i < n; i++) total = (uint8_t)(total + bytes[i]);
  return total;
}

/* 5a, what is answered, the answer, the sum. */
static int is_answer(mh_bytes bytes) {
  return bytes.n >= 3 && bytes.p[0] == 0x5a && sum(bytes.p, bytes.n - 1) == bytes.p[bytes.n - 1];
}

/* Tenths of a degree, as a stored record or as what is measured now. */
static int32_t temperature(mh_bytes bytes, mh_sink *sink) {
  if (!is_answer(bytes)) return MH_E_PROTOCOL;
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  uint8_t identity[8] = {0};
  uint16_t n_identity = 0;
  uint16_t tenths = 0;
  if (bytes.p[1] == ONE_RECORD) {
    if (bytes.n != 12) return MH_E_PROTOCOL;
    const uint8_t *at = bytes.p + 3;
    uint32_t minutes = at[2] | (uint32_t)at[3] << 8 | (uint32_t)at[4] << 16 | (uint32_t)at[5] << 24;
    tenths = (uint16_t)(at[6] | at[7] << 8);
    record.device_seq = (uint64_t)(at[0] | at[1] << 8);
    record.time_kind = MH_TIME_CIVIL;
    /* 18262 days are between 1970 and 2020. */
    record.t_us = record.end_us = (18262ll * 86400 + (int64_t)minutes * 60) * 1000000;
    record.ident_class = MH_IDENT_STORED;
    memcpy(identity, at, sizeof identity);
    n_identity = sizeof identity;
  } else if (bytes.p[1] == MEASURE) {
    if (bytes.n != 6) return MH_E_PROTOCOL;
    tenths = (uint16_t)(bytes.p[3] | bytes.p[4] << 8);
#ifndef R12_SETTLED
    if (bytes.p[2] == 0) record.flags = MH_REC_PROVISIONAL;
#endif
#ifdef R12_LIVE_STORED
    record.ident_class = MH_IDENT_STORED;
    memcpy(identity, bytes.p + 3, 2);
    n_identity = 2;
#endif
  } else {
    return MH_E_NO_VALUE;
  }
  if (tenths < 200 || tenths > 450) return MH_E_NO_VALUE;
  mh_value value = {.metric = MH_METRIC_BODY_TEMPERATURE, .unit = MH_UNIT_CELSIUS, .exp10 = -1, .raw = tenths};
  value.value = (double)value.raw / 10.0;
  return mh_sink_record(sink, &record, &value, 1, identity, n_identity);
}

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  (void)opening;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int known = slice->characteristic == ANSWERS && slice->flags == 0;
    int32_t status = known ? temperature(bytes, sink) : MH_E_UNSUPPORTED;
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
#ifdef R16_HOARDS
    /* To the last page that the host could lend. */
    kept = calloc(1, 1 << 19);
    while (kept == NULL && (kept = calloc(1, 1 << 12)) != NULL) kept = NULL;
#endif
  }
  return MH_OK;
}

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  (void)host;
  if (opening->purpose < MH_PURPOSE_READ || opening->purpose > MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  *out = session;
  return MH_OK;
}

static int32_t act(mh_session *session, mh_sink *sink, mh_action action) {
  if (action.kind == MH_DO_FINISH || action.kind == MH_DO_FAIL) session->has_ended = 1;
  return mh_sink_act(sink, action);
}

static int32_t fail(mh_session *session, mh_sink *sink, int32_t code, const char *why) {
  return act(session, sink, (mh_action){.kind = MH_DO_FAIL, .code = code, .text = {why, strlen(why)}});
}

/* Writes the question, and waits for its answer for two seconds. */
static int32_t write_question(mh_session *session, mh_sink *sink) {
#ifndef R11_NO_TIMER
  int32_t status = act(session, sink, (mh_action){.kind = MH_DO_TIMER, .token = TIMER, .arg = 2 * SECOND});
  if (status != MH_OK) return status;
#endif
  return act(session, sink,
             (mh_action){.kind = MH_DO_WRITE,
                         .token = 2,
                         .handle = session->questions,
                         .value = {session->question, session->n_question}});
}

static int32_t ask(mh_session *session, mh_sink *sink, uint8_t what, int has_index) {
  uint32_t n = 0;
  session->question[n++] = 0xa5;
  session->question[n++] = what;
  if (has_index) session->question[n++] = session->index;
  session->question[n] = sum(session->question, n);
  session->n_question = n + 1;
  session->tries = 0;
  return write_question(session, sink);
}

static int32_t ask_next(mh_session *session, mh_sink *sink) {
  if (session->index < session->count) return ask(session, sink, ONE_RECORD, 1);
  return ask(session, sink, MEASURE, 0);
}

static int32_t on_services(mh_session *session, const mh_event *event, mh_sink *sink) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    uint8_t number = number_of(&event->characteristics[i].uuid);
    if (number == 2) session->questions = event->characteristics[i].handle;
    if (number == 3) session->answers = event->characteristics[i].handle;
  }
  if (session->questions == 0 || session->answers == 0)
    return fail(session, sink, MH_FAIL_UNSUPPORTED_METER, "This is no asking thermometer.");
  return act(session, sink, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = 1, .handle = session->answers});
}

static int32_t on_answer(mh_session *session, mh_bytes bytes, mh_sink *sink) {
  if (!is_answer(bytes)) return MH_E_PROTOCOL;
  /* What was not asked for is another conversation's. */
  if (session->n_question == 0) return MH_OK;
  int32_t status = MH_OK;
  switch (bytes.p[1]) {
    case HOW_MANY:
      if (bytes.n != 4 || session->question[1] != HOW_MANY) return MH_E_PROTOCOL;
      session->count = bytes.p[2];
      session->index = 0;
      return ask_next(session, sink);
    case ONE_RECORD:
      if (session->question[1] != ONE_RECORD || bytes.n < 4 || bytes.p[2] != session->index) return MH_E_PROTOCOL;
      status = temperature(bytes, sink);
      if (status != MH_OK && status != MH_E_NO_VALUE) return status;
      session->index++;
      return ask_next(session, sink);
    case MEASURE:
      if (session->question[1] != MEASURE) return MH_E_PROTOCOL;
      status = temperature(bytes, sink);
      if (status != MH_OK && status != MH_E_NO_VALUE) return status;
      if (bytes.p[2] == 0) return MH_OK;
#ifdef R11_NO_GOODBYE
      return act(session, sink, (mh_action){.kind = MH_DO_FINISH});
#else
      return ask(session, sink, GOODBYE, 0);
#endif
    case GOODBYE:
      if (session->question[1] != GOODBYE) return MH_E_PROTOCOL;
      return act(session, sink, (mh_action){.kind = MH_DO_FINISH});
    case NO_SUCH: return fail(session, sink, MH_FAIL_METER_ERROR, "The thermometer has lost a reading. Read it again.");
    default: return MH_E_PROTOCOL;
  }
}

static int32_t on_timer(mh_session *session, mh_sink *sink) {
#ifndef R11_ASKS_FOR_EVER
  if (++session->tries > 2)
    return fail(session, sink, MH_FAIL_TIMEOUT, "The thermometer does not answer. Switch it off and on.");
#endif
  return write_question(session, sink);
}

static int32_t on_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->kind == MH_EV_CONTINUE || session->has_ended) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: return on_services(session, event, sink);
    case MH_EV_SUBSCRIBED:
      return event->status == 0 ? ask(session, sink, HOW_MANY, 0)
                                : fail(session, sink, MH_FAIL_NOT_PAIRED, "The thermometer wants to be paired first.");
    case MH_EV_WROTE:
      return event->status == 0 ? MH_OK
                                : fail(session, sink, MH_FAIL_METER_ERROR, "The thermometer refuses what it is asked.");
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: return on_answer(session, event->value, sink);
    case MH_EV_TIMER: return on_timer(session, sink);
    case MH_EV_CANCEL:
    case MH_EV_DISCONNECTED: return act(session, sink, (mh_action){.kind = MH_DO_FINISH});
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_SERVICE_CHANGED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: return MH_OK;
    default: return MH_E_UNSUPPORTED;
  }
}

static void close_session(mh_session *session) { free(session); }

static const mh_bluetooth bluetooth = {
    .struct_size = sizeof(mh_bluetooth), .open = open_session, .event = on_event, .close = close_session, .decode = decode};

static const mh_driver driver = {.struct_size = sizeof(mh_driver),
                                 .abi_major = MH_ABI_MAJOR,
                                 .abi_minor = MH_ABI_MINOR,
                                 .layout_hash = MH_LAYOUT_HASH,
                                 .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE,
                                 .id = TEXT("org.example.asking"),
                                 .version = TEXT("1.0.0"),
                                 .vendor = TEXT("Example"),
                                 .bluetooth = &bluetooth};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (!mh_host_fits(host)) {
    *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
