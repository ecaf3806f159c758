/* Bytes that only the monitor knows, year - 2000, month, day, hour, minute, second, their sum, one byte more. */
#include "clock.h"

#include "record.h"

#define TIME_BEFORE_END 8u

enum omron_clock_state omron_read_clock(const omron_layout *layout, const uint8_t *bytes, int64_t *out) {
  uint32_t n = layout->clock_size;
  uint8_t words[OMRON_CLOCK_MAX];
  omron_words(layout, bytes, n, words);
  int is_blank = words[0] == 0x00 || words[0] == 0xff;
  for (uint32_t i = 1; i < n; i++) is_blank = is_blank && words[i] == words[0];
  if (is_blank) return OMRON_CLOCK_BLANK;
  if (!omron_sum_fits(words, n)) return OMRON_CLOCK_WRONG;
  const uint8_t *t = words + n - TIME_BEFORE_END;
  return omron_civil_time(2000u + t[0], t[1], t[2], t[3], t[4], t[5], out) ? OMRON_CLOCK_SET : OMRON_CLOCK_UNSET;
}

int omron_set_clock(const omron_layout *layout, const uint8_t *read, int64_t civil_us, uint8_t *out) {
  int64_t first = 0, seconds = civil_us / 1000000;
  if (!omron_civil_time(2000, 1, 1, 0, 0, 0, &first) || civil_us < first) return 0;
  int64_t days = seconds / 86400, left = seconds % 86400, start = 0;
  uint32_t year = 2000, month = 1;
  /* The last first of a month that is not after the day. */
  while (year < 2100 && omron_civil_time(year + 1, 1, 1, 0, 0, 0, &start) && start / 86400000000 <= days) year++;
  while (month < 12 && omron_civil_time(year, month + 1, 1, 0, 0, 0, &start) && start / 86400000000 <= days) month++;
  if (year > 2063 || !omron_civil_time(year, month, 1, 0, 0, 0, &start)) return 0;
  uint32_t n = layout->clock_size;
  uint8_t words[OMRON_CLOCK_MAX], sum = 0;
  omron_words(layout, read, n, words);
  uint8_t *t = words + n - TIME_BEFORE_END;
  t[0] = (uint8_t)(year - 2000);
  t[1] = (uint8_t)month;
  t[2] = (uint8_t)(days - start / 86400000000 + 1);
  t[3] = (uint8_t)(left / 3600);
  t[4] = (uint8_t)(left / 60 % 60);
  t[5] = (uint8_t)(left % 60);
  for (uint32_t i = 0; i + 2 < n; i++) sum = (uint8_t)(sum + words[i]);
  words[n - 2] = sum;
  omron_words(layout, words, n, out);
  return 1;
}
