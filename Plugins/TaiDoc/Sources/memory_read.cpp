#include "memory_read.h"

namespace taidoc {

constexpr uint8_t cursor_version = 1;

void write_cursor(const Meter &meter, const Cursor &cursor, uint8_t *out) {
  out[0] = cursor_version;
  out[1] = static_cast<uint8_t>(meter.kind);
  out[2] = meter.user;
  out[3] = static_cast<uint8_t>(cursor.count & 0xff);
  out[4] = static_cast<uint8_t>(cursor.count >> 8);
  for (uint32_t i = 0; i < sizeof(Identity::b); i++) out[5 + i] = cursor.newest.b[i];
}

bool read_cursor(const Meter &meter, const uint8_t *bytes, uint64_t n, Cursor *out) {
  if (n != cursor_size || bytes[0] != cursor_version || bytes[1] != static_cast<uint8_t>(meter.kind) ||
      bytes[2] != meter.user)
    return false;
  out->count = static_cast<uint16_t>(bytes[3] | bytes[4] << 8);
  for (uint32_t i = 0; i < sizeof(Identity::b); i++) out->newest.b[i] = bytes[5 + i];
  return true;
}

void MemoryRead::start(const Meter &meter, const Cursor *cursor) {
  meter_ = meter;
  has_cursor_ = cursor != nullptr;
  if (cursor != nullptr) cursor_ = *cursor;
  restart();
}

void MemoryRead::restart() {
  step_ = Step::Count;
  count_ = index_ = n_block_ = 0;
  sentinel_index_ = 1;
  has_sentinel_ = ends_ = false;
}

void MemoryRead::next_block() {
  step_ = Step::Time;
  n_block_ = 0;
  sentinel_index_ = index_;
  has_sentinel_ = false;
}

Question MemoryRead::question() const {
  switch (step_) {
  case Step::Count:
  case Step::CheckCount: return Question{Command::RecordCount, 0};
  case Step::Time: return Question{Command::RecordTime, index_};
  case Step::Value: return Question{Command::RecordValue, index_};
  case Step::CheckNewestTime: return Question{Command::RecordTime, 0};
  case Step::CheckNewestValue: return Question{Command::RecordValue, 0};
  case Step::CheckSentinelTime: return Question{Command::RecordTime, sentinel_index_};
  case Step::CheckSentinelValue: return Question{Command::RecordValue, sentinel_index_};
  }
  return Question{Command::RecordCount, 0};
}

Progress MemoryRead::take(const Payload &payload) {
  switch (step_) {
  case Step::Count:
    count_ = low_word(payload);
    if (count_ > memory_max) return Progress::TooMany;
    if (count_ == 0) return Progress::Last;
    gained_ = has_cursor_ && count_ >= cursor_.count ? static_cast<uint16_t>(count_ - cursor_.count) : 0;
    step_ = Step::Time;
    return Progress::Continue;
  case Step::Time:
    pending_.time = payload;
    step_ = Step::Value;
    return Progress::Continue;
  case Step::Value:
    pending_.value = payload;
    return take_entry();
  case Step::CheckCount:
    if (low_word(payload) != count_) return Progress::Changed;
    step_ = Step::CheckNewestTime;
    return Progress::Continue;
  case Step::CheckNewestTime:
  case Step::CheckSentinelTime:
    pending_.time = payload;
    step_ = step_ == Step::CheckNewestTime ? Step::CheckNewestValue : Step::CheckSentinelValue;
    return Progress::Continue;
  case Step::CheckNewestValue:
    pending_.value = payload;
    if (!(pending_ == newest_)) return Progress::Changed;
    if (!has_sentinel_) return finish_block();
    step_ = Step::CheckSentinelTime;
    return Progress::Continue;
  case Step::CheckSentinelValue:
    pending_.value = payload;
    return pending_ == sentinel_ ? finish_block() : Progress::Changed;
  }
  return Progress::Continue;
}

/* The cursor's reading stands at least as far down as the memory has grown; an equal one above it is another. A memory
 * that has shrunk was cleared: nothing in it is known. */
bool MemoryRead::is_known(const Entry &entry) const {
  return has_cursor_ && count_ >= cursor_.count && index_ >= gained_ && identity_of(meter_, entry) == cursor_.newest;
}

Progress MemoryRead::take_entry() {
  if (index_ == 0) newest_ = pending_;
  if (index_ == sentinel_index_) {
    sentinel_ = pending_;
    has_sentinel_ = true;
  }
  ends_ = is_known(pending_);
  if (!ends_) block_[n_block_++] = pending_;
  index_++;
  if (index_ == count_) ends_ = true;
  step_ = ends_ || n_block_ == block_max ? Step::CheckCount : Step::Time;
  return Progress::Continue;
}

Progress MemoryRead::finish_block() const { return ends_ ? Progress::Last : Progress::Block; }

} // namespace taidoc
