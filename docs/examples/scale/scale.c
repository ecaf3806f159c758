/* A driver for scales of the Bluetooth SIG Weight Scale Profile, as small as the contract allows: one subscription, one
 * indicated value. docs/ship-a-meter.md walks through it. */
#include <meterhost/driver.h>
#include <stdlib.h>

#define WEIGHT_SCALE 0x181du
#define WEIGHT_MEASUREMENT 0x2a9du
#define TEXT(literal) {literal, sizeof(literal) - 1}

/* The note that names the contract's version; without it the host refuses the bundle (rule R20). */
MH_DRIVER_NOTE

struct mh_session {
  uint16_t handle;
};

/* Weight Measurement: flags, weight in 5 g steps, and if flag bit 1 is set seven bytes of Date Time, here not used. */
static int32_t decode_one(uint16_t characteristic, mh_bytes bytes, mh_sink *sink) {
  if (characteristic != WEIGHT_MEASUREMENT) return MH_E_UNSUPPORTED;
  if (bytes.n < 3) return MH_E_PROTOCOL;
  uint16_t steps = (uint16_t)(bytes.p[1] | bytes.p[2] << 8);
  /* Bit 0 says pounds, whose steps are others; FFFF says that the measurement failed. */
  if ((bytes.p[0] & 1) != 0 || steps == 0xffff) return MH_E_NO_VALUE;
  mh_value value = {.metric = MH_METRIC_BODY_WEIGHT,
                    .unit = MH_UNIT_KILOGRAM,
                    .exp10 = -3,
                    .value = steps * 5 / 1000.0,
                    .raw = steps * 5};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return mh_sink_record(sink, &record, &value, 1, NULL, 0);
}

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  (void)opening;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    /* A flag says that the bytes are something else than this characteristic's value. */
    int32_t status = slice->flags != 0 ? MH_E_UNSUPPORTED : decode_one(slice->characteristic, bytes, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  (void)host;
  if (opening->purpose != MH_PURPOSE_READ) return MH_E_UNSUPPORTED;
  *out = calloc(1, sizeof(mh_session));
  return *out == NULL ? MH_E_MEMORY : MH_OK;
}

static int32_t fail(mh_sink *sink, int32_t code, const char *why) {
  mh_str text = {why, __builtin_strlen(why)};
  return mh_sink_act(sink, (mh_action){.kind = MH_DO_FAIL, .code = code, .text = text});
}

static int32_t on_services(mh_session *session, const mh_event *event, mh_sink *sink) {
  for (uint32_t i = 0; i < event->n_characteristics; i++)
    if (mh_uuid_short(&event->characteristics[i].uuid) == WEIGHT_MEASUREMENT)
      session->handle = event->characteristics[i].handle;
  if (session->handle == 0) return fail(sink, MH_FAIL_UNSUPPORTED_METER, "This is no weight scale.");
  return mh_sink_act(sink, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = 1, .handle = session->handle});
}

static int32_t on_indication(const mh_event *event, mh_sink *sink) {
  int32_t status = decode_one(WEIGHT_MEASUREMENT, event->value, sink);
  if (status == MH_E_NO_VALUE) return fail(sink, MH_FAIL_NO_READING, "The scale could not measure. Step on it again.");
  if (status != MH_OK) return status;
  return mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH});
}

static int32_t event(mh_session *session, const mh_event *event, mh_sink *sink) {
  switch (event->kind) {
    case MH_EV_SERVICES: return on_services(session, event, sink);
    case MH_EV_SUBSCRIBED:
      if (event->status != 0) return fail(sink, MH_FAIL_COMMUNICATION, "The scale refuses to send its readings.");
      return mh_sink_act(sink, (mh_action){.kind = MH_DO_READY});
    case MH_EV_INDICATION: return on_indication(event, sink);
    case MH_EV_CANCEL: return mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH});
    case MH_EV_DISCONNECTED: return fail(sink, MH_FAIL_COMMUNICATION, "The scale went away. Read it again.");
    /* Every event of this contract is known; one of a later minor is not. */
    default: return event->kind <= MH_EV_CONTINUE ? MH_OK : MH_E_UNSUPPORTED;
  }
}

static void close_session(mh_session *session) { free(session); }

static const mh_bluetooth bluetooth = {.struct_size = sizeof(mh_bluetooth),
                                       .open = open_session,
                                       .event = event,
                                       .close = close_session,
                                       .decode = decode};

static const mh_driver driver = {.struct_size = sizeof(mh_driver),
                                 .abi_major = MH_ABI_MAJOR,
                                 .abi_minor = MH_ABI_MINOR,
                                 .layout_hash = MH_LAYOUT_HASH,
                                 .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE,
                                 .id = TEXT("org.example.scale"),
                                 .version = TEXT("1.0.0"),
                                 .vendor = TEXT("Example"),
                                 .bluetooth = &bluetooth};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (!mh_host_fits(host)) {
    *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index != 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
