#include "session.h"

#include <stdlib.h>

#include "output.h"
#include "splitter.h"
#include "steady.h"

#define SECOND UINT64_C(1000000000)
/* A measurement takes half a minute at most, but the person starts within this time. */
#define NO_READING_AFTER (120 * SECOND)
#define ANSWER_WITHIN (2 * SECOND)
#define KEEP_ALIVE_EVERY (5 * SECOND)
/* Some meters send a hundred values a second; one is enough to follow. */
#define PROGRESS_EVERY SECOND
/* Bytes that look like another protocol may be noise; so many are none. */
#define STRANGE_MAX 3u

enum phase { PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_ASKING, PHASE_MEASURING, PHASE_ENDED };
enum token { TOKEN_NOTIFY = 1, TOKEN_PATIENCE, TOKEN_ANSWER, TOKEN_KEEP_ALIVE, TOKEN_WRITE };

struct mh_session {
  const mh_host *host;
  const fo_model *model;
  fo_output output;
  fo_splitter splitter;
  fo_steady steady;
  uint64_t told_at;
  uint32_t purpose;
  uint16_t notify_handle;
  uint16_t write_handle;
  uint16_t write_properties;
  uint8_t phase;
  uint8_t is_encrypted;
  uint8_t asks_nothing;
  uint8_t is_plain_sum;
  /* The meter has said that it speaks the protocol that is read. */
  uint8_t is_sure;
  uint8_t has_told;
  uint8_t has_warned;
  uint8_t n_strange;
};

static void warn(mh_session *session, const char *line) {
  mh_str text = {line, __builtin_strlen(line)};
  if (session->has_warned || session->host->log == NULL) return;
  session->has_warned = 1;
  session->host->log(session->host->ctx, MH_LOG_WARNING, text);
}

static void cancel_timers(mh_session *session) {
  if (session->phase == PHASE_ASKING) fo_ask(&session->output, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_ANSWER});
  if (session->phase != PHASE_MEASURING) return;
  fo_ask(&session->output, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_PATIENCE});
  if (session->model->keep_alive.n != 0)
    fo_ask(&session->output, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_KEEP_ALIVE});
}

static void finish(mh_session *session) {
  cancel_timers(session);
  session->phase = PHASE_ENDED;
  fo_finish(&session->output);
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  session->phase = PHASE_ENDED;
  fo_fail(&session->output, code, subcode, why);
}

/* MARK: Setting up */

static int is_same(const mh_uuid *a, const mh_uuid *b) { return __builtin_memcmp(a->b, b->b, sizeof a->b) == 0; }

static const mh_characteristic *find(const mh_event *event, const mh_uuid *service, const mh_uuid *id, uint16_t properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (is_same(&found->uuid, id) && found->service_index < event->n_services &&
        is_same(&event->services[found->service_index].uuid, service) && (found->properties & properties) != 0)
      return found;
  }
  return NULL;
}

static int choose(mh_session *session, const mh_event *event) {
  const fo_model *model;
  for (uint32_t i = 0; (model = fo_model_at(i)) != NULL; i++) {
    const mh_characteristic *notify = find(event, &model->service, &model->notify, MH_PROP_NOTIFY | MH_PROP_INDICATE);
    if (notify == NULL || model->is_plain_sum != session->is_plain_sum) continue;
    if (model->start.n != 0) {
      const mh_characteristic *write =
          find(event, &model->service, &model->write, MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE);
      if (write == NULL) continue;
      session->write_handle = write->handle;
      session->write_properties = write->properties;
    }
    session->model = model;
    session->notify_handle = notify->handle;
    return 1;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  if (session->purpose == MH_PURPOSE_PAIR) {
    session->phase = PHASE_PAIRING;
    if (session->is_encrypted)
      finish(session);
    else
      fo_ask(&session->output, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
    return;
  }
  if (!choose(session, event)) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "The meter offers none of the streams that are known of fingertip oximeters. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  fo_ask(&session->output,
         (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_NOTIFY, .handle = session->notify_handle});
}

static void write_command(mh_session *session, const fo_command *command) {
  if (command->n == 0) return;
  int is_answered = (session->write_properties & MH_PROP_WRITE_NO_RESPONSE) == 0;
  fo_ask(&session->output, (mh_action){.kind = is_answered ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                                       .token = is_answered ? TOKEN_WRITE : 0,
                                       .handle = session->write_handle,
                                       .value = {command->bytes, command->n}});
}

static void measure(mh_session *session) {
  session->phase = PHASE_MEASURING;
  write_command(session, &session->model->start);
  fo_ask(&session->output, (mh_action){.kind = MH_DO_READY});
  /* Never restarted: a meter that lies on a table streams for ever. */
  fo_timer(&session->output, TOKEN_PATIENCE, NO_READING_AFTER);
  if (session->model->keep_alive.n != 0) fo_timer(&session->output, TOKEN_KEEP_ALIVE, KEEP_ALIVE_EVERY);
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING || event->token != TOKEN_NOTIFY) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status,
         "The oximeter refused to send its values. Another device may hold it; end that connection and read again.");
    return;
  }
  if (session->model->ask.n == 0 || session->asks_nothing) {
    measure(session);
    return;
  }
  session->phase = PHASE_ASKING;
  write_command(session, &session->model->ask);
  fo_timer(&session->output, TOKEN_ANSWER, ANSWER_WITHIN);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->token != TOKEN_WRITE || event->status == 0) return;
  cancel_timers(session);
  fail(session, MH_FAIL_COMMUNICATION, event->status, "The oximeter refused to start. Switch it off and on and read again.");
}

/* MARK: Measuring */

static void take(mh_session *session, enum fo_meaning meaning, const fo_value *value, uint64_t now) {
  if (meaning != FO_NOTHING && !fo_model_shows(session->model, value, session->is_sure)) {
    meaning = FO_NOTHING;
    warn(session, "no reading: a value is missing, or is none that this oximeter shows");
  }
  if (meaning == FO_NOTHING) {
    fo_steady_break(&session->steady);
    return;
  }
  int is_result = fo_steady_take(&session->steady, value, now) || meaning == FO_RESULT;
  if (is_result) {
    session->output.value = *value;
    session->output.owed = FO_OWES_RESULT;
    finish(session);
  } else if (!session->has_told || now < session->told_at || now - session->told_at >= PROGRESS_EVERY) {
    session->has_told = 1;
    session->told_at = now;
    session->output.value = *value;
    session->output.owed = FO_OWES_PROGRESS;
  }
}

static void stop_strange(mh_session *session) {
  cancel_timers(session);
  fail(session, MH_FAIL_UNSUPPORTED_METER, 1,
       "The oximeter speaks a newer protocol of its maker, which is not read, so that no number of it is misread.");
}

static void handle_packet(mh_session *session, const uint8_t *p, uint32_t n, uint64_t now) {
  fo_value value = {0, 0, 0};
  enum fo_meaning meaning = session->model->read(p, n, &value);
  if (meaning == FO_FOREIGN || (meaning == FO_STRANGE && ++session->n_strange >= STRANGE_MAX)) {
    stop_strange(session);
  } else if (meaning == FO_PLAIN) {
    session->is_sure = 1;
    if (session->phase != PHASE_ASKING) return;
    cancel_timers(session);
    measure(session);
  } else if (session->phase == PHASE_MEASURING && meaning != FO_OTHER && meaning != FO_STRANGE) {
    take(session, meaning, &value, now);
  }
}

static void received(mh_session *session, const mh_event *event) {
  if (session->model == NULL || event->handle != session->notify_handle) return;
  mh_bytes rest = event->value;
  uint64_t n_skipped = 0;
  uint32_t n_packets = 0;
  int is_packet = session->model->is_packet;
  if (is_packet) session->splitter.n = 0;
  if (is_packet && rest.n > FO_PACKET_MAX) rest.n = 0, n_skipped = 1;
  for (uint32_t n; session->phase != PHASE_ENDED &&
                   (n = fo_splitter_next(&session->splitter, session->model, &rest, is_packet, &n_skipped)) != 0;
       fo_splitter_drop(&session->splitter, n), n_packets++)
    handle_packet(session, session->splitter.bytes, n, event->mono_ns);
  if (n_skipped == 0) return;
  /* The first bytes of a stream are the end of a packet. */
  if (is_packet || n_packets == 0) session->output.status = MH_E_PROTOCOL;
  warn(session, "bytes were passed over: part of a packet, or one with a wrong checksum");
}

static void timer(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_ANSWER && session->phase == PHASE_ASKING) {
    warn(session, "the oximeter does not say which protocol it speaks; low saturations are not believed");
    measure(session);
  } else if (event->token == TOKEN_KEEP_ALIVE && session->phase == PHASE_MEASURING) {
    write_command(session, &session->model->keep_alive);
    fo_timer(&session->output, TOKEN_KEEP_ALIVE, KEEP_ALIVE_EVERY);
  } else if (event->token == TOKEN_PATIENCE && session->phase == PHASE_MEASURING) {
    fail(session, MH_FAIL_NO_READING, 0,
         "The oximeter sent no steady reading. Put it on a warm finger, hold still and read again.");
  }
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED) finish(session);
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  cancel_timers(session);
  session->phase = PHASE_IDLE;
  session->model = NULL;
  session->splitter.n = 0;
  session->is_sure = session->n_strange = 0;
  fo_steady_break(&session->steady);
}

int32_t fo_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  session->asks_nothing = (uint8_t)fo_is_set(opening, FO_PARAM_NO_QUESTION);
  session->is_plain_sum = (uint8_t)fo_is_set(opening, FO_PARAM_PLAIN_SUM);
  *out = session;
  return MH_OK;
}

int32_t fo_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = fo_is_pending(&session->output);
  if (event->kind == MH_EV_CONTINUE) return is_pending ? fo_drain(&session->output, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->output.status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_TIMER: timer(session, event); break;
    case MH_EV_CANCEL: finish(session); break;
    case MH_EV_DISCONNECTED:
      fail(session, MH_FAIL_COMMUNICATION, 0,
           "The oximeter went away before its values were steady. Leave the finger in until it has been read.");
      break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return fo_drain(&session->output, sink);
}

void fo_close(mh_session *session) { free(session); }
