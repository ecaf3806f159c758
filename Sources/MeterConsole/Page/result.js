'use strict';

// The result of a reading: a person compares, corrects, and submits it. Uses view.js.

function written(value) {
  return value.unit ? `${value.text} ${value.unit}` : value.text;
}

function review(end, meter) {
  $('values').replaceChildren(...end.values.flatMap((value) => [element('dt', value.name), element('dd', written(value))]));
  $('crop').parentElement.hidden = !end.hasCrop;
  if (end.hasCrop) $('crop').src = `${base}/api/readings/${reading}/crop`;
  $('rows').replaceChildren(...end.rows.map(field));
  $('summary').hidden = true;
  lockResult(false);
  show('result', `Check the reading of ${meter.name}`);
}

function field(row, index) {
  const box = element('div', '', {class: 'row'});
  const label = element('label', row.optional ? `${row.label} (may be empty)` : row.label, {for: `row-${index}`});
  const line = element('div', '', {class: 'field'});
  const input = element('input', '', {
    id: `row-${index}`, type: 'text', inputmode: 'decimal', autocomplete: 'off', maxlength: '16',
    'aria-describedby': `unit-of-${index}`,
  });
  input.value = row.text;
  input.required = !row.optional;
  line.append(input, element('span', row.unit, {id: `unit-of-${index}`}));
  const error = element('p', '', {class: 'error', id: `error-${index}`});
  error.hidden = true;
  box.append(label, line, error);
  return box;
}

function markProblem(index, message) {
  const input = $(`row-${index}`);
  const error = $(`error-${index}`);
  error.textContent = message;
  error.hidden = !message;
  input.setAttribute('aria-describedby', message ? `unit-of-${index} error-${index}` : `unit-of-${index}`);
  if (message) input.setAttribute('aria-invalid', 'true'); else input.removeAttribute('aria-invalid');
}

function lockResult(locked) {
  for (const button of $('edit').querySelectorAll('button')) button.disabled = locked;
}

function showProblems(error) {
  const all = error.problems.filter((problem) => problem.row == null).map((problem) => problem.message);
  for (const problem of error.problems) if (problem.row != null) markProblem(problem.row, problem.message);
  $('summary').textContent = [error.message, ...all].join(' ');
  $('summary').hidden = false;
  const first = error.problems.find((problem) => problem.row != null);
  $(`row-${first ? first.row : 0}`)?.focus();
}

let isSubmitting = false;

async function submit() {
  const inputs = [...$('rows').querySelectorAll('input')];
  inputs.forEach((_, index) => markProblem(index, ''));
  $('summary').hidden = true;
  lockResult(true);
  isSubmitting = true;
  say('notice', 'Submitting. Please wait.');
  try {
    const answer = await call('POST', `/api/readings/${reading}/submit`, {rows: inputs.map((input) => input.value.trim())});
    const values = answer.values.map((value) => `${value.name} ${written(value)}`).join(', ');
    backToList('notice', `${answer.message} ${values}.`, 'good');
  } catch (error) {
    lockResult(false);
    say();
    if (error.code === 'gone') return fail(error);
    // The answer is lost, and what became of the reading with it. The host takes the same reading once.
    if (error.status === 0) error.message += ' It may have been submitted: see meterhost queue list before you read again.';
    showProblems(error);
  } finally {
    isSubmitting = false;
  }
}

async function discard() {
  lockResult(true);
  try {
    await call('POST', `/api/readings/${reading}/discard`);
  } catch (error) {
    if (error.code !== 'gone') {
      lockResult(false);
      return showProblems(error);
    }
  }
  backToList('notice', 'Discarded. Nothing was submitted.', 'good');
}

// MARK: Beginning

$('discard').addEventListener('click', discard);
$('edit').addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
// Who leaves now would not learn whether the reading was taken, and might read it again.
window.addEventListener('beforeunload', (event) => {
  if (isSubmitting) event.preventDefault();
});
