#include "session_state.h"

namespace taidoc {

namespace {

constexpr uint64_t second = UINT64_C(1000000000);
/* A meter answers within tenths of a second; the public implementations wait between half a second and five. */
constexpr uint64_t answer_within = 2 * second;
/* How often a question is asked, one that the reading does not depend on, and how much patience a session has in all. */
constexpr uint32_t attempts_max = 3;
constexpr uint32_t attempts_optional = 2;
constexpr uint32_t silences_max = 24;
/* How often the memory may change while it is read. */
constexpr uint32_t restarts_max = 5;
/* No two zones of the world are further apart: a clock that differs by more shows a wrong time. */
constexpr int64_t zones_apart_s = 26 * 3600;
constexpr int64_t minute_us = INT64_C(60000000);

mh_str text(const char *p) { return mh_str{p, __builtin_strlen(p)}; }

void put_log(mh_session &session, int32_t level, const char *line) {
  if (session.host->log != nullptr) session.host->log(session.host->ctx, level, text(line));
}

/* Sends one command and waits for its answer. The only place that writes to the meter. */
void send(mh_session &session, Command command, const Payload &payload) {
  session.output.write(session.handle, session.wants_response, TokenWrite, encode(command, payload));
  mh_action timer = action(MH_DO_TIMER);
  timer.token = TokenAnswer;
  timer.arg = answer_within;
  session.output.ask(timer);
}

/* A user's count is asked for by the first byte, a user's reading by the last (markchuang56/iOS-Demo ForaD40.m). */
void send_question(mh_session &session, const Question &question) {
  uint8_t user = session.meter.user;
  if (question.command == Command::RecordCount)
    send(session, question.command, Payload{{user, 0, 0, 0}});
  else
    send(session, question.command,
         Payload{{static_cast<uint8_t>(question.index & 0xff), static_cast<uint8_t>(question.index >> 8), 0, user}});
}

int64_t local_microseconds(const mh_session &session, const mh_event &event) {
  return event.unix_us + session.utc_offset_us;
}

/* Asks what the current step asks. */
void send_step(mh_session &session, const mh_event &event) {
  Payload clock = {};
  switch (session.step) {
  case Step::Connect: return send(session, Command::Connect, Payload{});
  case Step::Model: return send(session, Command::GetModel, Payload{});
  case Step::Clock: return send(session, Command::GetClock, Payload{});
  case Step::Memory: return send_question(session, session.memory.question());
  case Step::SetClock:
    if (clock_payload(local_microseconds(session, event), &clock)) return send(session, Command::SetClock, clock);
    session.step = Step::PowerOff;
    return send(session, Command::PowerOff, Payload{});
  case Step::PowerOff: return send(session, Command::PowerOff, Payload{});
  }
}

void go_to(mh_session &session, Step step, const mh_event &event) {
  session.step = step;
  session.attempts = 0;
  send_step(session, event);
}

/* Reading the memory begins: what is known of the meter so far goes out, the cursor comes in. */
void begin_memory(mh_session &session, const mh_event &event) {
  session.output.tell(session.facts);
  uint8_t bytes[cursor_size] = {};
  uint64_t n = sizeof bytes;
  Cursor cursor = {};
  bool is_known = false;
  if (session.host->kv_get != nullptr) {
    int32_t status =
        session.host->kv_get(session.host->ctx, session.peer, mh_str{cursor_key, sizeof cursor_key - 1}, bytes, &n);
    is_known = status == MH_OK && read_cursor(session.meter, bytes, n, &cursor);
    if (status != MH_E_NOT_FOUND && !is_known)
      put_log(session, MH_LOG_WARNING, "the stored cursor is of another kind; reading all readings");
  }
  session.memory.start(session.meter, is_known ? &cursor : nullptr);
  go_to(session, Step::Memory, event);
}

/* The cursor goes onto the disk together with the last readings, or not at all (rule R25). An empty memory has none. */
void store_cursor(mh_session &session) {
  uint8_t bytes[cursor_size] = {};
  bool is_empty = session.memory.count() == 0;
  if (!is_empty) write_cursor(session.meter, session.memory.reached(), bytes);
  session.status = session.host->kv_set == nullptr
                       ? MH_E_DENIED
                       : session.host->kv_set(session.host->ctx, session.peer, mh_str{cursor_key, sizeof cursor_key - 1},
                                              mh_bytes{bytes, is_empty ? 0 : sizeof bytes});
}

/* The meter's clock is wrong by more than zones explain: its readings' times are too, unless it was set since. Of a memory whose
 * times mean nothing, the time of arrival is no reading's either. */
uint32_t record_flags(const mh_session &session) {
  if (session.meter.has_no_clock) return MH_REC_CLOCK_SUSPECT;
  bool is_wrong = session.trusts_host_clock && session.facts.has_clock_offset &&
                  (session.facts.clock_offset_s > zones_apart_s || session.facts.clock_offset_s < -zones_apart_s);
  return is_wrong ? MH_REC_CLOCK_SUSPECT : 0;
}

void deliver_block(mh_session &session) {
  session.output.deliver(session.memory.block(), session.memory.block_size(), record_flags(session));
  mh_action progress = action(MH_DO_PROGRESS);
  progress.arg = session.memory.position();
  progress.arg2 = session.memory.count();
  session.output.ask(progress);
}

/* Everything is read and goes to the disk with this event; only then does the meter hear of it. */
void end_memory(mh_session &session, const mh_event &event) {
  session.output.release();
  store_cursor(session);
  if (session.output.empty_entries() != 0)
    put_log(session, MH_LOG_WARNING, "entries without a reading were passed over (fillers, errors, unknown analytes)");
  bool differs = !session.facts.has_clock_offset || session.facts.clock_offset_s != 0;
  bool sets = session.sets_clock && session.trusts_host_clock && session.has_clock && differs;
  go_to(session, sets ? Step::SetClock : Step::PowerOff, event);
}

void answer_memory(mh_session &session, const Payload &payload, const mh_event &event) {
  session.attempts = 0;
  switch (session.memory.take(payload)) {
  case Progress::Continue: break;
  case Progress::Block:
    deliver_block(session);
    session.memory.next_block();
    break;
  case Progress::Last:
    deliver_block(session);
    return end_memory(session, event);
  case Progress::Changed:
    if (++session.restarts > restarts_max)
      return fail(session, MH_FAIL_METER_ERROR, 0,
                  "The meter's memory kept changing while it was read. Wait until it has finished and read it again.");
    put_log(session, MH_LOG_INFO, "the memory changed while it was read; reading it again");
    session.output.forget();
    session.memory.restart();
    break;
  case Progress::TooMany:
    return fail(session, MH_FAIL_METER_ERROR, session.memory.count(),
                "The meter claims more readings than it can hold. Switch it off and on and read it again.");
  }
  send_step(session, event);
}

/* Four digits, the lower two first (BCD). */
void note_model(mh_session &session, const Payload &payload) {
  MeterFacts &facts = session.facts;
  const char digits[] = "0123456789ABCDEF";
  facts.model[0] = 'T';
  facts.model[1] = 'D';
  facts.model[2] = '-';
  facts.model[3] = digits[payload.d[1] >> 4];
  facts.model[4] = digits[payload.d[1] & 0xf];
  facts.model[5] = digits[payload.d[0] >> 4];
  facts.model[6] = digits[payload.d[0] & 0xf];
  facts.model_length = 7;
}

void note_clock(mh_session &session, const Payload &payload, const mh_event &event) {
  session.has_clock = true;
  int64_t shown = 0;
  if (session.meter.has_no_clock || !civil_time(payload, &shown)) {
    put_log(session, MH_LOG_WARNING, "the meter's clock is not set");
    return;
  }
  int64_t local = local_microseconds(session, event);
  int64_t host_minute = local / minute_us - (local % minute_us < 0 ? 1 : 0);
  session.facts.has_clock_offset = true;
  session.facts.clock_offset_s = (shown / minute_us - host_minute) * 60;
}

/* The replies that a step takes. They name the command and no index; but they come in order, and no two questions that
 * follow each other have the same command, so that a late or doubled reply is never taken for the next one. The answer to 22 is 22, 24 or 54 (glucometer-protocols, taidoc/td42xx). */
bool is_answer(const mh_session &session, uint8_t code) {
  switch (session.step) {
  case Step::Connect: return code == opcode(Command::Connect) || code == opcode(Command::GetModel) || code == 0x54;
  case Step::Model: return code == opcode(Command::GetModel);
  case Step::Clock: return code == opcode(Command::GetClock);
  case Step::Memory: return code == opcode(session.memory.question().command);
  case Step::SetClock: return code == opcode(Command::SetClock);
  case Step::PowerOff: return code == opcode(Command::PowerOff);
  }
  return false;
}

void go_on(mh_session &session, const mh_event &event) {
  switch (session.step) {
  case Step::Connect: return go_to(session, Step::Model, event);
  case Step::Model: return go_to(session, Step::Clock, event);
  case Step::Clock: return begin_memory(session, event);
  case Step::SetClock: return go_to(session, Step::PowerOff, event);
  case Step::PowerOff: return finish(session);
  case Step::Memory: return;
  }
}

/* How far the clock is ahead, said a second time: it was set. */
void tell_clock_is_set(mh_session &session) {
  MeterFacts facts = {};
  facts.has_clock_offset = true;
  session.output.tell(facts);
}

void answered(mh_session &session, const Reply &reply, const mh_event &event) {
  if (session.step == Step::Memory) return answer_memory(session, reply.payload, event);
  if (session.step == Step::Model) note_model(session, reply.payload);
  if (session.step == Step::Clock) note_clock(session, reply.payload, event);
  if (session.step == Step::SetClock) tell_clock_is_set(session);
  go_on(session, event);
}

} // namespace

void begin_exchange(mh_session &session, const mh_event &event) { go_to(session, Step::Connect, event); }

void received(mh_session &session, const mh_event &event) {
  if (session.phase != Phase::Asking || event.handle != session.handle || event.value.p == nullptr) return;
  Reply reply = {};
  uint32_t skipped = session.reader.skipped();
  for (uint64_t i = 0; i < event.value.n; i++) {
    if (!session.reader.take(event.value.p[i], &reply) || !is_answer(session, reply.opcode)) continue;
    /* What stands behind the answer was sent before the next question and answers none. */
    session.reader.reset();
    return answered(session, reply, event);
  }
  if (session.reader.skipped() == skipped) return;
  put_log(session, MH_LOG_WARNING, "bytes that are no frame, or a frame with a wrong sum, were passed over");
  session.status = MH_E_PROTOCOL;
}

void fell_silent(mh_session &session, const mh_event &event) {
  if (session.phase != Phase::Asking) return;
  session.reader.reset();
  /* Switched off at once, or does not know the command: everything is read. */
  if (session.step == Step::PowerOff) return finish(session);
  bool is_optional = session.step != Step::Memory;
  session.attempts++;
  if (++session.silences > silences_max || (!is_optional && session.attempts >= attempts_max))
    return fail(session, MH_FAIL_TIMEOUT, 0, "The meter stopped answering. Keep it near, switch it on and read again.");
  if (is_optional && session.attempts >= attempts_optional) {
    put_log(session, MH_LOG_INFO, "the meter does not answer a command that is not needed; going on without");
    return go_on(session, event);
  }
  send_step(session, event);
}

} // namespace taidoc
