// @ts-check
// Focuses a field with the caret behind its text; gives the text.
el => { const f = el.control ?? el; f.focus();
  if ('value' in f) { try { f.setSelectionRange(f.value.length, f.value.length) } catch { } return f.value }
  getSelection().selectAllChildren(f); getSelection().collapseToEnd(); return f.innerText }
