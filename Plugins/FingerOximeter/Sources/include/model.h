/* The oximeters that this driver knows, as data: where their values come, how a packet is found among the bytes, what it
 * says, and what has to be written so that they come at all. */
#ifndef FINGER_OXIMETER_MODEL_H
#define FINGER_OXIMETER_MODEL_H

#include "value.h"

/* The longest packet of any model. */
#define FO_PACKET_MAX 40u
#define FO_COMMAND_MAX 4u
/* Parameter of a meter that is not asked which protocol it speaks, because nobody knows what it makes of the question. */
#define FO_PARAM_NO_QUESTION (MH_PARAM_VENDOR + 0u)
/* ...and of one whose packets end with the plain sum, where another maker's with the same characteristic do not. */
#define FO_PARAM_PLAIN_SUM (MH_PARAM_VENDOR + 1u)

/* What a packet is. */
enum fo_meaning {
  /* A curve, a battery, an echo: says nothing about values. */
  FO_OTHER,
  FO_VALUE,
  /* The meter has measured and says so: no need to wait for it to settle. */
  FO_RESULT,
  /* No finger, searching, a bad signal, a number that stands for "missing". */
  FO_NOTHING,
  /* Which protocol the meter speaks is known now, and it is the one below. */
  FO_PLAIN,
  /* Another protocol of the same maker, which is not read... */
  FO_FOREIGN,
  /* ...or bytes that look like one. */
  FO_STRANGE,
};

/* How many bytes the packet at the start of n bytes has: 0, more bytes are needed to tell; FO_SKIP, none begins here.
 * is_end: no more bytes will come. */
#define FO_SKIP (-1)
typedef int (*fo_measure)(const uint8_t *p, uint32_t n, int is_end);

/* What a whole packet says. A value has not been compared with the model's limits yet. */
typedef enum fo_meaning (*fo_read)(const uint8_t *p, uint32_t n, fo_value *value);

typedef struct fo_command {
  uint8_t bytes[FO_COMMAND_MAX];
  uint8_t n;
} fo_command;

typedef struct fo_model {
  mh_uuid service;
  mh_uuid notify;
  /* All zero: nothing is ever written. */
  mh_uuid write;
  /* By which number `decode` knows the notifications. */
  uint16_t characteristic;
  /* What the meter shows, both ends included. */
  uint16_t saturation_min;
  uint16_t pulse_min;
  uint16_t pulse_max;
  /* The least saturation that is believed of a meter that has not said which protocol it speaks; 0: any. */
  uint16_t saturation_unsure_min;
  /* A notification is a packet; else packets are found in a stream of bytes. */
  uint8_t is_packet;
  /* Only when the parameter says so. */
  uint8_t is_plain_sum;
  fo_measure measure;
  fo_read read;
  /* Asked before the start: which protocol; n 0: nothing is asked. */
  fo_command ask;
  fo_command start;
  /* Repeated while the session lasts, so that the meter goes on. */
  fo_command keep_alive;
} fo_model;

/* Whether a parameter is given and not 0. */
int fo_is_set(const mh_open *opening, uint32_t name);

/* The model with such a characteristic, NULL when there is none. */
const fo_model *fo_model_by_characteristic(uint16_t characteristic, int is_plain_sum);

/* The models one after the other, NULL behind the last. */
const fo_model *fo_model_at(uint32_t index);

/* Whether a value is one that the model can show; else it stands for "missing", or the bytes were misread. */
int fo_model_shows(const fo_model *model, const fo_value *value, int is_sure);

int fo_bci_measure(const uint8_t *p, uint32_t n, int is_end);
enum fo_meaning fo_bci_read(const uint8_t *p, uint32_t n, fo_value *value);
int fo_jumper_measure(const uint8_t *p, uint32_t n, int is_end);
enum fo_meaning fo_jumper_read(const uint8_t *p, uint32_t n, fo_value *value);
int fo_lepu_measure(const uint8_t *p, uint32_t n, int is_end);
enum fo_meaning fo_lepu_read(const uint8_t *p, uint32_t n, fo_value *value);
int fo_contec_measure(const uint8_t *p, uint32_t n, int is_end);
enum fo_meaning fo_contec_read(const uint8_t *p, uint32_t n, fo_value *value);
int fo_viatom_measure(const uint8_t *p, uint32_t n, int is_end);
int fo_yuwell_measure(const uint8_t *p, uint32_t n, int is_end);
enum fo_meaning fo_viatom_read(const uint8_t *p, uint32_t n, fo_value *value);

#endif
