/* One block of AES-128 (FIPS 197), with a key that every scale of these has and that is no secret: decode, which may ask the host for
 * no cipher, reads the scale's frames as well. */
#ifndef HUAWEI_AES_H
#define HUAWEI_AES_H

#include <stdint.h>

#define HUAWEI_BLOCK 16

void huawei_encrypt(const uint8_t *key, const uint8_t *block, uint8_t *out);

#endif
