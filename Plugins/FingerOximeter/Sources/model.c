#include "model.h"

#define SIG(high, low) \
  { \
    { 0, 0, high, low, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5f, 0x9b, 0x34, 0xfb } \
  }
/* The serial port of Microchip's modules: printers and mowers have it too. */
#define MICROCHIP(...) \
  { \
    { 0x49, 0x53, 0x53, 0x43, __VA_ARGS__ } \
  }
#define JUMPER(last) \
  { \
    { 0xcd, 0xea, 0xcb, last, 0x52, 0x35, 0x4c, 0x07, 0x88, 0x46, 0x93, 0xa3, 0x7e, 0xe6, 0xb8, 0x6d } \
  }
/* The serial port of Nordic's examples. */
#define NORDIC(last) \
  { \
    { 0x6e, 0x40, 0x00, last, 0xb5, 0xa3, 0xf3, 0x93, 0xe0, 0xa9, 0xe5, 0x0e, 0x24, 0xdc, 0xca, 0x9e } \
  }

static const fo_model models[] = {
    {.service = MICROCHIP(0xfe, 0x7d, 0x4a, 0xe5, 0x8f, 0xa9, 0x9f, 0xaf, 0xd2, 0x05, 0xe4, 0x55),
     .notify = MICROCHIP(0x1e, 0x4d, 0x4b, 0xd9, 0xba, 0x61, 0x23, 0xc6, 0x47, 0x24, 0x96, 0x16),
     .characteristic = 0x8001,
     .saturation_min = 35,
     .pulse_min = 25,
     .pulse_max = 250,
     .measure = fo_bci_measure,
     .read = fo_bci_read},
    {.service = JUMPER(0x80),
     .notify = JUMPER(0x81),
     .characteristic = 0x8002,
     .saturation_min = 35,
     .pulse_min = 25,
     .pulse_max = 250,
     .is_packet = 1,
     .measure = fo_jumper_measure,
     .read = fo_jumper_read},
    {.service = NORDIC(0x01),
     .notify = NORDIC(0x03),
     .characteristic = 0x8003,
     .saturation_min = 1,
     .pulse_min = 1,
     .pulse_max = 300,
     .measure = fo_lepu_measure,
     .read = fo_lepu_read},
    /* A meter of a later protocol turns bits of every number over (exclusive or with 56): a true saturation of 64 % to
     * 100 % is then always below 64, so that no such number is believed until the meter has said what it speaks. */
    {.service = SIG(0xff, 0x12),
     .notify = SIG(0xff, 0x02),
     .write = SIG(0xff, 0x01),
     .characteristic = 0xff02,
     .saturation_min = 1,
     .pulse_min = 1,
     .pulse_max = 254,
     .saturation_unsure_min = 64,
     .measure = fo_contec_measure,
     .read = fo_contec_read,
     .ask = {{0x82, 0x02}, 2},
     .start = {{0x9b, 0x01, 0x1c}, 3},
     .keep_alive = {{0x9a, 0x1a}, 2}},
    {.service = SIG(0xff, 0xe0),
     .notify = SIG(0xff, 0xe4),
     .characteristic = 0xffe4,
     .saturation_min = 1,
     .pulse_min = 1,
     .pulse_max = 254,
     .measure = fo_viatom_measure,
     .read = fo_viatom_read},
    {.service = SIG(0xff, 0xe0),
     .notify = SIG(0xff, 0xe4),
     .characteristic = 0xffe4,
     .saturation_min = 1,
     .pulse_min = 1,
     .pulse_max = 254,
     .is_plain_sum = 1,
     .measure = fo_yuwell_measure,
     .read = fo_viatom_read},
};

const fo_model *fo_model_at(uint32_t index) {
  return index < sizeof models / sizeof models[0] ? &models[index] : NULL;
}

int fo_is_set(const mh_open *opening, uint32_t name) {
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == name && opening->params[i].type == MH_PARAM_TYPE_INTEGER) return opening->params[i].i != 0;
  return 0;
}

const fo_model *fo_model_by_characteristic(uint16_t characteristic, int is_plain_sum) {
  const fo_model *model;
  for (uint32_t i = 0; (model = fo_model_at(i)) != NULL; i++)
    if (model->characteristic == characteristic && model->is_plain_sum == is_plain_sum) return model;
  return NULL;
}

int fo_model_shows(const fo_model *model, const fo_value *value, int is_sure) {
  if (value->saturation < model->saturation_min || value->saturation > 100) return 0;
  if (!is_sure && value->saturation < model->saturation_unsure_min) return 0;
  /* All of them send 255 for a pulse that is missing, or 511. */
  return value->pulse >= model->pulse_min && value->pulse <= model->pulse_max && value->pulse != 255;
}
