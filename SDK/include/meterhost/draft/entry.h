/* Help for authors, no part of the contract: the entry of a bundle with one driver whose work is one extension (rule R5). */
#ifndef METERHOST_ENTRY_H
#define METERHOST_ENTRY_H

#include <meterhost/driver.h>

/* Whether the text of an extension's id is this one. */
static inline int mh_is_extension(const char *id, const char *wanted) {
  if (id == 0) return 0;
  while (*id != 0 && *id == *wanted) id++, wanted++;
  return *id == *wanted;
}

/* Defines `mh_driver_entry` for a driver without meters. `id_text`, `version_text` and `vendor_text` are literals, as in the
 * driver's registry entry; `extension_id` is the name of a table that the host may ask for, such as MH_EXT_IMPORT_DRAFT,
 * and `table` that table:
 *
 *   MH_EXTENSION_DRIVER("com.example.export", "1.0.0", "Example", MH_EXT_IMPORT_DRAFT, example_import)
 */
#define MH_EXTENSION_DRIVER(id_text, version_text, vendor_text, extension_id, table)                   \
  static const void *mh_entry_extension(const char *id) {                                              \
    return mh_is_extension(id, extension_id) ? (const void *)&(table) : 0;                             \
  }                                                                                                    \
  static const mh_driver mh_entry_driver = {                                                           \
      .struct_size = sizeof(mh_driver),                                                                \
      .abi_major = MH_ABI_MAJOR,                                                                       \
      .abi_minor = MH_ABI_MINOR,                                                                       \
      .layout_hash = MH_LAYOUT_HASH,                                                                   \
      .id = {id_text, sizeof(id_text) - 1},                                                            \
      .version = {version_text, sizeof(version_text) - 1},                                             \
      .vendor = {vendor_text, sizeof(vendor_text) - 1},                                                \
      .extension = mh_entry_extension,                                                                 \
  };                                                                                                   \
  int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) { \
    if (host == 0 || out == 0) return MH_E_ARG;                                                        \
    if (!mh_host_fits(host)) {                                                                         \
      if (why_not != 0) *why_not = mh_refusal();                                                       \
      return MH_REFUSED;                                                                               \
    }                                                                                                  \
    if (index != 0) return MH_END;                                                                     \
    *out = &mh_entry_driver;                                                                           \
    return MH_OK;                                                                                      \
  }                                                                                                    \
  extern int mh_entry_ends_here

#endif
