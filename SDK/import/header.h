/* What headers of zip files look like. */
#ifndef IMPORT_HEADER_H
#define IMPORT_HEADER_H

#include <stdint.h>

#define ZIP_LOCAL 0x04034b50u
#define ZIP_LOCAL_SIZE 30u
#define ZIP_EMPTY_ARCHIVE 0x06054b50u

#define ZIP_STORED 0u
#define ZIP_DEFLATED 8u
#define ZIP_ENCRYPTED 0x1u
#define ZIP_HAS_DESCRIPTOR 0x8u

static inline uint32_t zip_u16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t zip_u32(const uint8_t *p) { return zip_u16(p) | zip_u16(p + 2) << 16; }
static inline uint64_t zip_u64(const uint8_t *p) { return zip_u32(p) | (uint64_t)zip_u32(p + 4) << 32; }

#endif
