/* One line of the tracker's export: start,end,type,value,unit,device. The export has no quotes: a line with one is none
 * of its lines. */
#ifndef LINE_H
#define LINE_H

#include <meterhost/draft/import.h>

/* The first line of every export, by which the driver knows its own. */
#define LINE_HEADER "start,end,type,value,unit,device"
/* Bytes of a line; a longer one is refused. */
#define LINE_MAX_BYTES 1024u

/* Types of samples. LINE_OTHER: one that this driver does not know, which is counted and nothing more. */
enum line_type { LINE_STEPS, LINE_WEIGHT, LINE_OTHER, LINE_TYPES };
/* Units, as the export writes them. */
enum line_unit { LINE_COUNT, LINE_KG, LINE_LB, LINE_UNITS };

/* What each type is called, and what it is to the host (MH_QTY_*). */
extern const struct line_type_name {
  mh_str text;
  uint16_t quantity;
} line_types[LINE_TYPES];
extern const mh_str line_units[LINE_UNITS];

/* What a line says: mantissa * 10^exponent of a unit, from start_us up to end_us. */
typedef struct line {
  int64_t start_us;
  int64_t end_us;
  int64_t mantissa;
  int16_t exponent;
  /* How far the tracker's clock was ahead of UTC, seconds; MH_IMPORT_NO_OFFSET where the line is in UTC. */
  int32_t utc_offset_s;
  uint32_t type;
  uint32_t unit;
  /* Points into the text that was read. */
  mh_str device;
} line;

/* Reads a line without its end. Returns 0, or why it is refused (MH_REFUSED_*); `type` is set in any case, to
 * LINE_TYPES where the line does not say one. Of a LINE_OTHER nothing but its type counts. */
uint32_t line_read(mh_str text, line *out);

#endif
