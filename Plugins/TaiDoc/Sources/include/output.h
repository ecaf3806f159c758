/* What one event hands over, kept until the host has room for it (rule R13). */
#ifndef TAIDOC_OUTPUT_H
#define TAIDOC_OUTPUT_H

#include "memory_read.h"

namespace taidoc {

/* Facts about the meter that become one device information record. */
struct MeterFacts {
  bool has_clock_offset;
  /* Whole minutes by which the meter's clock is ahead of the host's local time, in seconds. */
  int64_t clock_offset_s;
  /* "TD-4257", from the four digits that command 24 gives; empty when it does not answer. */
  char model[8];
  uint32_t model_length;
};

class Output {
public:
  void prepare(const Meter &meter) { meter_ = meter; }

  /* Adds an action; more than fit are refused by the contract's own limit in the host. */
  void ask(const mh_action &action);
  /* Adds a write of a frame; the frame is copied. */
  void write(uint16_t handle, bool wants_response, uint64_t token, const Frame &frame);
  /* Adds the device information record. */
  void tell(const MeterFacts &facts);
  /* Adds the readings of a checked block. Those without a time have no identity: they are put aside, and handed over
   * together with the cursor, or a meter whose link dropped would have them delivered twice. */
  void deliver(const Entry *entries, uint32_t count, uint32_t flags);
  /* Hands over what was put aside, in this event. */
  void release() { releases_ = true; }
  /* Forgets what was put aside. */
  void forget() { n_aside_ = 0; }
  /* How many entries of the session held no reading. */
  uint32_t empty_entries() const { return empty_entries_; }
  bool has_delivered() const { return has_delivered_; }

  bool is_pending() const;
  /* MH_OK when everything is handed over, MH_E_FULL, or what the host answered to an action. */
  int32_t drain(mh_sink *sink);

private:
  int32_t drain_facts(mh_sink *sink);
  int32_t drain_readings(mh_sink *sink);

  static constexpr uint32_t actions_max = 8;

  Meter meter_;
  MeterFacts facts_;
  bool has_facts_;
  bool releases_;
  bool has_delivered_;
  uint32_t flags_;
  uint32_t empty_entries_;
  Entry ready_[MemoryRead::block_max];
  uint32_t n_ready_;
  uint32_t next_ready_;
  Entry aside_[memory_max];
  uint32_t n_aside_;
  uint32_t next_aside_;
  mh_action actions_[actions_max];
  Frame frames_[actions_max];
  uint32_t n_actions_;
  uint32_t next_action_;
};

} // namespace taidoc

#endif
