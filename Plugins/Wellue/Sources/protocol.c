#include "protocol.h"

const wellue_protocol wellue_protocols[WELLUE_PROTOCOLS] = {
    {
        /* E8FB0001-A14B-98F9-831B-4E2941D01248, answers on ..0003, requests on ..0002. */
        .service = {{0xe8, 0xfb, 0x00, 0x01, 0xa1, 0x4b, 0x98, 0xf9, 0x83, 0x1b, 0x4e, 0x29, 0x41, 0xd0, 0x12, 0x48}},
        .answers = {{0xe8, 0xfb, 0x00, 0x03, 0xa1, 0x4b, 0x98, 0xf9, 0x83, 0x1b, 0x4e, 0x29, 0x41, 0xd0, 0x12, 0x48}},
        .asks = {{0xe8, 0xfb, 0x00, 0x02, 0xa1, 0x4b, 0x98, 0xf9, 0x83, 0x1b, 0x4e, 0x29, 0x41, 0xd0, 0x12, 0x48}},
        .asking = 0xa5,
        .answering = 0xa5,
        .live = 0x04,
        .names_command = 1,
        .is_greeted = 1,
        .layouts = {{.shortest = 20,
                     .longest = 504,
                     .wave = WELLUE_NONE,
                     .saturation = 6,
                     .pulse = 8,
                     .index = 7,
                     .movement = 11,
                     .contact = 5,
                     .contact_mask = 0xff,
                     .run = 4,
                     .battery = 13}},
    },
    {
        /* 14839AC4-7D7E-415C-9A42-167340CF2339. */
        .service = {{0x14, 0x83, 0x9a, 0xc4, 0x7d, 0x7e, 0x41, 0x5c, 0x9a, 0x42, 0x16, 0x73, 0x40, 0xcf, 0x23, 0x39}},
        /* 0734594A-A8E7-4B1A-A6B1-CD5243059A57. */
        .answers = {{0x07, 0x34, 0x59, 0x4a, 0xa8, 0xe7, 0x4b, 0x1a, 0xa6, 0xb1, 0xcd, 0x52, 0x43, 0x05, 0x9a, 0x57}},
        /* 8B00ACE7-EB0B-49B0-BBE9-9AEE0A26E1A3. */
        .asks = {{0x8b, 0x00, 0xac, 0xe7, 0xeb, 0x0b, 0x49, 0xb0, 0xbb, 0xe9, 0x9a, 0xee, 0x0a, 0x26, 0xe1, 0xa3}},
        .asking = 0xaa,
        .answering = 0x55,
        .live = 0x17,
        .live_with_wave = 0x1b,
        .layouts = {{.shortest = 12,
                     .longest = 20,
                     .wave = WELLUE_NONE,
                     .saturation = 0,
                     .pulse = 1,
                     .index = 10,
                     .movement = 9,
                     .contact = 11,
                     /* 0 off, 1 on, 2 off by the maker's headers, which also name bit 0 alone: both bits have to agree. */
                     .contact_mask = 0x03,
                     .run = WELLUE_NONE,
                     .battery = 7},
                    /* A waveform of less than nine values makes it as short as the other, in which 11 then says that the sensor
                     * is off. */
                    {.shortest = 21,
                     .longest = 504,
                     .wave = 10,
                     .saturation = 0,
                     .pulse = 1,
                     /* What stands at 5 is called the index by one, and movement by another. */
                     .index = WELLUE_NONE,
                     .movement = WELLUE_NONE,
                     .contact = 6,
                     .contact_mask = 0xff,
                     .run = WELLUE_NONE,
                     .battery = 3}},
    },
};

const wellue_protocol *wellue_protocol_of(uint16_t characteristic) {
  if (characteristic == WELLUE_SECOND_ANSWERS) return &wellue_protocols[0];
  if (characteristic == WELLUE_FIRST_ANSWERS) return &wellue_protocols[1];
  return NULL;
}

/* MD5 of "lepucloud", with which the greeting and its answer are covered. */
static const uint8_t cover[WELLUE_HELLO_LENGTH] = {0xc2, 0xa7, 0xcf, 0x50, 0xda, 0xfe, 0xd8, 0x85,
                                                   0xa8, 0xf8, 0xf7, 0xea, 0xc4, 0x43, 0x35, 0xf3};

void wellue_hello(uint64_t seconds, uint8_t *out) {
  for (uint32_t i = 0; i < WELLUE_HELLO_LENGTH; i++) {
    /* Every second byte of the cover, "0000" in place of a serial number, the time shifted by 0 to 3 bits. */
    uint8_t plain = i < 8 ? cover[2 * i] : i < 12 ? (uint8_t)'0' : (uint8_t)(seconds >> (i - 12));
    out[i] = plain ^ cover[i];
  }
}

int wellue_is_key(const uint8_t *payload, uint16_t length) {
  return length >= 20 && (payload[0] ^ cover[0]) == 1 && (payload[1] ^ cover[1]) == 16;
}
