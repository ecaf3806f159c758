/* The two generations of the protocol as data: where they live, what is asked, and where an answer has which value. */
#ifndef WELLUE_PROTOCOL_H
#define WELLUE_PROTOCOL_H

#include <meterhost/driver.h>

/* decode_code of the answers' characteristics in the registry. */
#define WELLUE_FIRST_ANSWERS 0x8001u
#define WELLUE_SECOND_ANSWERS 0x8003u

/* An offset that an answer does not have. */
#define WELLUE_NONE 0xffu

/* Where an answer with live values has what. */
typedef struct wellue_layout {
  /* Other lengths are answers to something else. A longest one of 0: there is no such answer. */
  uint16_t shortest;
  uint16_t longest;
  /* Two bytes that say how long the waveform is that makes up the rest; WELLUE_NONE: the rest means nothing. */
  uint8_t wave;
  uint8_t saturation;
  /* Two bytes, the low one first. */
  uint8_t pulse;
  /* Tenths of a percent. WELLUE_NONE, as of what follows: the answer does not tell. */
  uint8_t index;
  uint8_t movement;
  /* On the finger when the bits of the mask are 1. */
  uint8_t contact;
  uint8_t contact_mask;
  /* 2 while it measures. */
  uint8_t run;
  uint8_t battery;
} wellue_layout;

typedef struct wellue_protocol {
  mh_uuid service;
  mh_uuid answers;
  mh_uuid asks;
  /* First bytes of requests and answers. */
  uint8_t asking;
  uint8_t answering;
  /* The command that asks for the live values; the one that asks for them with a waveform, of a meter that does not answer the
   * first, or 0. */
  uint8_t live;
  uint8_t live_with_wave;
  /* Answers name their command, and a byte of 1 says that it was carried out. Without it they have a status, 0 when all is well. */
  uint8_t names_command;
  /* The second generation is greeted before it is asked (README.md). */
  uint8_t is_greeted;
  /* Of the answers to the two; lengths tell them apart where answers do not name their command. */
  wellue_layout layouts[2];
} wellue_protocol;

/* In the order in which they are looked for: a ring that has both services answers on the second generation's. */
#define WELLUE_PROTOCOLS 2u
extern const wellue_protocol wellue_protocols[WELLUE_PROTOCOLS];

/* The protocol whose answers have this decode_code, or NULL. */
const wellue_protocol *wellue_protocol_of(uint16_t characteristic);

/* Commands of the greeting. */
#define WELLUE_HELLO 0xffu
#define WELLUE_QUIET 0x10u

/* What the greeting holds. */
#define WELLUE_HELLO_LENGTH 16u

/* The greeting's payload at a moment in seconds since 1970. */
void wellue_hello(uint64_t seconds, uint8_t *out);

/* Whether an answer to the greeting hands over a key: then everything that follows is encrypted. */
int wellue_is_key(const uint8_t *payload, uint16_t length);

#endif
