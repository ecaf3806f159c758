/* Actions: what may be asked of the host, and how (rule R11). */
#include <string.h>

#include "bench_internal.h"

static int is_known(const mh_action *action) {
  uint16_t flags = action->kind == MH_DO_PAIR ? MH_PAIR_BOND | MH_PAIR_MITM
                   : action->kind == MH_DO_ASK_USER ? MH_ASK_SECRET
                                                    : 0;
  int knows_code = action->kind == MH_DO_ASK_USER ? action->code >= MH_ASK_PASSKEY && action->code <= MH_ASK_CHOICE
                   : action->kind == MH_DO_FAIL ? action->code >= MH_FAIL_COMMUNICATION && action->code <= MH_FAIL_OWNER
                                                : 1;
  return action->kind >= MH_DO_SUBSCRIBE && action->kind <= MH_DO_FAIL && (action->flags & ~flags) == 0 && knows_code;
}

int32_t bench_act(void *ctx, const mh_action *action) {
  bench *bench = ctx;
  if (!bench->takes_actions) return MH_E_DENIED;
  if (action->struct_size < sizeof(mh_action)) bench_broken(bench, "R3", "an action of %u bytes", action->struct_size);
  if (!is_known(action)) return MH_E_UNSUPPORTED;
  if (bench->n_actions >= MH_ACTIONS_MAX) bench_broken(bench, "R11", "more than %u actions", MH_ACTIONS_MAX);
  if (action->value.n > MH_ACTION_VALUE_MAX || action->text.n > MH_ACTION_TEXT_MAX)
    bench_broken(bench, "R11", "action %u has a value or text that is too long", action->kind);
  if ((action->value.p == NULL && action->value.n != 0) || (action->text.p == NULL && action->text.n != 0))
    bench_broken(bench, "R6", "action %u has a length and no bytes", action->kind);
  bench_kept_action *kept = &bench->actions[bench->n_actions++];
  kept->action = *action;
  if (action->value.n != 0) memcpy(kept->value, action->value.p, action->value.n);
  if (action->text.n != 0) memcpy(kept->text, action->text.p, action->text.n);
  kept->text[action->text.n] = 0;
  kept->action.value.p = kept->value;
  kept->action.text.p = kept->text;
  return MH_OK;
}

static void check_named(const bench *bench, const mh_action *action) {
  mh_action rest = *action;
  switch (action->kind) {
    case MH_DO_SUBSCRIBE:
    case MH_DO_UNSUBSCRIBE:
    case MH_DO_READ: rest.handle = 0; break;
    case MH_DO_WRITE:
    case MH_DO_WRITE_NO_RESPONSE: rest.handle = 0, rest.value.n = 0; break;
    case MH_DO_MTU:
    case MH_DO_TIMER: rest.arg = 0; break;
    case MH_DO_PAIR: rest.flags = 0; break;
    case MH_DO_PROGRESS: rest.arg = rest.arg2 = 0; break;
    case MH_DO_ASK_USER: rest.code = 0, rest.flags = 0, rest.arg = rest.arg2 = 0, rest.text.n = rest.value.n = 0; break;
    case MH_DO_FAIL: rest.code = 0, rest.arg = 0, rest.text.n = 0; break;
    default: break;
  }
  if (rest.arg != 0 || rest.arg2 != 0 || rest.handle != 0 || rest.flags != 0 || rest.code != 0 || rest.value.n != 0 ||
      rest.text.n != 0)
    bench_broken(bench, "R11", "action %u has a field set that it does not name", action->kind);
}

static int is_kept_name(const mh_action *action) {
  static const char *const prefixes[] = {"user/secret/", "meter/secret/", "credential/"};
  if (!bench_is_utf8(action->value.p, action->value.n)) return 0;
  for (int i = 0; i < 3; i++) {
    uint64_t n = strlen(prefixes[i]);
    if (action->value.n > n && memcmp(action->value.p, prefixes[i], n) == 0) return 1;
  }
  return 0;
}

static void check(const bench *bench, const mh_action *action) {
  check_named(bench, action);
  if (bench->is_disconnected && action->kind != MH_DO_FINISH && action->kind != MH_DO_FAIL)
    bench_broken(bench, "R25", "action %u after the link had gone", action->kind);
  if (action->kind >= MH_DO_SUBSCRIBE && action->kind <= MH_DO_WRITE_NO_RESPONSE && action->handle == 0)
    bench_broken(bench, "R11", "action %u names no handle", action->kind);
  if (action->kind == MH_DO_MTU && (action->arg < 23 || action->arg > 517))
    bench_broken(bench, "R11", "an MTU of %llu", (unsigned long long)action->arg);
  if (action->kind == MH_DO_TIMER && action->arg > MH_TIMER_NS_MAX)
    bench_broken(bench, "R11", "a timer runs for more than a day");
  if (action->kind == MH_DO_ASK_USER && (action->arg > action->arg2 || action->arg2 > MH_VALUE_MAX))
    bench_broken(bench, "R11", "the lengths of an answer make no sense");
  if (action->kind == MH_DO_ASK_USER && action->value.n != 0 && !is_kept_name(action))
    bench_broken(bench, "R11", "an answer is to be kept under a name that is none");
  if (!bench_is_utf8((const uint8_t *)action->text.p, action->text.n))
    bench_broken(bench, "R11", "the text of action %u is not UTF-8", action->kind);
}

void bench_check_actions(const bench *bench) {
  for (uint32_t i = 0; i < bench->n_actions; i++) check(bench, &bench->actions[i].action);
}
