// Pages work without this: it puts what the host says anew in the place of what is shown.
(() => {
  'use strict';
  const parts = () => [...document.querySelectorAll('[data-live][id]')];
  const live = document.getElementById('live');
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy('meterhost', {createHTML: (text) => text})
    : {createHTML: (text) => text};
  let waits = false;
  let again = false;

  // What a person is in stays as it is: nothing moves under a finger or a screen reader.
  const isIn = (part) => part.contains(document.activeElement) && document.activeElement !== document.body;

  async function renew() {
    if (waits) { again = true; return; }
    waits = true;
    try {
      const answer = await fetch(location.href, {credentials: 'same-origin', cache: 'no-store', redirect: 'error'});
      if (answer.ok) {
        const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html');
        for (const part of parts()) {
          const fresh = page.getElementById(part.id);
          if (fresh && !isIn(part) && fresh.outerHTML !== part.outerHTML) part.replaceWith(document.adoptNode(fresh));
        }
        if (live) live.textContent = '';
      }
    } catch {
      if (live) live.textContent = 'The gateway does not answer. What is shown may be old.';
    }
    // Not more often than a person can read.
    setTimeout(() => { waits = false; if (again) { again = false; renew(); } }, 2000);
  }

  if (parts().length > 0) {
    const source = new EventSource('/events');
    source.addEventListener('change', renew);
    source.addEventListener('open', () => { if (live) live.textContent = ''; });
    source.addEventListener('error', () => { if (live) live.textContent = 'The gateway does not answer. What is shown may be old.'; });
    addEventListener('pagehide', () => source.close());
  }
  // What goes on by itself is looked at again, until the page says that it is over.
  const poll = () => { if (document.querySelector('[data-poll]')) { renew(); setTimeout(poll, 2500); } };
  setTimeout(poll, 2500);

  // What was done is read aloud, and where the keyboard is.
  const notice = document.getElementById('notice');
  if (notice) { notice.tabIndex = -1; notice.focus(); }
})();
