#include "sample.h"

/* What an answer of the second generation calls success, and its state while it measures: 0 idle, 1 preparing, 3 finished. */
#define CARRIED_OUT 1u
#define MEASURING 2u
/* 0, 127 and 255 are fillers of the saturation, 255 and 511 of the pulse; no heart beats faster than this. */
#define PULSE_MAX 300u
/* A perfusion index above a fifth is none that these sensors show. */
#define INDEX_MAX 200u

static uint16_t two_bytes(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

int wellue_is_answer(const wellue_protocol *protocol, const wellue_frame *frame) {
  return protocol->names_command ? frame->code == protocol->live && frame->first == CARRIED_OUT : frame->code == 0;
}

/* The layout that the frame's length belongs to, or NULL. */
static const wellue_layout *layout_of(const wellue_protocol *protocol, const wellue_frame *frame) {
  for (uint32_t i = 0; i < 2; i++) {
    const wellue_layout *layout = &protocol->layouts[i];
    if (layout->longest == 0 || frame->length < layout->shortest || frame->length > layout->longest) continue;
    if (layout->wave == WELLUE_NONE) return layout;
    /* The head ends with the length of the waveform. */
    uint16_t head = (uint16_t)(layout->wave + 2);
    return head + two_bytes(frame->payload + layout->wave) == frame->length ? layout : NULL;
  }
  return NULL;
}

int32_t wellue_sample_read(const wellue_protocol *protocol, const wellue_frame *frame, wellue_sample *out) {
  if (!wellue_is_answer(protocol, frame)) return MH_E_NO_VALUE;
  if (protocol->names_command && frame->length < protocol->layouts[0].shortest) return MH_E_PROTOCOL;
  const wellue_layout *layout = layout_of(protocol, frame);
  if (layout == NULL) return MH_E_NO_VALUE;
  const uint8_t *bytes = frame->payload;
  if ((bytes[layout->contact] & layout->contact_mask) != 1) return MH_E_NO_VALUE;
  if (layout->run != WELLUE_NONE && bytes[layout->run] != MEASURING) return MH_E_NO_VALUE;
  uint8_t saturation = bytes[layout->saturation], battery = bytes[layout->battery];
  uint8_t index = layout->index != WELLUE_NONE ? bytes[layout->index] : 0;
  uint8_t movement = layout->movement != WELLUE_NONE ? bytes[layout->movement] : 0;
  uint16_t pulse = two_bytes(bytes + layout->pulse);
  /* Without a pulse there is no saturation: both or none. */
  if (saturation == 0 || saturation > 100) return MH_E_NO_VALUE;
  if (pulse == 0 || pulse == UINT8_MAX || pulse > PULSE_MAX) return MH_E_NO_VALUE;
  *out = (wellue_sample){.pulse = pulse,
                         .saturation = saturation,
                         .index = index <= INDEX_MAX ? index : 0,
                         .battery = battery <= 100 ? battery : 0,
                         /* 255: the sensor of movement says nothing. */
                         .is_moving = movement != 0 && movement != UINT8_MAX};
  return MH_OK;
}

static mh_value whole(uint16_t metric, uint16_t unit, uint16_t number) {
  return (mh_value){.metric = metric, .unit = unit, .value = number, .raw = number};
}

static const mh_record blank = {
    .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN, .ident_class = MH_IDENT_LIVE};

int32_t wellue_sample_put(const wellue_sample *sample, int is_provisional, mh_sink *sink) {
  mh_value values[3] = {whole(MH_METRIC_SPO2, MH_UNIT_PERCENT, sample->saturation),
                        whole(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, sample->pulse)};
  uint16_t n_values = 2;
  if (sample->index != 0)
    values[n_values++] = (mh_value){.metric = MH_METRIC_PULSE_AMPLITUDE_INDEX,
                                    .unit = MH_UNIT_PERCENT,
                                    .exp10 = -1,
                                    .value = sample->index / 10.0,
                                    .raw = sample->index};
  mh_record record = blank;
  record.kind = MH_KIND_MEASUREMENT;
  record.flags = is_provisional ? MH_REC_PROVISIONAL : 0;
  return mh_sink_record(sink, &record, values, n_values, NULL, 0);
}

int32_t wellue_battery_put(uint8_t percent, mh_sink *sink) {
  mh_value level = whole(MH_METRIC_BATTERY_LEVEL, MH_UNIT_PERCENT, percent);
  mh_record record = blank;
  record.kind = MH_KIND_DEVICE_INFO;
  return mh_sink_record(sink, &record, &level, 1, NULL, 0);
}
