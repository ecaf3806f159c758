/* DRAFT: reading the exports of health stores, which phones write as files and automations post as documents (rule
 * R18). Not part of the frozen contract; the id carries the word draft, and driver.h does not include this file (rule
 * R4).
 *
 * It is a conversation (conversation.h): the driver is told one event at a time, of the kinds STARTED, BYTES, ANSWER,
 * ENDED and CONTINUE, and may ask for PULL, DONE and FAIL. What it puts out is not records but samples, as the export
 * has them: one count of steps, one stage of sleep, one workout. What samples of several sources come to for a day,
 * which of two is the same one, in which unit a receiver wants it: all of that is the host's, once for every kind of
 * export. So a driver needs to know how an export is written, and nothing of people, days and zones.
 *
 * A driver always says what comes next. An event after which nothing is pulled and that is neither DONE nor FAIL ends
 * the import as a fault. One that comes to more than an event may have (MH_IMPORT_SAMPLES_MAX, or the CPU time of rule
 * R16 for bytes that inflate to very many) is broken off by the driver, which pulls again from where it stopped; what
 * was inflated and not read yet stays with it.
 */
#ifndef METERHOST_IMPORT_H
#define METERHOST_IMPORT_H

#include "conversation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of mh_driver.extension. */
#define MH_EXT_IMPORT_DRAFT "meterhost.import/1-draft"

/* The most samples and attributes, and bytes of the arena, of an event, all rounds together. */
#define MH_IMPORT_SAMPLES_MAX 16384u
#define MH_IMPORT_ATTRIBUTES_MAX 262144u
#define MH_IMPORT_ARENA_MAX 8388608u
/* The most names of an import, all kinds together: what an export has more of goes under a name for the rest. */
#define MH_IMPORT_NAMES_MAX 16384u
/* The most bytes of a name, a text or an id. */
#define MH_IMPORT_TEXT_MAX 1024u
/* What an empty sink holds at least. A sample that needs more may never fit. */
#define MH_IMPORT_SAMPLES_MIN 1024u
#define MH_IMPORT_ATTRIBUTES_MIN 4096u
#define MH_IMPORT_NAMES_MIN 256u
#define MH_IMPORT_COUNTS_MIN 256u
#define MH_IMPORT_REFUSALS_MIN 64u
#define MH_IMPORT_ARENA_MIN 65536u
/* Times lie in the years 1 to 9999; a sample of any other is refused (MH_REFUSED_TIME). */
#define MH_IMPORT_US_MIN (-62135596800000000)
#define MH_IMPORT_US_MAX 253402300799999999
/* Exponents lie from -18 to 18, offsets of clocks within 18 hours. */
#define MH_IMPORT_EXPONENT_MAX 18
#define MH_IMPORT_OFFSET_MAX 64800

/* What a type of samples is to the host (mh_import_name.quantity), below 256. A type that is none of these has
 * MH_QTY_OTHER: it is counted, and otherwise left. The word in the comment is the unit that the host counts in; a
 * sample may have any unit that the host knows. */
#define MH_QTY_OTHER 0u
/* Sums: an interval has what came together in it. */
#define MH_QTY_STEPS 1u                  /* count */
#define MH_QTY_DISTANCE_WALKING 2u       /* m, also running */
#define MH_QTY_DISTANCE_CYCLING 3u       /* m */
#define MH_QTY_DISTANCE_SWIMMING 4u      /* m */
#define MH_QTY_DISTANCE_WHEELCHAIR 5u    /* m */
#define MH_QTY_DISTANCE_OTHER 6u         /* m */
#define MH_QTY_FLOORS 7u                 /* count */
#define MH_QTY_ELEVATION 8u              /* m */
#define MH_QTY_ENERGY_ACTIVE 9u          /* kcal */
#define MH_QTY_ENERGY_BASAL 10u          /* kcal */
#define MH_QTY_ENERGY_TOTAL 11u          /* kcal */
#define MH_QTY_EXERCISE 12u              /* s */
#define MH_QTY_STAND 13u                 /* s */
#define MH_QTY_PUSHES 14u                /* count, of a wheelchair */
/* One hour each: text "stood" or "idle". */
#define MH_QTY_STAND_HOUR 20u
/* Durations. */
#define MH_QTY_MINDFUL 21u
#define MH_QTY_SLEEP 22u                 /* text: a word of MH_SLEEP_* */
#define MH_QTY_WORKOUT 23u               /* text: the activity; attributes below */
#define MH_QTY_SERIES_DAY 24u            /* a day as its source has summed it up: attribute `date` */
/* Measurements. */
#define MH_QTY_WEIGHT 40u                /* kg */
#define MH_QTY_HEIGHT 41u                /* cm */
#define MH_QTY_BODY_FAT 42u              /* % */
#define MH_QTY_LEAN_MASS 43u             /* kg */
#define MH_QTY_BMI 44u                   /* kg/m2 */
#define MH_QTY_BODY_WATER_MASS 45u       /* kg */
#define MH_QTY_BONE_MASS 46u             /* kg */
#define MH_QTY_MUSCLE_MASS 47u           /* kg */
#define MH_QTY_WAIST 48u                 /* cm */
#define MH_QTY_GLUCOSE 50u               /* mg/dL */
#define MH_QTY_SYSTOLIC 51u              /* mm[Hg] */
#define MH_QTY_DIASTOLIC 52u             /* mm[Hg] */
#define MH_QTY_HEART_RATE 53u            /* /min */
#define MH_QTY_RESTING_HEART_RATE 54u    /* /min */
#define MH_QTY_WALKING_HEART_RATE 55u    /* /min */
#define MH_QTY_HRV_SDNN 56u              /* ms */
#define MH_QTY_HRV_RMSSD 57u             /* ms */
#define MH_QTY_OXYGEN_SATURATION 58u     /* % */
#define MH_QTY_BODY_TEMPERATURE 59u      /* Cel */
#define MH_QTY_BASAL_TEMPERATURE 60u     /* Cel */
#define MH_QTY_RESPIRATORY_RATE 61u      /* /min */
#define MH_QTY_VO2_MAX 62u               /* mL/kg/min */
#define MH_QTY_BASAL_RATE 63u            /* kcal/d */
/* Two pressures that belong together: attributes `systolic` and `diastolic`. Where they are samples too, it only pairs
 * them. */
#define MH_QTY_BLOOD_PRESSURE 64u
/* Nutrition. A meal with several nutrients is one sample of MH_QTY_MEAL with attributes named as below, without the
 * prefix. */
#define MH_QTY_MEAL 80u
#define MH_QTY_DIET_ENERGY 81u           /* kcal */
#define MH_QTY_DIET_WATER 82u            /* mL */
#define MH_QTY_DIET_CARBOHYDRATES 83u    /* g */
#define MH_QTY_DIET_PROTEIN 84u          /* g */
#define MH_QTY_DIET_FAT 85u              /* g */
#define MH_QTY_DIET_SATURATED_FAT 86u    /* g */
#define MH_QTY_DIET_FIBER 87u            /* g */
#define MH_QTY_DIET_SUGAR 88u            /* g */
#define MH_QTY_DIET_CHOLESTEROL 89u      /* mg */
#define MH_QTY_DIET_SODIUM 90u           /* mg */
#define MH_QTY_DIET_CALCIUM 91u          /* mg */
#define MH_QTY_DIET_IRON 92u             /* mg */
#define MH_QTY_DIET_POTASSIUM 93u        /* mg */
/* Reproductive health: text is the word of the export. */
#define MH_QTY_MENSTRUAL_FLOW 110u
#define MH_QTY_OVULATION_TEST 111u
#define MH_QTY_CERVICAL_MUCUS 112u
#define MH_QTY_SEXUAL_ACTIVITY 113u      /* attribute `protection`: "yes" or "no" */
#define MH_QTY_INTERMENSTRUAL_BLEEDING 114u
/* A summary that the host only compares its own with: attributes `date`, `active_energy`, `exercise`, `stand_hours`. */
#define MH_QTY_ACTIVITY_SUMMARY 120u

/* mh_import_sample.word of MH_QTY_SLEEP, which always has one. */
#define MH_SLEEP_IN_BED 1u
#define MH_SLEEP_ASLEEP 2u /* of no stage that is told */
#define MH_SLEEP_AWAKE 3u
#define MH_SLEEP_CORE 4u /* light */
#define MH_SLEEP_DEEP 5u
#define MH_SLEEP_REM 6u
#define MH_SLEEP_SESSION 7u /* a whole session, whose stages are samples of their own or told by attributes */

/* What the driver is told when it opens; more than mh_talk_open has. */
typedef struct mh_import_open {
  uint32_t struct_size;
  uint32_t reserved;
  mh_talk_open talk;
  /* Only samples that overlap [since_us, until_us) are wanted, microseconds since 1970-01-01T00:00Z; all of them are
   * counted. */
  int64_t since_us;
  int64_t until_us;
  /* Bit MH_QTY_x of word x / 64: whether its samples are wanted. All of them are counted. */
  uint64_t wanted[4];
} mh_import_open;

/* What names stand for (mh_import_name.kind). Samples have indices: a name is put out once, before the first sample
 * that has it, in the same round or an earlier one, and counts for the whole import. Texts are UTF-8; the host shows
 * what is not as U+FFFD. */
/* A type of samples, as the export writes it; `quantity` says what it is. */
#define MH_NAME_TYPE 1u
/* A program or device that wrote samples, as the export names it; `detail` is what it says of the device. */
#define MH_NAME_SOURCE 2u
/* A unit, as the export writes it. */
#define MH_NAME_UNIT 3u
/* The key of an attribute: one of this header's words, or the export's own with a prefix and a colon, such as `hk:`. */
#define MH_NAME_KEY 4u
/* No name, but the place of a source in an order of its own for one category of quantities: `index` is a source that
 * was put out before, `quantity` one of the category, `rank` its place there. The same again replaces it. */
#define MH_NAME_ORDER 5u

/* Flags of a source: what kind of device it is, where the export says so. */
#define MH_SOURCE_WATCH 0x1u
#define MH_SOURCE_PHONE 0x2u
/* What it puts in is a person's: entered by hand. */
#define MH_SOURCE_MANUAL 0x4u

typedef struct mh_import_name {
  uint16_t kind;
  /* Of MH_NAME_TYPE: MH_QTY_*. Of MH_NAME_ORDER: one of the category's. */
  uint16_t quantity;
  /* From 0, without a gap, each kind for itself. */
  uint32_t index;
  /* Of MH_NAME_SOURCE: MH_SOURCE_*. */
  uint32_t flags;
  /* Of MH_NAME_SOURCE, where the export has one order for all quantities that its owner chose, and of MH_NAME_ORDER:
   * from 1, the first counts most; 0: it has none; UINT32_MAX: left out by its owner. */
  uint32_t rank;
  /* Runs of the arena. A name is not empty. `key` of MH_NAME_SOURCE is what makes two spellings one source, such as a
   * package name; of MH_NAME_TYPE what the store itself calls the type, where this export has a name of its own. Empty:
   * the name. `detail` is of MH_NAME_SOURCE. */
  uint32_t text_off, text_len;
  uint32_t key_off, key_len;
  uint32_t detail_off, detail_len;
} mh_import_name;

/* Flags of a sample. */
#define MH_SAMPLE_HAS_VALUE 0x1u
/* Entered by hand. */
#define MH_SAMPLE_MANUAL 0x2u
/* Says nothing by itself, only which samples belong together (a correlation). */
#define MH_SAMPLE_LINK 0x4u
/* Summed up and merged by its source for the whole interval: it replaces what the host would sum up. */
#define MH_SAMPLE_MERGED 0x8u
/* A part of the last sample before it that is no part: an activity of a workout, a stage of a session. The two may lie
 * in different rounds or events. */
#define MH_SAMPLE_PART 0x10u

/* mh_import_sample.utc_offset_s of a sample that has none of its own. */
#define MH_IMPORT_NO_OFFSET INT32_MIN
#define MH_IMPORT_NO_INDEX UINT32_MAX

/* One sample: mantissa * 10^exponent of a unit, from start_us up to end_us, microseconds since 1970-01-01T00:00Z; both
 * are equal for an instant. Without MH_SAMPLE_HAS_VALUE mantissa and exponent are zero. */
typedef struct mh_import_sample {
  int64_t start_us;
  int64_t end_us;
  int64_t mantissa;
  /* When it was written or changed last, 0: unknown. */
  int64_t modified_us;
  int16_t exponent;
  uint16_t flags;
  /* How far its own clock was ahead of UTC, seconds: the zone in which it was measured, never the export's. */
  int32_t utc_offset_s;
  uint32_t type;
  uint32_t source;
  /* MH_IMPORT_NO_INDEX: none. */
  uint32_t unit;
  /* MH_SLEEP_*; 0 where a quantity has no words. */
  uint32_t word;
  /* Runs of the arena: a text value, and a name that the sample has wherever it is exported, such as a UUID. */
  uint32_t text_off, text_len;
  uint32_t id_off, id_len;
  /* The run of its attributes. The runs follow each other as the samples do, and no attribute is left over. */
  uint32_t first_attribute, n_attributes;
  /* Where it stands in the source, for a report: the offset in what was inflated. */
  uint64_t place;
} mh_import_sample;

/* Keys of attributes that the host reads; the texts of all others are kept and mean nothing to it. Numbers have a unit
 * that the host knows.
 *   any sample         time_zone: the name of a zone
 *   workout            duration, distance, energy_active, energy_basal, energy_total, heart_rate_average,
 *                      heart_rate_minimum, heart_rate_maximum; total_distance: of a summary, distance is measured.
 *                      A part of it with the text "pause" is a pause, any other an activity
 *   session of sleep   in_bed, awake, core, deep, rem; asleep: of no stage that is told; total: asleep altogether
 *   day of a series    date (text YYYY-MM-DD), steps, distance_walking, distance_cycling, floors, energy_active,
 *                      energy_basal, energy_total, exercise
 *   summary            date, active_energy, exercise, stand_hours
 *   blood pressure     systolic, diastolic
 *   meal               energy, water, carbohydrates, protein, fat, saturated_fat, fiber, sugar, cholesterol, sodium,
 *                      calcium, iron, potassium; food and meal: texts
 *   glucose            meal: "before", "after" or "fasting"
 *   heart rate         min, max: of what an average was made of; motion_context: it was measured in the background
 *   sexual activity    protection: "yes" or "no"
 */

/* One attribute: a number with a unit, or a text. Without MH_SAMPLE_HAS_VALUE mantissa and exponent are zero. */
typedef struct mh_import_attribute {
  int64_t mantissa;
  /* Of MH_NAME_KEY. */
  uint32_t key;
  /* MH_IMPORT_NO_INDEX: none. */
  uint32_t unit;
  int16_t exponent;
  /* MH_SAMPLE_HAS_VALUE: a number. */
  uint16_t flags;
  uint32_t text_off, text_len;
  uint32_t reserved;
} mh_import_attribute;

/* Why a sample of the export is none (mh_import_refusal.reason). */
#define MH_REFUSED_TIME 1u       /* unreadable, or its start behind its end */
#define MH_REFUSED_VALUE 2u      /* no number, or none where one belongs */
#define MH_REFUSED_TOO_LONG 3u   /* longer than an element may be */
#define MH_REFUSED_DAMAGED 4u    /* in a part whose check sum is wrong */
#define MH_REFUSED_FORM 5u       /* not what the format allows */
#define MH_REFUSED_SENTINEL 6u   /* the export's word for nothing */

/* So many samples of a type were refused, 1 to UINT32_MAX, the first at a place. Counts of one event only. */
typedef struct mh_import_refusal {
  uint32_t reason;
  /* MH_IMPORT_NO_INDEX: of no type that is known. */
  uint32_t type;
  uint64_t count;
  uint64_t place;
} mh_import_refusal;

/* So many samples of a type were read, 1 to UINT32_MAX, wanted or not. Counts of one event only. */
typedef struct mh_import_count {
  uint32_t type;
  uint32_t reserved;
  uint64_t count;
} mh_import_count;

/* Of mh_import_sink.flags: something is missing or damaged, so that sums may be too low. Stays once it was said. */
#define MH_IMPORT_PARTIAL 0x1u

/* Where a unit goes: host-owned arrays, borrowed for the call. What does not fit whole is left for the next round, with
 * MH_E_FULL (rule R13). Runs are those of the round: an arena ends with it. */
typedef struct mh_import_sink {
  uint32_t struct_size;
  uint32_t reserved;
  mh_import_name *names;
  uint64_t n_names, cap_names;
  mh_import_sample *samples;
  uint64_t n_samples, cap_samples;
  mh_import_attribute *attributes;
  uint64_t n_attributes, cap_attributes;
  mh_import_count *counts;
  uint64_t n_counts, cap_counts;
  mh_import_refusal *refusals;
  uint64_t n_refusals, cap_refusals;
  uint8_t *arena;
  uint64_t n_arena, cap_arena;
  /* When the export was written, microseconds since 1970-01-01T00:00Z; 0: this round does not say. */
  int64_t exported_us;
  /* MH_IMPORT_*. */
  uint64_t flags;
  /* As of mh_talk_sink. Any other action than MH_TALK_PULL, MH_TALK_DONE and MH_TALK_FAIL is MH_E_UNSUPPORTED. */
  int32_t (*act)(void *ctx, const mh_talk_action *action);
  void *ctx;
} mh_import_sink;

/* A place in a sink, to go back to. */
typedef struct mh_import_mark {
  uint64_t n_names;
  uint64_t n_samples;
  uint64_t n_attributes;
  uint64_t n_arena;
} mh_import_mark;

/* Where a sink stands, before a sample is put in that may not fit with all its attributes. */
static inline mh_import_mark mh_import_here(const mh_import_sink *sink) {
  const mh_import_mark mark = {sink->n_names, sink->n_samples, sink->n_attributes, sink->n_arena};
  return mark;
}

/* Takes out what was put in since then. Returns MH_E_FULL, which is why. */
static inline int32_t mh_import_back(mh_import_sink *sink, mh_import_mark mark) {
  sink->n_names = mark.n_names;
  sink->n_samples = mark.n_samples;
  sink->n_attributes = mark.n_attributes;
  sink->n_arena = mark.n_arena;
  return MH_E_FULL;
}

/* Puts a text into the arena, for which there must be room. */
static inline void mh_import_copy(mh_import_sink *sink, mh_str text, uint32_t *offset, uint32_t *length) {
  for (uint64_t i = 0; i < text.n; i++) sink->arena[sink->n_arena + i] = (uint8_t)text.p[i];
  *offset = text.n > 0 ? (uint32_t)sink->n_arena : 0;
  *length = (uint32_t)text.n;
  sink->n_arena += text.n;
}

/* Puts out a name with its texts, or returns MH_E_FULL with the sink unchanged. MH_E_ARG: a text is too long. The runs
 * are filled in here. */
static inline int32_t mh_import_add_name(mh_import_sink *sink, const mh_import_name *name, mh_str text, mh_str key,
                                         mh_str detail) {
  const uint64_t most = MH_IMPORT_TEXT_MAX;
  if (text.n > most || key.n > most || detail.n > most) return MH_E_ARG;
  if (sink->n_names >= sink->cap_names || text.n + key.n + detail.n > sink->cap_arena - sink->n_arena) return MH_E_FULL;
  mh_import_name *slot = &sink->names[sink->n_names];
  *slot = *name;
  mh_import_copy(sink, text, &slot->text_off, &slot->text_len);
  mh_import_copy(sink, key, &slot->key_off, &slot->key_len);
  mh_import_copy(sink, detail, &slot->detail_off, &slot->detail_len);
  sink->n_names += 1;
  return MH_OK;
}

/* Puts out a sample with its text and id, or returns MH_E_FULL with the sink unchanged. MH_E_ARG: a text is too long.
 * The runs are filled in here; the attributes follow. */
static inline int32_t mh_import_add_sample(mh_import_sink *sink, const mh_import_sample *sample, mh_str text,
                                           mh_str id) {
  if (text.n > MH_IMPORT_TEXT_MAX || id.n > MH_IMPORT_TEXT_MAX) return MH_E_ARG;
  if (sink->n_samples >= sink->cap_samples || text.n + id.n > sink->cap_arena - sink->n_arena) return MH_E_FULL;
  mh_import_sample *slot = &sink->samples[sink->n_samples];
  *slot = *sample;
  mh_import_copy(sink, text, &slot->text_off, &slot->text_len);
  mh_import_copy(sink, id, &slot->id_off, &slot->id_len);
  slot->first_attribute = (uint32_t)sink->n_attributes;
  slot->n_attributes = 0;
  sink->n_samples += 1;
  return MH_OK;
}

/* Gives the sample that was put out last an attribute, or returns MH_E_FULL with the sink unchanged: then the sample
 * does not fit, and mh_import_back takes it out. MH_E_ARG: the text is too long, or there is no sample. */
static inline int32_t mh_import_add_attribute(mh_import_sink *sink, const mh_import_attribute *attribute, mh_str text) {
  if (sink->n_samples == 0 || text.n > MH_IMPORT_TEXT_MAX) return MH_E_ARG;
  if (sink->n_attributes >= sink->cap_attributes || text.n > sink->cap_arena - sink->n_arena) return MH_E_FULL;
  mh_import_attribute *slot = &sink->attributes[sink->n_attributes];
  *slot = *attribute;
  mh_import_copy(sink, text, &slot->text_off, &slot->text_len);
  sink->n_attributes += 1;
  sink->samples[sink->n_samples - 1].n_attributes += 1;
  return MH_OK;
}

/* Says how many samples of a type the event has read, or returns MH_E_FULL with the sink unchanged. */
static inline int32_t mh_import_add_count(mh_import_sink *sink, uint32_t type, uint32_t count) {
  if (count == 0) return MH_OK;
  if (sink->n_counts >= sink->cap_counts) return MH_E_FULL;
  const mh_import_count row = {type, 0, count};
  sink->counts[sink->n_counts] = row;
  sink->n_counts += 1;
  return MH_OK;
}

/* Says that a sample was refused, or returns MH_E_FULL with the sink unchanged. Refusals of one reason and type are one
 * row of the round. */
static inline int32_t mh_import_add_refusal(mh_import_sink *sink, uint32_t reason, uint32_t type, uint64_t place) {
  for (uint64_t i = 0; i < sink->n_refusals; i++) {
    if (sink->refusals[i].reason != reason || sink->refusals[i].type != type) continue;
    sink->refusals[i].count += 1;
    return MH_OK;
  }
  if (sink->n_refusals >= sink->cap_refusals) return MH_E_FULL;
  const mh_import_refusal row = {reason, type, 1, place};
  sink->refusals[sink->n_refusals] = row;
  sink->n_refusals += 1;
  return MH_OK;
}

typedef struct mh_import {
  uint32_t struct_size;
  uint32_t reserved;
  /* As of mh_conversation, with MH_E_UNSUPPORTED from `open` for a source that this driver does not read. */
  int32_t (*open)(const mh_import_open *opening, mh_talk **out);
  int32_t (*event)(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink);
  void (*close)(mh_talk *talk);
} mh_import;

#ifdef __cplusplus
}
#endif
#endif
