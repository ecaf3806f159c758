#include "cffi.h"

#include <ffi.h>
#include <stddef.h>

/* With its size given, libffi has nothing to work out and does not write into it. */
static ffi_type *slice_elements[] = {&ffi_type_pointer, &ffi_type_uint64, NULL};
static ffi_type slice = {.size = 16, .alignment = 8, .type = FFI_TYPE_STRUCT, .elements = slice_elements};

static ffi_type *type_of(uint32_t kind) {
  switch (kind) {
    case CFFI_INT32: return &ffi_type_sint32;
    case CFFI_UINT32: return &ffi_type_uint32;
    case CFFI_INT64: return &ffi_type_sint64;
    case CFFI_UINT64: return &ffi_type_uint64;
    case CFFI_DOUBLE: return &ffi_type_double;
    case CFFI_POINTER: return &ffi_type_pointer;
    case CFFI_SLICE: return &slice;
    default: return NULL;
  }
}

int32_t cffi_call(void (*function)(void), cffi_parameter *parameters, uint32_t count, int32_t *result) {
  ffi_type *types[CFFI_MOST];
  void *values[CFFI_MOST];
  if (count > CFFI_MOST) return -1;
  for (uint32_t i = 0; i < count; i++) {
    types[i] = type_of(parameters[i].kind);
    values[i] = &parameters[i].first;
    if (types[i] == NULL) return -1;
  }
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, count, &ffi_type_sint32, types) != FFI_OK) return -1;
  /* A result that is narrower than a register comes in a whole one. */
  ffi_arg whole = 0;
  ffi_call(&interface, FFI_FN(function), &whole, values);
  *result = (int32_t)whole;
  return 0;
}
