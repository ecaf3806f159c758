#include "reading.h"

namespace taidoc {

/* Bits 2 to 5 of the last byte: what a multi-analyte meter measured. */
enum class Analyte : uint8_t {
  Glucose = 0,
  Hematocrit = 6,
  Ketone = 7,
  UricAcid = 8,
  Cholesterol = 9,
  Hemoglobin = 11,
  Lactate = 12,
};

constexpr uint8_t analyte_bits = 0x3c;
/* Bits 6 and 7 of the last byte of a blood test: none, before a meal, after a meal, control solution. */
constexpr uint8_t mark_bits = 0xc0;
constexpr uint8_t mark_before = 0x40;
constexpr uint8_t mark_after = 0x80;
constexpr uint8_t mark_control = 0xc0;
/* Bit 6 of the minute of a blood pressure's time: irregular heartbeat. */
constexpr uint8_t irregular_bit = 0x40;
/* Bit 2 of the Blood Pressure Measurement's status (GATT Specification Supplement 3.31): irregular pulse. */
constexpr int64_t status_irregular = 4;

constexpr uint32_t values_max = 5;

/* The values of a reading as they are put together. */
struct Values {
  mh_value v[values_max];
  uint16_t n;
  uint32_t flags;
};

/* Exact operands and one division: the nearest double. */
static void add(Values &values, uint32_t metric, uint32_t unit, int64_t raw, int exponent, uint16_t flags = 0) {
  double divisor = 1;
  for (int i = exponent; i < 0; i++) divisor *= 10;
  mh_value value = {};
  value.metric = static_cast<uint16_t>(metric);
  value.unit = static_cast<uint16_t>(unit);
  value.exp10 = static_cast<int8_t>(exponent);
  value.flags = flags;
  value.value = static_cast<double>(raw) / divisor;
  value.raw = raw;
  values.v[values.n++] = value;
}

/* Adds raw x 10^exponent if it lies in what the dictionary calls plausible; no meter of this kind shows anything else, and
 * the fillers 0 and FFFF lie outside. */
static bool add_within(Values &values, uint32_t metric, uint32_t unit, uint16_t raw, int exponent, int least,
                       int greatest) {
  int scale = exponent == 0 ? 1 : exponent == -1 ? 10 : 100;
  if (raw < least * scale || raw > greatest * scale) return false;
  add(values, metric, unit, raw, exponent);
  return true;
}

static bool read_glucose(const Payload &value, Values &values) {
  uint8_t mark = value.d[3] & mark_bits;
  if (mark == mark_control) values.flags |= MH_REC_CONTROL;
  uint32_t metric = mark == mark_control ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE;
  if (!add_within(values, metric, MH_UNIT_MG_PER_DL, low_word(value), 0, 10, 1000)) return false;
  if (mark == mark_before || mark == mark_after)
    add(values, MH_METRIC_RELATIONSHIP_TO_MEAL, MH_UNIT_NONE, mark == mark_before ? 1 : 2, 0);
  return true;
}

/* raw / 30 mmol/L. A multiple of three is a decimal fraction and exact; others are rounded to hundredths, which is finer
 * than the tenth that the meter shows. */
static bool read_ketone(uint16_t raw, Values &values) {
  if (raw == 0 || raw > 20 * 30) return false;
  if (raw % 3 == 0)
    add(values, MH_METRIC_BLOOD_KETONE, MH_UNIT_MMOL_PER_L, raw / 3, -1);
  else
    add(values, MH_METRIC_BLOOD_KETONE, MH_UNIT_MMOL_PER_L, (raw * 10 + 1) / 3, -2, MH_VALUE_ROUNDED);
  return true;
}

static bool read_multi(const Payload &value, Values &values) {
  Analyte analyte = static_cast<Analyte>((value.d[3] & analyte_bits) >> 2);
  uint16_t raw = low_word(value);
  /* The dictionary has a metric for control solution in place of glucose only; of the others nothing is told. */
  if (analyte != Analyte::Glucose && (value.d[3] & mark_bits) == mark_control) return false;
  switch (analyte) {
  case Analyte::Glucose: return read_glucose(value, values);
  case Analyte::Hematocrit: return add_within(values, MH_METRIC_HEMATOCRIT, MH_UNIT_PERCENT, raw, 0, 10, 75);
  case Analyte::Ketone: return read_ketone(raw, values);
  case Analyte::UricAcid: return add_within(values, MH_METRIC_URIC_ACID, MH_UNIT_MG_PER_DL, raw, -1, 1, 30);
  case Analyte::Cholesterol: return add_within(values, MH_METRIC_TOTAL_CHOLESTEROL, MH_UNIT_MG_PER_DL, raw, 0, 50, 600);
  case Analyte::Hemoglobin: return add_within(values, MH_METRIC_HEMOGLOBIN, MH_UNIT_G_PER_DL, raw, -1, 3, 25);
  case Analyte::Lactate: return add_within(values, MH_METRIC_BLOOD_LACTATE, MH_UNIT_MG_PER_DL, raw, 0, 1, 250);
  }
  return false;
}

/* Systolic, [mean], diastolic, pulse. The public sources differ on the second byte: the upper half of a 16-bit systolic
 * pressure (advmeds, D40) or the mean pressure (foraBP.c). 0 and 1 can only be the first, from 20 on only the second. */
static bool read_pressure(const Payload &value, const Payload &time, Values &values) {
  uint16_t systolic = value.d[1] <= 1 ? low_word(value) : value.d[0];
  uint16_t mean = value.d[1] <= 1 ? 0 : value.d[1], diastolic = value.d[2], pulse = value.d[3];
  /* FFFF in the place of a 16-bit pressure is none. */
  if (low_word(value) == 0xffff || diastolic >= systolic || (mean != 0 && (mean < diastolic || mean > systolic)))
    return false;
  if (!add_within(values, MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, systolic, 0, 30, 300) ||
      !add_within(values, MH_METRIC_DIASTOLIC, MH_UNIT_MMHG, diastolic, 0, 20, 200))
    return false;
  if (mean != 0) add(values, MH_METRIC_MEAN_ARTERIAL_PRESSURE, MH_UNIT_MMHG, mean, 0);
  /* Small numbers in place of a pulse are codes of errors (advmeds: 0 to 3 is no result). A byte with all bits set is none: the
   * pressures stand without it. */
  if (pulse != 0xff && !add_within(values, MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, pulse, 0, 20, 300)) return false;
  if ((time.d[2] & irregular_bit) != 0) add(values, MH_METRIC_BLOOD_PRESSURE_STATUS, MH_UNIT_NONE, status_irregular, 0);
  return true;
}

static bool read_temperature(const Payload &value, Values &values) {
  uint16_t raw = low_word(value);
  return add_within(values, MH_METRIC_BODY_TEMPERATURE, MH_UNIT_CELSIUS, raw, raw >= 1000 ? -2 : -1, 25, 45);
}

static bool read_values(const Meter &meter, const Entry &entry, Values &values) {
  switch (meter.kind) {
  /* A meter for glucose alone that names another analyte is not what the registry takes it for. */
  case MeterKind::Glucose: return (entry.value.d[3] & analyte_bits) == 0 && read_glucose(entry.value, values);
  case MeterKind::BloodPressure: return read_pressure(entry.value, entry.time, values);
  case MeterKind::Thermometer: return read_temperature(entry.value, values);
  case MeterKind::MultiAnalyte: return read_multi(entry.value, values);
  case MeterKind::Unknown: break;
  }
  return false;
}

static int64_t integer_parameter(const mh_open &opening, uint16_t name) {
  for (uint32_t i = 0; opening.params != nullptr && i < opening.n_params; i++)
    if (opening.params[i].name == name && opening.params[i].type == MH_PARAM_TYPE_INTEGER) return opening.params[i].i;
  return 0;
}

Meter meter_of(const mh_open &opening) {
  int64_t kind = integer_parameter(opening, parameter_meter_kind);
  int64_t user = integer_parameter(opening, MH_PARAM_USER_SLOT);
  Meter meter = {};
  if (kind >= 1 && kind <= 4) meter.kind = static_cast<MeterKind>(kind);
  if (user >= 0 && user <= 255) meter.user = static_cast<uint8_t>(user);
  meter.has_no_clock = integer_parameter(opening, MH_PARAM_NO_CLOCK) != 0;
  return meter;
}

Identity identity_of(const Meter &meter, const Entry &entry) {
  Identity identity = {};
  for (uint32_t i = 0; i < payload_size; i++) {
    identity.b[i] = meter.has_no_clock ? 0 : entry.time.d[i];
    identity.b[4 + i] = entry.value.d[i];
  }
  if (meter.kind == MeterKind::BloodPressure) return identity;
  identity.b[6] = identity.b[7] = 0;
  if (meter.kind == MeterKind::Thermometer) return identity;
  identity.b[7] = entry.value.d[3] & analyte_bits;
  identity.b[8] = (entry.value.d[3] & mark_bits) == mark_control ? 1 : 0;
  return identity;
}

bool has_time(const Meter &meter, const Entry &entry) {
  int64_t unused = 0;
  return !meter.has_no_clock && civil_time(entry.time, &unused);
}

bool is_reading(const Meter &meter, const Entry &entry) {
  Values values = {};
  return read_values(meter, entry, values);
}

int32_t emit_reading(const Meter &meter, const Entry &entry, uint32_t flags, mh_sink *sink) {
  Values values = {};
  if (!read_values(meter, entry, values)) return MH_E_NO_VALUE;
  mh_record record = {};
  record.kind = MH_KIND_MEASUREMENT;
  record.flags = values.flags | flags;
  /* Slot 0 is what a meter without users answers to. */
  if (meter.user != 0) record.flags |= MH_REC_USER;
  record.device_user = meter.user;
  record.device_seq = MH_SEQ_NONE;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  record.ident_class = MH_IDENT_LIVE;
  uint16_t ident_len = 0;
  if (!meter.has_no_clock) {
    if (civil_time(entry.time, &record.t_us)) {
      record.time_kind = MH_TIME_CIVIL;
      record.end_us = record.t_us;
      record.ident_class = MH_IDENT_STORED;
      ident_len = sizeof(Identity::b);
    } else {
      record.flags |= MH_REC_CLOCK_SUSPECT;
    }
  }
  Identity identity = identity_of(meter, entry);
  return mh_sink_record(sink, &record, values.v, values.n, identity.b, ident_len);
}

} // namespace taidoc
