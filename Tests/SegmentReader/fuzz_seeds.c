/* Writes small files of weights into a folder: what fuzz_load begins with. */
#include "support.h"

static void write_seed(const char *folder, const char *name, uint64_t seed, const test_layer *layers, uint32_t height,
                       uint32_t width) {
  test_file file = test_weights(seed, layers, height, width);
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  REQUIRE(out != NULL && fwrite(file.bytes, 1, file.n, out) == file.n && fclose(out) == 0);
  free(file.bytes);
}

int main(int count, char **words) {
  REQUIRE(count == 2);
  write_seed(words[1], "small", 11, test_small, 16, 64);
  write_seed(words[1], "wide", 58, test_wide, 16, 256);
  write_seed(words[1], "unpadded", 4, test_unpadded, 16, 128);
  write_seed(words[1], "exhausted", 4, test_exhausted, 16, 128);
  return 0;
}
