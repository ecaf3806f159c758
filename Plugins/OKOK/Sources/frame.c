#include "frame.h"

#define C0_LENGTH 13u
#define V20_LENGTH 19u
#define V11_LENGTH 23u
#define F0_LENGTH 18u

/* The properties byte of C0 and 1.1: decimals in bits 1 and 2, unit in bits 3 and 4. Bit 0 of C0 says that the number stands. */
#define FINAL 0x01u
#define DECIMALS(properties) ((properties) >> 1 & 3u)
#define UNIT(properties) ((properties) >> 3 & 3u)
/* Bits 5 to 7: what every frame of the dialect has there. */
#define TOP 0xe0u
#define C0_TOP 0x20u

enum unit { UNIT_KILOGRAM, UNIT_JIN, UNIT_POUND, UNIT_STONE };

/* Of 2.0 only these bits were ever seen, always in kilograms. */
#define V20_TWO_DECIMALS 0x04u
#define V20_KNOWN (FINAL | V20_TWO_DECIMALS)

/* Head and kind of meter of 1.1: fifteen bytes follow, of a scale for people. */
#define V11_HEAD 0x0fu
#define V11_BODY_SCALE 0x01u

/* Below this nobody stands there: scales send leftovers of less than 2 kg when they are left. Above it no scale for people goes. */
#define LEAST_GRAMS 2000
#define GREATEST_GRAMS 300000
#define POUNDS_A_STONE 14

static uint16_t big(const uint8_t *p) { return (uint16_t)((uint16_t)p[0] << 8 | (uint16_t)p[1]); }

static uint8_t exclusive_or(uint8_t seed, const uint8_t *p, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) seed ^= p[i];
  return seed;
}

int okok_frame_is(uint16_t company) {
  return company == OKOK_V20 || company == OKOK_V11 || company == OKOK_F0 || (company & 0xffu) == OKOK_C0;
}

static int32_t none(okok_frame *frame, enum okok_reason reason) {
  frame->reason = (uint8_t)reason;
  return MH_E_NO_VALUE;
}

int32_t okok_frame_weigh(okok_frame *frame) {
  int32_t grams = okok_frame_grams(frame);
  return grams < LEAST_GRAMS || grams > GREATEST_GRAMS ? none(frame, OKOK_EMPTY) : MH_OK;
}

/* Stones and pounds, a byte each, the pounds with the decimals: in pounds they keep their digits. */
static int32_t stones(okok_frame *frame, const uint8_t *weight) {
  int32_t tenths = weight[1];
  if (frame->exp10 != -1 || tenths >= POUNDS_A_STONE * 10) return none(frame, OKOK_STRANGE);
  frame->raw = (int32_t)weight[0] * POUNDS_A_STONE * 10 + tenths;
  frame->is_pound = frame->is_doubtful = 1;
  return okok_frame_weigh(frame);
}

/* The weight of C0 and 1.1 in the unit and with the decimals of their properties. */
static int32_t measure(okok_frame *frame, const uint8_t *weight, uint8_t properties) {
  static const int8_t exponents[] = {-1, 0, -2};
  if (big(weight) == 0) return none(frame, OKOK_EMPTY);
  if (DECIMALS(properties) > 2) return none(frame, OKOK_STRANGE);
  frame->exp10 = exponents[DECIMALS(properties)];
  frame->raw = big(weight);
  switch (UNIT(properties)) {
    case UNIT_KILOGRAM: frame->is_doubtful = frame->exp10 == 0; break;
    case UNIT_POUND:
      /* Programs disagree about the decimals of pounds, but for one. */
      if (frame->exp10 != -1) return none(frame, OKOK_STRANGE);
      frame->is_pound = 1;
      break;
    case UNIT_JIN:
      /* A jin is half a kilogram: its half has one digit more. */
      frame->raw *= 5;
      frame->exp10--;
      frame->is_doubtful = 1;
      break;
    default: return stones(frame, weight);
  }
  return okok_frame_weigh(frame);
}

static int32_t read_c0(mh_bytes data, uint16_t company, okok_frame *frame) {
  if (data.n != C0_LENGTH || (data.p[6] & TOP) != C0_TOP) return MH_E_PROTOCOL;
  frame->has_counter = 1;
  frame->counter = (uint8_t)(company >> 8);
  frame->is_final = (data.p[6] & FINAL) != 0;
  return measure(frame, data.p, data.p[6]);
}

static int32_t read_v20(mh_bytes data, okok_frame *frame) {
  if (data.n != V20_LENGTH || exclusive_or(OKOK_V20 >> 8, data.p, 12) != data.p[12]) return MH_E_PROTOCOL;
  uint8_t properties = data.p[6];
  frame->has_counter = 1;
  frame->counter = data.p[7];
  frame->is_final = (properties & FINAL) != 0;
  if ((properties & ~V20_KNOWN) != 0) return none(frame, OKOK_STRANGE);
  frame->raw = big(data.p + 8);
  frame->exp10 = properties & V20_TWO_DECIMALS ? -2 : -1;
  return okok_frame_weigh(frame);
}

static int32_t read_v11(mh_bytes data, okok_frame *frame) {
  if (data.n != V11_LENGTH || data.p[0] != V11_HEAD ||
      exclusive_or((OKOK_V11 & 0xffu) ^ (OKOK_V11 >> 8), data.p, 16) != data.p[16])
    return MH_E_PROTOCOL;
  frame->is_final = (data.p[1] & FINAL) != 0;
  if (data.p[2] != V11_BODY_SCALE || (data.p[9] & TOP) != 0) return none(frame, OKOK_STRANGE);
  return measure(frame, data.p + 3, data.p[9]);
}

static int32_t read_f0(mh_bytes data, okok_frame *frame) {
  /* All that were seen begin with these two; what they mean is not known. */
  if (data.n != F0_LENGTH || data.p[0] != 0x02 || data.p[1] != 0x04) return MH_E_PROTOCOL;
  frame->raw = (int32_t)((uint32_t)data.p[2] | (uint32_t)data.p[3] << 8);
  frame->exp10 = -1;
  frame->needs_rest = frame->is_doubtful = 1;
  return okok_frame_weigh(frame);
}

int32_t okok_frame_read(uint16_t company, mh_bytes data, okok_frame *frame) {
  *frame = (okok_frame){.dialect = (uint8_t)company};
  if (!okok_frame_is(company)) return MH_E_UNSUPPORTED;
  if (data.p == NULL) return MH_E_PROTOCOL;
  if (company == OKOK_V11) {
    /* 1.1 and 2.0 begin with the same byte. */
    frame->dialect = OKOK_V11 >> 8;
    return read_v11(data, frame);
  }
  if (company == OKOK_V20) return read_v20(data, frame);
  return company == OKOK_F0 ? read_f0(data, frame) : read_c0(data, company, frame);
}

int okok_frame_find(mh_bytes advertisement, uint16_t *company, mh_bytes *data) {
  if (advertisement.p == NULL) return 0;
  for (uint64_t at = 0; at < advertisement.n;) {
    uint64_t length = advertisement.p[at];
    const uint8_t *structure = advertisement.p + at + 1;
    if (length == 0 || length > advertisement.n - at - 1) return 0;
    if (length >= 3 && structure[0] == MH_AD_MANUFACTURER_DATA) {
      *company = (uint16_t)((unsigned)structure[1] | (unsigned)structure[2] << 8);
      *data = (mh_bytes){structure + 3, length - 3};
      if (okok_frame_is(*company)) return 1;
    }
    at += 1 + length;
  }
  return 0;
}

int32_t okok_frame_grams(const okok_frame *frame) {
  int64_t grams = frame->raw;
  for (int exponent = frame->exp10; exponent > -3; exponent--) grams *= 10;
  /* 1 lb is 0.45359237 kg. */
  return (int32_t)(frame->is_pound ? grams * 45359237 / 100000000 : grams);
}

int32_t okok_frame_emit(const okok_frame *frame, mh_sink *sink) {
  static const double divisors[] = {1, 10, 100, 1000};
  mh_value value = {.metric = MH_METRIC_BODY_WEIGHT,
                    .unit = frame->is_pound ? MH_UNIT_POUND : MH_UNIT_KILOGRAM,
                    .exp10 = frame->exp10,
                    .value = frame->raw / divisors[-frame->exp10],
                    .raw = frame->raw};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (!frame->is_final)
    record.flags = MH_REC_PROVISIONAL;
  else if (frame->is_doubtful)
    record.flags = MH_REC_HELD;
  return mh_sink_record(sink, &record, &value, 1, NULL, 0);
}
