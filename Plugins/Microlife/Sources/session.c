#include "session.h"

#include <stdlib.h>

#include "civil.h"
#include "reading.h"
#include "talk.h"
#include "untimed.h"

/* Between two pieces of an answer passes less than a second; the first takes a moment. */
#define NO_ANSWER_AFTER (6 * MICROLIFE_SECOND)
/* How often a question is asked. */
#define TRIES 3

static uint16_t find(const mh_event *event, uint16_t id, uint16_t properties, uint16_t *found_properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) != id || found->service_index >= event->n_services ||
        mh_uuid_short(&event->services[found->service_index].uuid) != 0xfff0u || (found->properties & properties) == 0)
      continue;
    if (found_properties != NULL) *found_properties = found->properties;
    return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  if (session->purpose == MH_PURPOSE_PAIR) {
    session->phase = PHASE_PAIRING;
    if (session->is_encrypted)
      microlife_end(session, (mh_action){.kind = MH_DO_FINISH});
    else
      microlife_act(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
    return;
  }
  uint16_t properties = 0;
  session->answer_handle = find(event, 0xfff1, MH_PROP_NOTIFY | MH_PROP_INDICATE, NULL);
  session->command_handle = find(event, 0xfff2, MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE, &properties);
  session->writes_with_response = (properties & MH_PROP_WRITE) != 0;
  if (session->answer_handle == 0 || session->command_handle == 0) {
    microlife_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
                   "The monitor does not have what monitors of Microlife are asked by. Check that the right one is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  microlife_act(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->answer_handle});
  microlife_silence_after(session, NO_ANSWER_AFTER);
}

/* Writes the command that stands in the session. What came of an earlier answer is dropped. */
static void send(mh_session *session) {
  session->n_frame = 0;
  microlife_act(session, (mh_action){.kind = session->writes_with_response ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                                     .token = TOKEN_WRITE,
                                     .handle = session->command_handle,
                                     .value = {session->command, session->n_command}});
  microlife_silence_after(session, NO_ANSWER_AFTER);
}

static void ask(mh_session *session, uint8_t phase, uint8_t n_command) {
  session->phase = phase;
  session->n_command = n_command;
  session->tries = 1;
  send(session);
}

static int64_t civil_now(const mh_session *session, const mh_event *event) {
  return event->unix_us + (int64_t)session->utc_offset_s * 1000000;
}

/* Asks the same again, with the time as it is by now, or gives up. */
static void repeat(mh_session *session, const mh_event *event) {
  if (session->tries < TRIES) {
    session->tries++;
    if (session->phase == PHASE_SETTING || session->tells_time)
      microlife_tell_time(session->command[4], civil_now(session, event), session->command);
    send(session);
    return;
  }
  microlife_fail(session, MH_FAIL_TIMEOUT, session->phase,
                 "The monitor does not answer. Switch its Bluetooth on again and keep it close by.");
}

static void ask_history(mh_session *session) {
  uint8_t user = session->user_slot == 0 ? MICROLIFE_CURRENT_USER : session->user_slot;
  ask(session, PHASE_HISTORY, microlife_ask_history(user, session->command));
}

/* Places of firmware and battery in the two kinds of answer; what a person wrote into the monitor is passed over. */
static void read_version(mh_session *session) {
  uint64_t firmware = session->frame[1] == MICROLIFE_GENERATION_4 ? 48 : 18;
  uint64_t battery = firmware + 9;
  if (session->n_frame < battery + 2 || session->frame[battery] == 0) return;
  for (uint64_t i = 0; i < sizeof session->firmware; i++) {
    uint8_t c = session->frame[firmware + i];
    session->firmware[i] = c > 0x20 && c < 0x7f ? (char)c : '?';
  }
  session->battery = session->frame[battery];
  session->has_version = 1;
}

static void got_version(mh_session *session, const mh_event *event) {
  read_version(session);
  switch (session->frame[1]) {
    case MICROLIFE_GENERATION_4:
      if (session->sets_clock)
        ask(session, PHASE_CLOCK, microlife_ask(MICROLIFE_CLOCK, session->command));
      else
        ask_history(session);
      return;
    case MICROLIFE_GENERATION_3: {
      /* It takes the time with the question for its memory, and nobody knows what it makes of a question without. */
      uint8_t n = session->sets_clock ? microlife_tell_time(MICROLIFE_HISTORY, civil_now(session, event), session->command) : 0;
      session->tells_time = n != 0;
      if (n != 0)
        ask(session, PHASE_HISTORY, n);
      else
        microlife_fail(session, MH_FAIL_REFUSED, 0,
                       "This monitor gives its memory only together with a new time. Read it with its clock being set.");
      return;
    }
    default:
      microlife_fail(session, MH_FAIL_UNSUPPORTED_METER, session->frame[1],
                     "The monitor keeps its memory in another form (WatchBP), which is not public enough to be read.");
  }
}

static void got_clock(mh_session *session, const mh_event *event) {
  const uint8_t *p = session->frame + MICROLIFE_HEAD;
  int64_t now = civil_now(session, event), meter = 0;
  microlife_civil civil = {0};
  if (session->n_frame >= 13) civil = (microlife_civil){2000 + p[1], p[2], p[3], p[4], p[5], p[6]};
  if (session->n_frame >= 13 && p[0] == 1 && microlife_from_civil(civil, &meter)) {
    session->offset_s = (meter - now) / 1000000;
    session->has_offset = 1;
  }
  uint8_t n = microlife_tell_time(MICROLIFE_SET_CLOCK, now, session->command);
  if (n == 0)
    ask_history(session);
  else
    ask(session, PHASE_SETTING, n);
}

static void got_history(mh_session *session) {
  microlife_memory memory;
  if (microlife_memory_of((mh_bytes){session->frame, session->n_frame}, &memory) != MH_OK) {
    microlife_fail(session, MH_FAIL_METER_ERROR, session->frame[4],
                   "The monitor sent a memory that cannot be read. Nothing was taken from it; read it again.");
    return;
  }
  if (memory.count == 0 && memory.has_current) {
    microlife_fail(session, MH_FAIL_NO_READING, 0,
                   "The monitor is still measuring and has not stored the result. Wait until it shows the result, then read it again.");
    return;
  }
  session->has_memory = 1;
  session->next_reading = session->n_untimed = 0;
  session->known_untimed = microlife_untimed_known(session->host, session->peer, &memory, session->no_clock);
  microlife_end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* A whole frame with a right sum. An answer to what was not asked is passed over. */
static void got_frame(mh_session *session, const mh_event *event) {
  uint8_t command = session->frame[4];
  if (session->phase == PHASE_VERSION && command == MICROLIFE_VERSION) {
    got_version(session, event);
  } else if (session->phase == PHASE_CLOCK && command == MICROLIFE_CLOCK) {
    got_clock(session, event);
  } else if (session->phase == PHASE_SETTING && command >= MICROLIFE_DONE) {
    if (command != MICROLIFE_DONE) microlife_log(session, MH_LOG_WARNING, "the monitor refuses to have its clock set");
    ask_history(session);
  } else if (session->phase == PHASE_HISTORY && command == MICROLIFE_HISTORY) {
    got_history(session);
  } else if (command > MICROLIFE_DONE) {
    microlife_fail(session, MH_FAIL_METER_ERROR, command, "The monitor refused the question. Switch its Bluetooth on again and read it.");
  }
  if (!session->has_memory) session->n_frame = 0;
}

static void received(mh_session *session, const mh_event *event) {
  if (session->phase < PHASE_VERSION || session->phase > PHASE_HISTORY || event->handle != session->answer_handle) return;
  uint64_t room = MICROLIFE_FRAME_MAX - session->n_frame;
  if (event->value.n > room) {
    session->n_frame = 0;
    session->status = MH_E_PROTOCOL;
    return;
  }
  for (uint64_t i = 0; i < event->value.n; i++) session->frame[session->n_frame++] = event->value.p[i];
  mh_bytes frame = {session->frame, session->n_frame};
  uint64_t length = microlife_frame_length(frame);
  if (length == 0 || (length <= MICROLIFE_FRAME_MAX && session->n_frame < length)) {
    microlife_silence_after(session, NO_ANSWER_AFTER);
    return;
  }
  if (!microlife_is_frame(frame)) {
    /* A piece was lost or doubled. What is still on the way would spoil the next answer: wait until it is silent. */
    microlife_log(session, MH_LOG_WARNING, "an answer was refused: its length or its sum is wrong");
    session->n_frame = 0;
    session->status = MH_E_PROTOCOL;
    microlife_silence_after(session, 2 * MICROLIFE_SECOND);
    return;
  }
  got_frame(session, event);
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING || event->token != TOKEN_SUBSCRIBE) return;
  if (event->status != 0) {
    int is_stranger = event->status == 0x05 || event->status == 0x0f;
    microlife_fail(session, is_stranger ? MH_FAIL_NOT_PAIRED : MH_FAIL_COMMUNICATION, event->status,
                   "The monitor refused to answer. Pair it, and read it again.");
    return;
  }
  ask(session, PHASE_VERSION, microlife_ask(MICROLIFE_VERSION, session->command));
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->token != TOKEN_WRITE || event->status == 0 || session->phase < PHASE_VERSION) return;
  int is_stranger = event->status == 0x05 || event->status == 0x0f;
  microlife_fail(session, is_stranger ? MH_FAIL_NOT_PAIRED : MH_FAIL_COMMUNICATION, event->status,
                 "The monitor does not take questions. Pair it, and read it again.");
}

static void fell_silent(mh_session *session, const mh_event *event) {
  if (session->phase >= PHASE_VERSION && session->phase <= PHASE_HISTORY)
    repeat(session, event);
  else
    microlife_fail(session, MH_FAIL_TIMEOUT, 0, "The monitor does not answer. Switch its Bluetooth on again and keep it close by.");
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED)
    microlife_end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  session->n_frame = 0;
  microlife_act(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
}

int32_t microlife_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  session->utc_offset_s = opening->utc_offset_s == MH_OFFSET_UNKNOWN ? 0 : opening->utc_offset_s;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type != MH_PARAM_TYPE_INTEGER) continue;
    if (param->name == MH_PARAM_NO_CLOCK) session->no_clock = param->i != 0;
    if (param->name == MH_PARAM_USER_SLOT && (param->i == 1 || param->i == 2)) session->user_slot = (uint8_t)param->i;
    if (param->name == MH_PARAM_SET_CLOCK)
      session->sets_clock = param->i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  }
  *out = session;
  return MH_OK;
}

int32_t microlife_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  if (event->kind == MH_EV_CONTINUE) return microlife_is_pending(session) ? microlife_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (microlife_is_pending(session)) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_TIMER:
      if (event->token == TOKEN_SILENCE) fell_silent(session, event);
      break;
    case MH_EV_CANCEL: microlife_end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED:
      microlife_fail(session, MH_FAIL_COMMUNICATION, 0, "The monitor went away before it had told its memory. Read it again.");
      break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return microlife_drain(session, sink);
}

void microlife_close(mh_session *session) { free(session); }
