#include "output.h"

namespace taidoc {

void Output::ask(const mh_action &action) {
  if (n_actions_ < actions_max) actions_[n_actions_++] = action;
}

void Output::write(uint16_t handle, bool wants_response, uint64_t token, const Frame &frame) {
  if (n_actions_ == actions_max) return;
  Frame &kept = frames_[n_actions_];
  kept = frame;
  mh_action action = {};
  action.kind = wants_response ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE;
  action.token = token;
  action.handle = handle;
  action.value = mh_bytes{kept.b, frame_size};
  ask(action);
}

void Output::tell(const MeterFacts &facts) {
  facts_ = facts;
  has_facts_ = facts.has_clock_offset || facts.model_length != 0;
}

void Output::deliver(const Entry *entries, uint32_t count, uint32_t flags) {
  flags_ = flags;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_reading(meter_, entries[i])) {
      empty_entries_++;
    } else if (has_time(meter_, entries[i])) {
      if (n_ready_ < MemoryRead::block_max) ready_[n_ready_++] = entries[i];
      has_delivered_ = true;
    } else if (n_aside_ < memory_max) {
      aside_[n_aside_++] = entries[i];
    }
  }
}

bool Output::is_pending() const {
  return has_facts_ || next_ready_ < n_ready_ || (releases_ && next_aside_ < n_aside_) || next_action_ < n_actions_;
}

int32_t Output::drain(mh_sink *sink) {
  if (drain_facts(sink) == MH_E_FULL || drain_readings(sink) == MH_E_FULL) return MH_E_FULL;
  while (next_action_ < n_actions_) {
    int32_t status = mh_sink_act(sink, actions_[next_action_]);
    if (status != MH_OK) return status;
    next_action_++;
  }
  next_action_ = n_actions_ = 0;
  return MH_OK;
}

int32_t Output::drain_facts(mh_sink *sink) {
  if (!has_facts_) return MH_OK;
  /* Record and text together or neither. */
  if (facts_.model_length != 0 &&
      (sink->n_texts >= sink->cap_texts || facts_.model_length > sink->cap_arena - sink->n_arena))
    return MH_E_FULL;
  mh_record record = {};
  record.kind = MH_KIND_DEVICE_INFO;
  record.device_seq = MH_SEQ_NONE;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  record.ident_class = MH_IDENT_LIVE;
  mh_value offset = {};
  offset.metric = MH_METRIC_CLOCK_OFFSET;
  offset.unit = MH_UNIT_SECOND;
  offset.value = static_cast<double>(facts_.clock_offset_s);
  offset.raw = facts_.clock_offset_s;
  uint16_t n_values = facts_.has_clock_offset ? 1 : 0;
  if (mh_sink_record(sink, &record, &offset, n_values, nullptr, 0) != MH_OK) return MH_E_FULL;
  if (facts_.model_length != 0) mh_sink_text(sink, MH_METRIC_MODEL, mh_str{facts_.model, facts_.model_length});
  has_facts_ = false;
  return MH_OK;
}

int32_t Output::drain_readings(mh_sink *sink) {
  for (; next_ready_ < n_ready_; next_ready_++)
    if (emit_reading(meter_, ready_[next_ready_], flags_, sink) == MH_E_FULL) return MH_E_FULL;
  next_ready_ = n_ready_ = 0;
  if (!releases_) return MH_OK;
  for (; next_aside_ < n_aside_; next_aside_++)
    if (emit_reading(meter_, aside_[next_aside_], flags_, sink) == MH_E_FULL) return MH_E_FULL;
  next_aside_ = n_aside_ = 0;
  releases_ = false;
  return MH_OK;
}

} // namespace taidoc
