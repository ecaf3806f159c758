'use strict';

// The page of the view: a list, a live view, a failure and a result, one of them shown at a time. The result is result.js.

const $ = (id) => document.getElementById(id);
const views = ['list', 'live', 'failure', 'result'];
const pageToken = document.querySelector('meta[name="page-token"]').content;
// The view is a server of its own, or a part of the console.
const base = document.querySelector('meta[name="view-base"]').content;

let meters = [];
let chosen = null; // {meter, unit}: what "Try again" starts.
let reading = null; // The id of the reading that is live or whose result is shown.
let events = null;

function element(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// MARK: Talking to the host

class Refusal extends Error {
  constructor(status, body) {
    super(body.message || 'The host does not answer as it should. Load the page again.');
    this.status = status;
    this.code = body.error;
    this.problems = body.problems || [];
  }
}

async function call(method, path, body) {
  let response;
  try {
    response = await fetch(base + path, {
      method,
      headers: method === 'POST' ? {'Content-Type': 'application/json', 'Meterhost-Page': pageToken} : {},
      body: method === 'POST' ? JSON.stringify(body || {}) : undefined,
    });
  } catch {
    throw new Refusal(0, {error: 'closed', message: base ? 'The host does not answer.' : 'The host does not answer. Start meterhost snap view again.'});
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

// MARK: Views

// A person who cannot see the page is told where they are by the heading that gets the focus.
function show(view, title) {
  for (const name of views) $(name).hidden = name !== view;
  const heading = $(`${view}-heading`);
  if (title) heading.textContent = title;
  document.title = `${heading.textContent} · MeterHost`;
  heading.focus();
  window.scrollTo(0, 0);
}

function say(place, text, kind) {
  $('notice').replaceChildren();
  $('alarm').replaceChildren();
  if (text) $(place).append(element('p', text, {class: `message ${kind}`}));
}

function backToList(place, text, kind) {
  reading = null;
  show('list');
  say(place || 'notice', text, kind);
}

function fail(error) {
  if (error.code === 'denied') return backToList('alarm', error.message, 'bad');
  reading = null;
  $('failure-text').textContent = error.message;
  say();
  show('failure');
}

// MARK: The list

function listMeters() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = meters.filter((meter) => {
    const text = `${meter.name} ${meter.kind}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const kinds = [...new Set(found.map((meter) => meter.kind))];
  $('meters').replaceChildren(...kinds.map((kind, index) => {
    const section = element('section', '', {'aria-labelledby': `kind-${index}`});
    const list = element('ul');
    list.append(...found.filter((meter) => meter.kind === kind).map(item));
    section.append(element('h2', kind, {id: `kind-${index}`}), list);
    return section;
  }));
  const count = found.length === 1 ? '1 meter' : `${found.length} meters`;
  $('count').textContent = found.length ? count : 'No meter has this name. Try a shorter part of it.';
}

function item(meter) {
  const row = element('li');
  const name = element('span', meter.name, {class: 'name', id: `meter-${meter.id}`});
  row.append(name);
  const button = element('button', 'Read', {type: 'button', id: `read-${meter.id}`, 'aria-label': `Read ${meter.name}`});
  if (meter.units.length > 1) {
    const choice = element('select', '', {id: `unit-${meter.id}`});
    if (meter.needsUnit) choice.append(element('option', 'Choose', {value: ''}));
    for (const unit of meter.units) choice.append(element('option', unit.title, {value: unit.code}));
    choice.value = chosenUnit(meter) || '';
    choice.addEventListener('change', () => { meter.chosenUnit = choice.value; });
    const label = element('label', 'Unit', {for: choice.id});
    choice.setAttribute('aria-label', `Unit of ${meter.name}`);
    const field = element('span');
    field.append(label, choice);
    row.append(field);
  }
  button.addEventListener('click', () => start(meter));
  row.append(button);
  return row;
}

// The first unit is the usual one, unless nothing but the person can tell which it is.
function chosenUnit(meter) {
  return meter.chosenUnit || (!meter.needsUnit && meter.units[0] && meter.units[0].code) || null;
}

// MARK: The live view

let isStarting = false;

async function start(meter) {
  if (isStarting) return;
  if (meter.needsUnit && !chosenUnit(meter)) {
    backToList('alarm', `Choose the unit that ${meter.name} is set to.`, 'bad');
    return $(`unit-${meter.id}`).focus();
  }
  isStarting = true;
  say();
  try {
    chosen = meter;
    const answer = await call('POST', '/api/readings', {meter: meter.id, unit: chosenUnit(meter)});
    watch(answer.reading, meter);
  } catch (error) {
    fail(error);
  } finally {
    isStarting = false;
  }
}

function watch(id, meter) {
  reading = id;
  $('partial').replaceChildren();
  $('glare').replaceChildren();
  $('cancel').disabled = false;
  const overlay = $('overlay');
  overlay.hidden = true;
  overlay.src = `${base}/api/meters/${meter.id}/overlay`;
  $('preview').src = `${base}/api/readings/${id}/preview`;
  show('live', `Reading ${meter.name}`);
  hint('Hold the meter so that its display fills the outline.', true);
  events = new EventSource(`${base}/api/readings/${id}/events`);
  events.addEventListener('partial', (event) => partial(JSON.parse(event.data)));
  events.addEventListener('ended', (event) => ended(JSON.parse(event.data), meter));
  // The host gives the camera back when nobody listens: there is nothing to connect to again.
  events.onerror = () => {
    if (!events) return;
    stopWatching();
    fail(new Refusal(0, {error: 'closed', message: 'The connection to the host has ended, and with it the reading.'}));
  };
}

function stopWatching() {
  if (events) events.close();
  events = null;
  clearTimeout(hintTimer);
  $('preview').removeAttribute('src');
}

function partial(seen) {
  const rows = $('partial');
  // The rows stay the same elements, so that a reader that stands on one is not thrown out of it.
  if (rows.children.length !== 2 * seen.rows.length) {
    rows.replaceChildren(...seen.rows.flatMap((row) => [element('dt', row.label), element('dd')]));
  }
  seen.rows.forEach((row, index) => {
    rows.children[2 * index].textContent = row.label;
    rows.children[2 * index + 1].textContent = row.text || '–';
  });
  $('overlay').hidden = !seen.overlay;
  if (seen.overlay) place($('overlay'), seen.overlay);
  $('glare').replaceChildren(...seen.glare.map((box) => {
    const area = element('div');
    place(area, box);
    return area;
  }));
  hint(seen.hint);
}

function place(node, box) {
  node.style.left = `${100 * box.x}%`;
  node.style.top = `${100 * box.y}%`;
  node.style.width = `${100 * box.width}%`;
  node.style.height = `${100 * box.height}%`;
}

// A hint is read aloud when it changes, so it stays for a moment however fast the frames disagree.
const hintStays = 1200;
let hintTimer = 0;
let hintSince = 0;
let nextHint = '';

function hint(text, now) {
  nextHint = text;
  clearTimeout(hintTimer);
  const apply = () => {
    if ($('hint').textContent === nextHint) return;
    $('hint').textContent = nextHint;
    hintSince = performance.now();
  };
  const wait = hintSince + hintStays - performance.now();
  if (now || wait <= 0) apply(); else hintTimer = setTimeout(apply, wait);
}

function ended(end, meter) {
  stopWatching();
  if (end.outcome === 'completed') return review(end, meter);
  if (end.outcome === 'cancelled') return backToList('notice', 'Cancelled. Nothing was read.', 'good');
  fail(new Refusal(0, {error: end.outcome === 'denied' ? 'denied' : end.code, message: end.message}));
}

async function cancel() {
  if (!events || $('cancel').disabled) return;
  $('cancel').disabled = true;
  try {
    // The outcome comes as the last event.
    await call('POST', `/api/readings/${reading}/cancel`);
  } catch (error) {
    stopWatching();
    fail(error);
  }
}

// MARK: Beginning

$('home').hidden = base === '';

$('search').addEventListener('input', listMeters);
$('search-form').addEventListener('submit', (event) => event.preventDefault());
$('cancel').addEventListener('click', cancel);
$('retry').addEventListener('click', () => start(chosen));
$('back').addEventListener('click', () => backToList());
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !$('live').hidden && !event.isComposing) {
    event.preventDefault();
    cancel();
  }
});
// The host notices by itself too; this gives the camera back at once.
window.addEventListener('pagehide', stopWatching);

call('GET', '/api/meters').then((answer) => {
  meters = answer.meters;
  listMeters();
}).catch((error) => say('alarm', error.message, 'bad'));
