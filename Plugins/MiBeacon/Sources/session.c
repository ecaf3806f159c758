#include "session.h"

#include <stdlib.h>
#include <string.h>

#include <meterhost/advertisement.h>

#include "state.h"

#define SECOND UINT64_C(1000000000)
/* A scale that has told nothing for so long has nobody on it. */
#define NOTHING_NEW_AFTER (90 * SECOND)
/* One frame may be damaged, or somebody else's; so many are another key. */
#define UNOPENED_MAX 4u

static void ask_for_key(mh_session *session) {
  static const char place[] = MIBEACON_KEY;
  static const char prompt[] =
      "Enter the scale's bind key, 32 hex digits: the \"BLE key\" that Xiaomi's cloud keeps for it, as a token "
      "extractor shows it.";
  session->key = MIBEACON_KEY_ASKED;
  mibeacon_ask(session, (mh_action){.kind = MH_DO_ASK_USER,
                                    .token = MIBEACON_TOKEN_KEY,
                                    .code = MH_ASK_HEX_KEY,
                                    .flags = MH_ASK_SECRET,
                                    .arg = 32,
                                    .arg2 = 32,
                                    .value = {(const uint8_t *)place, sizeof place - 1},
                                    .text = {prompt, sizeof prompt - 1}});
}

static void opened(mh_session *session, const mibeacon_frame *frame, mh_bytes objects, const mh_event *event) {
  mibeacon_measure measure;
  int32_t status = mibeacon_measure_read(frame->kind, objects, frame->counter, &measure);
  session->has_opened = 1;
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status != MH_OK) return;
  mibeacon_timer(session, MIBEACON_TOKEN_SILENCE, NOTHING_NEW_AFTER);
  mibeacon_received(session, &measure, event);
}

static void open_frame(mh_session *session, const mibeacon_frame *frame, const mh_event *event) {
  uint8_t out[MIBEACON_DATA_MAX];
  uint32_t n = 0;
  int32_t status = mibeacon_frame_open(session->crypto, session->peer, frame, session->address, out, &n);
  if (status == MH_OK) {
    mh_bytes objects = {out, n};
    opened(session, frame, objects, event);
  } else if (status == MH_E_NOT_FOUND) {
    mibeacon_fail(session, MH_FAIL_KEY_MISSING,
                  "The scale's bind key is not stored here any more. Enter it with `meterhost key set`.");
  } else {
    session->n_unopened++;
    if (session->n_unopened >= UNOPENED_MAX && !session->has_opened && !session->has_result) mibeacon_finish(session);
  }
}

/* What the key has not sealed is nobody's weight: anybody near can send it. */
static void framed(mh_session *session, mh_bytes data, const mh_event *event) {
  mibeacon_frame frame;
  int32_t status = mibeacon_frame_read(data, &frame);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status == MH_OK && frame.is_sealed && frame.has_object) open_frame(session, &frame, event);
}

static void keep(mh_session *session, mh_bytes data) {
  if (session->n_kept == MIBEACON_KEPT || data.n > MIBEACON_DATA_MAX) return;
  mibeacon_kept *kept = &session->kept[session->n_kept++];
  memcpy(kept->bytes, data.p, data.n);
  kept->n = (uint32_t)data.n;
}

/* The first advertisement of a session: what was known, and whether there is a key. */
static void begin(mh_session *session) {
  session->is_listening = 1;
  session->last = mibeacon_last_load(session->host, session->peer);
  int32_t status = mibeacon_has_key(session->crypto, session->peer);
  if (status == MH_E_NOT_FOUND) {
    ask_for_key(session);
    return;
  }
  session->key = MIBEACON_KEY_THERE;
  mibeacon_ask(session, (mh_action){.kind = MH_DO_READY});
  mibeacon_timer(session, MIBEACON_TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

static void advertised(mh_session *session, const mh_event *event) {
  mh_bytes data = {NULL, 0};
  if (!mh_ad_find(event->value, MH_AD_SERVICE_DATA, MIBEACON_SERVICE, &data)) return;
  mibeacon_frame frame;
  int32_t status = mibeacon_frame_read(data, &frame);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status != MH_OK) return;
  if (!session->is_listening) begin(session);
  if (session->key == MIBEACON_KEY_THERE)
    framed(session, data, event);
  else
    keep(session, data);
}

static void answered(mh_session *session, const mh_event *event) {
  if (session->key != MIBEACON_KEY_ASKED || event->token != MIBEACON_TOKEN_KEY) return;
  if (event->status == MH_E_DENIED) {
    mibeacon_fail(session, MH_FAIL_REFUSED, "Without its bind key the scale cannot be read.");
    return;
  }
  if (event->status != MH_OK) {
    mibeacon_fail(session, MH_FAIL_KEY_MISSING,
                  "The scale's bind key is not stored, and nobody is here to enter it. Fetch it from Xiaomi's cloud with "
                  "a token extractor, and enter it with `meterhost key set`.");
    return;
  }
  session->key = MIBEACON_KEY_THERE;
  mibeacon_ask(session, (mh_action){.kind = MH_DO_READY});
  mibeacon_timer(session, MIBEACON_TOKEN_SILENCE, NOTHING_NEW_AFTER);
  for (uint32_t i = 0; i < session->n_kept && !session->has_ended && session->status == MH_OK; i++) {
    mh_bytes data = {session->kept[i].bytes, session->kept[i].n};
    framed(session, data, event);
  }
  session->n_kept = 0;
}

/* The end comes while a weighing waits for its rest: it goes without. */
static void end(mh_session *session, const mh_event *event) {
  mibeacon_deliver_pending(session, event);
  if (!session->has_ended && session->status == MH_OK) mibeacon_finish(session);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == MIBEACON_TOKEN_SILENCE) {
    end(session, event);
  } else if (event->token == MIBEACON_TOKEN_REST) {
    mibeacon_deliver_pending(session, event);
    mibeacon_conclude(session);
  }
}

int32_t mibeacon_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  const mh_crypto *crypto = host->extension == NULL ? NULL : host->extension(host->ctx, MH_EXT_CRYPTO);
  if (crypto == NULL || !MH_HAS(crypto, mac)) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->crypto = crypto;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  memcpy(session->address, opening->address, MIBEACON_ADDRESS);
  *out = session;
  return MH_OK;
}

int32_t mibeacon_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->n_outgoing != 0 || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? mibeacon_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->has_ended) return MH_OK;
  switch (event->kind) {
    case MH_EV_ADVERTISEMENT: advertised(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_USER_INPUT: answered(session, event); break;
    case MH_EV_CANCEL:
    case MH_EV_DISCONNECTED: end(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_SERVICES:
    case MH_EV_SERVICE_CHANGED:
    case MH_EV_MTU:
    case MH_EV_SUBSCRIBED:
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION:
    case MH_EV_READ:
    case MH_EV_WROTE: break;
    default: return MH_E_UNSUPPORTED;
  }
  return mibeacon_drain(session, sink);
}

void mibeacon_close(mh_session *session) { free(session); }
