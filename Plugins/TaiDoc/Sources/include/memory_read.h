/* Reads a meter's memory, whose index 0 is the newest reading, so that no time is ever joined to another reading's value.
 * Pure: replies in, questions out.
 *
 * A measurement that is taken while the memory is read moves every reading to the next index, and a reply does not say
 * which index it is for. So readings are taken in blocks, and a block counts only when the number of readings, the newest
 * one and one read at the block's start are asked for again and have not changed. If one has, everything starts again. */
#ifndef TAIDOC_MEMORY_READ_H
#define TAIDOC_MEMORY_READ_H

#include "frame.h"
#include "reading.h"

namespace taidoc {

/* More readings than any meter of the family stores; also less than one event may hand over (MH_RECORDS_MAX). */
constexpr uint16_t memory_max = 4000;

/* What was read completely last time, under the key user/newest: moves once, when everything has been read (rule R25). */
struct Cursor {
  uint16_t count;
  Identity newest;
};

constexpr uint32_t cursor_size = 14;
constexpr char cursor_key[] = "user/newest";

void write_cursor(const Meter &meter, const Cursor &cursor, uint8_t *out);
/* False for the bytes of another version, kind of meter or user slot: everything is read then. */
bool read_cursor(const Meter &meter, const uint8_t *bytes, uint64_t n, Cursor *out);

/* What to ask the meter next. */
struct Question {
  Command command;
  uint16_t index;
};

enum class Progress : uint8_t {
  /* Ask the next question. */
  Continue,
  /* block() holds checked readings; call next_block(). */
  Block,
  /* The same, and they are the last ones. */
  Last,
  /* The memory changed: nothing of this pass may be believed but the blocks that were handed over. Call restart(). */
  Changed,
  /* The meter says that it holds more than memory_max readings. */
  TooMany,
};

class MemoryRead {
public:
  static constexpr uint32_t block_max = 16;

  /* `cursor`: up to where the memory is known, nullptr: nothing of it. */
  void start(const Meter &meter, const Cursor *cursor);
  void restart();
  void next_block();
  Question question() const;
  /* The payload of the reply to question(). */
  Progress take(const Payload &payload);

  const Entry *block() const { return block_; }
  uint32_t block_size() const { return n_block_; }
  uint16_t count() const { return count_; }
  /* How many indices were read in this pass. */
  uint16_t position() const { return index_; }
  /* Where the cursor stands when this pass has ended. Only for a memory that is not empty. */
  Cursor reached() const { return Cursor{count_, identity_of(meter_, newest_)}; }

private:
  enum class Step : uint8_t {
    Count,
    Time,
    Value,
    CheckCount,
    CheckNewestTime,
    CheckNewestValue,
    CheckSentinelTime,
    CheckSentinelValue,
  };

  bool is_known(const Entry &entry) const;
  Progress take_entry();
  Progress finish_block() const;

  Meter meter_;
  Cursor cursor_;
  bool has_cursor_;
  bool has_sentinel_;
  bool ends_;
  Step step_;
  uint16_t count_;
  uint16_t index_;
  /* The index that is asked for again at the end of the block. */
  uint16_t sentinel_index_;
  /* Readings that the meter must have gained since the cursor was written. */
  uint16_t gained_;
  Entry pending_;
  Entry newest_;
  Entry sentinel_;
  Entry block_[block_max];
  uint32_t n_block_;
};

} // namespace taidoc

#endif
