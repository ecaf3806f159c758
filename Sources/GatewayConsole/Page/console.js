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

  // A part may have a page of its own, which costs the gateway less than the whole one.
  const source = (part) => part.dataset.from ?? location.href;

  async function look(address, among) {
    const answer = await fetch(address, {credentials: 'same-origin', cache: 'no-store', redirect: 'error'});
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html');
    for (const part of among) {
      const fresh = page.getElementById(part.id);
      if (fresh && !isIn(part) && fresh.outerHTML !== part.outerHTML) part.replaceWith(document.adoptNode(fresh));
    }
    if (live) live.textContent = '';
  }

  async function renew(wanted = parts()) {
    if (waits) { again = true; return; }
    waits = true;
    try {
      for (const address of new Set(wanted.map(source))) {
        await look(address, wanted.filter((part) => source(part) === address));
      }
    } catch {
      if (live) live.textContent = 'The gateway does not answer. What is shown may be old.';
    }
    // Not more often than a person can read.
    setTimeout(() => { waits = false; if (again) { again = false; renew(); } }, 2000);
  }

  if (parts().length > 0) {
    const events = new EventSource('/events');
    events.addEventListener('change', () => renew());
    events.addEventListener('open', () => { if (live) live.textContent = ''; });
    events.addEventListener('error', () => { if (live) live.textContent = 'The gateway does not answer. What is shown may be old.'; });
    addEventListener('pagehide', () => events.close());
  }
  // What goes on by itself is looked at again, until the page says that it is over.
  const poll = () => {
    const wanted = parts().filter((part) => part.hasAttribute('data-poll'));
    if (wanted.length > 0) { renew(wanted); setTimeout(poll, 2500); }
  };
  setTimeout(poll, 2500);

  // What was done is read aloud, and where the keyboard is.
  const notice = document.getElementById('notice');
  if (notice) { notice.tabIndex = -1; notice.focus(); }
})();
