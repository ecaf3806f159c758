#include "session_state.h"

namespace taidoc {

mh_action action(uint32_t kind) {
  mh_action action = {};
  action.kind = kind;
  return action;
}

static void end(mh_session &session, const mh_action &last) {
  mh_action cancel = action(MH_DO_CANCEL_TIMER);
  cancel.token = TokenAnswer;
  if (session.phase == Phase::Asking) session.output.ask(cancel);
  session.phase = Phase::Ended;
  session.output.ask(last);
}

void finish(mh_session &session) { end(session, action(MH_DO_FINISH)); }

void fail(mh_session &session, int32_t code, int32_t subcode, const char *why) {
  mh_action failure = action(MH_DO_FAIL);
  failure.code = code;
  failure.arg = static_cast<uint32_t>(subcode);
  failure.text = mh_str{why, __builtin_strlen(why)};
  end(session, failure);
}

} // namespace taidoc
