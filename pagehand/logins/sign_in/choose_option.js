// @ts-check
// Chooses the option of a list that says one of the words.
(list, words) => {
  const entries = [...list.options].filter(entry => entry.value && !entry.disabled);
  const speaking = entries.filter(entry => new RegExp(words, 'i').test(entry.text + ' ' + entry.value));
  const chosen = entries.length === 1 ? entries[0] : speaking.length === 1 ? speaking[0] : null;
  if (!chosen) return;
  list.value = chosen.value;
  list.dispatchEvent(new Event('input', {bubbles: true}));
  list.dispatchEvent(new Event('change', {bubbles: true}));
}
