/* What a session remembers, and what its parts ask of each other: session.cpp knows the link, exchange.cpp the meter, ending.cpp
 * how a session ends. */
#ifndef TAIDOC_SESSION_STATE_H
#define TAIDOC_SESSION_STATE_H

#include <meterhost/driver.h>

#include "output.h"

namespace taidoc {

enum class Phase : uint8_t { Idle, Pairing, Subscribing, Asking, Ended };
enum class Step : uint8_t { Connect, Model, Clock, Memory, SetClock, PowerOff };
enum Token : uint64_t { TokenSubscribe = 1, TokenWrite = 2, TokenAnswer = 3 };

} // namespace taidoc

/* Zero bytes are its start: it lives in memory of calloc. */
struct mh_session {
  const mh_host *host;
  uint64_t peer;
  taidoc::Meter meter;
  taidoc::MemoryRead memory;
  taidoc::Output output;
  taidoc::FrameReader reader;
  taidoc::MeterFacts facts;
  int64_t utc_offset_us;
  uint32_t purpose;
  int32_t status;
  uint32_t attempts;
  uint32_t silences;
  uint32_t restarts;
  uint16_t handle;
  taidoc::Phase phase;
  taidoc::Step step;
  bool wants_response;
  bool is_encrypted;
  bool trusts_host_clock;
  bool sets_clock;
  bool has_clock;
};

namespace taidoc {

/* An action of a kind, everything else zero. */
mh_action action(uint32_t kind);
/* The session's last words. */
void finish(mh_session &session);
/* `subcode`: the driver's own, such as the ATT error; `why`: for the person, what happened and what to do. */
void fail(mh_session &session, int32_t code, int32_t subcode, const char *why);

/* Asks the first question. */
void begin_exchange(mh_session &session, const mh_event &event);
/* The meter sent bytes. */
void received(mh_session &session, const mh_event &event);
/* The meter did not answer in time. */
void fell_silent(mh_session &session, const mh_event &event);

} // namespace taidoc

#endif
