/* Sessions out of bytes. The host's part is honest: it answers what was asked, in order, lets run out what was started,
 * and names handles that exist. What the meter sends, and when the link drops, is the input's. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Operands: services: count, { uuid }; characteristics: count, { uuid, service, properties }. uuid: a length of 2 or 16,
 * then the bytes as people write them. value: place of the characteristic, text. */
enum opcode {
  OP_SERVICES,
  OP_ANSWER,       /* the oldest request, with success; text, for a read and a question */
  OP_REFUSE,       /* the oldest request, with this status */
  OP_NOTIFICATION, /* value */
  OP_INDICATION,   /* value */
  OP_TIMER,        /* the timer at this place */
  OP_CONNECTED,    /* MTU */
  OP_ENCRYPTED,    /* level */
  OP_SERVICE_CHANGED,
  OP_MTU,           /* MTU */
  OP_ADVERTISEMENT, /* text */
  OP_CANCEL,
  OP_DISCONNECTED,
  OP_AGAIN,       /* the next session of the same meter */
  OP_LATER_MINOR, /* an event that this contract does not have */
  OP_WAIT,        /* tenths of a second */
  OP_COUNT
};

#define SERVICES_MAX 6u
#define CHARACTERISTICS_MAX 24u
#define EVENTS_MAX 256u

typedef struct play {
  bench *bench;
  fuzz_input *from;
  mh_action requests[MH_REQUESTS_MAX];
  uint64_t timers[MH_TIMERS_MAX];
  mh_service services[SERVICES_MAX];
  mh_characteristic characteristics[CHARACTERISTICS_MAX];
  uint32_t n_requests, n_timers, n_services, n_characteristics;
  uint32_t purpose;
  uint64_t outcome;
} play;

static void mix(play *play, const void *p, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) play->outcome = (play->outcome ^ ((const uint8_t *)p)[i]) * UINT64_C(1099511628211);
}

/* Everything but addresses. */
static void mix_output(play *play, int32_t status) {
  const bench *bench = play->bench;
  mix(play, &status, sizeof status);
  for (uint64_t i = 0; i < bench->n_records; i++) {
    const mh_record *record = &bench->records[i];
    mix(play, record, sizeof *record);
    mix(play, bench->values + record->first_value, record->n_values * sizeof(mh_value));
    mh_bytes identity = bench_identity(bench, i);
    mix(play, identity.p, identity.n);
  }
  for (uint32_t i = 0; i < bench->n_actions; i++) {
    const mh_action *action = &bench->actions[i].action;
    mix(play, action, offsetof(mh_action, value));
    mix(play, action->value.p, action->value.n);
    mix(play, action->text.p, action->text.n);
  }
}

static void forget_link(play *play) { play->n_requests = play->n_timers = 0; }

static void start_timer(play *play, uint64_t token) {
  for (uint32_t i = 0; i < play->n_timers; i++)
    if (play->timers[i] == token) return;
  if (play->n_timers == MH_TIMERS_MAX) bench_broken(play->bench, "R11", "more than %u timers", MH_TIMERS_MAX);
  play->timers[play->n_timers++] = token;
}

static void cancel_timer(play *play, uint64_t token) {
  for (uint32_t i = 0; i < play->n_timers; i++)
    if (play->timers[i] == token) play->timers[i] = play->timers[--play->n_timers];
}

static void take_action(play *play, const mh_action *action) {
  switch (action->kind) {
    case MH_DO_TIMER: start_timer(play, action->token); break;
    case MH_DO_CANCEL_TIMER: cancel_timer(play, action->token); break;
    case MH_DO_WRITE_NO_RESPONSE:
    case MH_DO_READY:
    case MH_DO_PROGRESS:
    case MH_DO_FINISH:
    case MH_DO_FAIL: break;
    default:
      if (play->n_requests == MH_REQUESTS_MAX)
        bench_broken(play->bench, "R11", "more than %u requests wait", MH_REQUESTS_MAX);
      play->requests[play->n_requests++] = *action;
  }
}

static void send_event(play *play, mh_event fact) {
  int32_t status = bench_event(play->bench, fact);
  mix_output(play, status);
  for (uint32_t i = 0; i < play->bench->n_actions; i++) take_action(play, &play->bench->actions[i].action);
}

/* A UUID as the host hands it over: 16-bit ids expanded. */
static mh_uuid uuid(fuzz_input *from) {
  mh_bytes bytes = fuzz_bytes(from);
  mh_uuid uuid = mh_uuid16(bytes.n >= 2 ? (uint16_t)(bytes.p[0] << 8 | bytes.p[1]) : 0);
  if (bytes.n == 16) memcpy(uuid.b, bytes.p, 16);
  return uuid;
}

static void offer_services(play *play) {
  play->n_services = fuzz_byte(play->from) % (SERVICES_MAX + 1);
  for (uint32_t i = 0; i < play->n_services; i++)
    play->services[i] = (mh_service){
        .first_handle = (uint16_t)(1 + i * 0x100), .last_handle = (uint16_t)(0x100 + i * 0x100), .uuid = uuid(play->from)};
  play->n_characteristics = play->n_services == 0 ? 0 : fuzz_byte(play->from) % (CHARACTERISTICS_MAX + 1);
  for (uint32_t i = 0; i < play->n_characteristics; i++) {
    mh_uuid id = uuid(play->from);
    uint32_t service = fuzz_byte(play->from) % play->n_services;
    play->characteristics[i] = (mh_characteristic){.handle = (uint16_t)(service * 0x100 + 3 + 3 * i),
                                                   .properties = fuzz_byte(play->from),
                                                   .service_index = service,
                                                   .uuid = id};
  }
  send_event(play, (mh_event){.kind = MH_EV_SERVICES,
                              .services = play->services,
                              .n_services = play->n_services,
                              .characteristics = play->characteristics,
                              .n_characteristics = play->n_characteristics});
}

/* `given` is for requests that want bytes; an input has it for every one, whatever was asked. */
static void answer(play *play, int32_t status, mh_bytes given) {
  if (play->n_requests == 0) return;
  mh_action request = play->requests[0];
  memmove(play->requests, play->requests + 1, --play->n_requests * sizeof request);
  mh_event fact = {.token = request.token, .handle = request.handle, .status = status};
  switch (request.kind) {
    case MH_DO_SUBSCRIBE:
    case MH_DO_UNSUBSCRIBE: fact.kind = MH_EV_SUBSCRIBED; break;
    case MH_DO_WRITE: fact.kind = MH_EV_WROTE; break;
    case MH_DO_READ:
      fact.kind = MH_EV_READ;
      if (status == 0) fact.value = given;
      break;
    case MH_DO_MTU:
      fact.kind = MH_EV_MTU;
      fact.mtu = (uint16_t)(status == 0 ? request.arg : 23);
      fact.handle = 0;
      fact.status = 0;
      break;
    case MH_DO_PAIR:
      fact.kind = MH_EV_ENCRYPTED;
      fact.status = status == 0 ? (int32_t)MH_SECURITY_ENCRYPTED : (int32_t)MH_SECURITY_NONE;
      break;
    default:
      fact.kind = MH_EV_USER_INPUT;
      fact.status = status == 0 ? 0 : MH_E_DENIED;
      /* An answer that is kept is not handed over. */
      if (status == 0 && request.value.n == 0 && given.n >= request.arg && given.n <= request.arg2) fact.value = given;
  }
  send_event(play, fact);
}

static void send_value(play *play, uint32_t kind, uint16_t property) {
  uint32_t place = fuzz_byte(play->from);
  mh_bytes value = fuzz_bytes(play->from);
  if (play->n_characteristics == 0) return;
  const mh_characteristic *sender = &play->characteristics[place % play->n_characteristics];
  if ((sender->properties & property) == 0) return;
  send_event(play, (mh_event){.kind = kind, .handle = sender->handle, .value = value});
}

static void fire_timer(play *play) {
  uint32_t place = fuzz_byte(play->from);
  if (play->n_timers == 0) return;
  uint64_t token = play->timers[place % play->n_timers];
  cancel_timer(play, token);
  send_event(play, (mh_event){.kind = MH_EV_TIMER, .token = token});
}

static int open_again(play *play) {
  forget_link(play);
  play->n_services = play->n_characteristics = 0;
  return bench_open(play->bench, play->purpose) == MH_OK;
}

static void step(play *play) {
  const mh_bytes nothing = {NULL, 0};
  switch (fuzz_byte(play->from) % OP_COUNT) {
    case OP_SERVICES: offer_services(play); break;
    case OP_ANSWER: answer(play, 0, fuzz_bytes(play->from)); break;
    case OP_REFUSE: answer(play, fuzz_byte(play->from), nothing); break;
    case OP_NOTIFICATION: send_value(play, MH_EV_NOTIFICATION, MH_PROP_NOTIFY); break;
    case OP_INDICATION: send_value(play, MH_EV_INDICATION, MH_PROP_INDICATE); break;
    case OP_TIMER: fire_timer(play); break;
    case OP_CONNECTED: send_event(play, (mh_event){.kind = MH_EV_CONNECTED, .mtu = (uint16_t)(23 + fuzz_byte(play->from))}); break;
    case OP_ENCRYPTED: send_event(play, (mh_event){.kind = MH_EV_ENCRYPTED, .status = 1 + fuzz_byte(play->from) % 3}); break;
    case OP_SERVICE_CHANGED:
      play->n_requests = play->n_characteristics = 0;
      send_event(play, (mh_event){.kind = MH_EV_SERVICE_CHANGED});
      break;
    case OP_MTU: send_event(play, (mh_event){.kind = MH_EV_MTU, .mtu = (uint16_t)(23 + fuzz_byte(play->from))}); break;
    case OP_ADVERTISEMENT: {
      mh_bytes data = fuzz_bytes(play->from);
      send_event(play, (mh_event){.kind = MH_EV_ADVERTISEMENT, .status = -60, .value = data});
      break;
    }
    case OP_CANCEL: send_event(play, (mh_event){.kind = MH_EV_CANCEL, .token = UINT64_C(1000000000)}); break;
    case OP_DISCONNECTED: send_event(play, (mh_event){.kind = MH_EV_DISCONNECTED, .status = 8}); break;
    case OP_AGAIN: bench_close(play->bench); break;
    case OP_LATER_MINOR: send_event(play, (mh_event){.kind = 1000}); break;
    default: bench_wait(play->bench, fuzz_byte(play->from) * UINT64_C(100000000)); break;
  }
}

uint64_t fuzz_session(bench *bench, uint8_t options, fuzz_input *from) {
  if (bench->driver->bluetooth->open == NULL) return 0;
  static const uint32_t purposes[] = {MH_PURPOSE_READ, MH_PURPOSE_PASSIVE, MH_PURPOSE_PAIR, MH_PURPOSE_CLOCK};
  play *play = bench_allocate(sizeof *play);
  play->bench = bench;
  play->from = from;
  play->purpose = purposes[(options >> FUZZ_PURPOSE_SHIFT) & 3];
  play->outcome = UINT64_C(14695981039346656037);
  int is_open = open_again(play);
  for (uint32_t i = 0; i < EVENTS_MAX && is_open && fuzz_has_more(from); i++) {
    if (bench_has_ended(bench)) is_open = open_again(play);
    if (is_open) step(play);
  }
  bench_close(bench);
  uint64_t outcome = play->outcome;
  free(play);
  return outcome;
}
