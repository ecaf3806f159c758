#include "decode.h"

#include "splitter.h"

int32_t fo_decode(uint16_t characteristic, int is_plain_sum, mh_bytes bytes, mh_sink *sink) {
  const fo_model *model = fo_model_by_characteristic(characteristic, is_plain_sum);
  if (model == NULL) return MH_E_UNSUPPORTED;
  if (model->is_packet && bytes.n > FO_PACKET_MAX) return MH_E_PROTOCOL;
  fo_splitter splitter = {.n = 0};
  uint64_t n_packets = 0, n_skipped = 0;
  for (uint32_t n; (n = fo_splitter_next(&splitter, model, &bytes, 1, &n_skipped)) != 0; fo_splitter_drop(&splitter, n)) {
    fo_value value = {0, 0, 0};
    enum fo_meaning meaning = model->read(splitter.bytes, n, &value);
    if (meaning == FO_FOREIGN || meaning == FO_STRANGE) return MH_E_PROTOCOL;
    n_packets++;
    if (meaning != FO_VALUE && meaning != FO_RESULT) continue;
    /* One value alone has not settled. */
    if (fo_model_shows(model, &value, 0)) return fo_value_emit(&value, meaning == FO_VALUE, sink);
  }
  return n_packets == 0 ? MH_E_PROTOCOL : MH_E_NO_VALUE;
}
