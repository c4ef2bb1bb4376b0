// @ts-check
// Waits until a rich editor has copied its text into the hidden field of its form.
async (dom, f) => {
  let around = f;
  for (let level = 0; level < 6 && around.parentElement; level++) around = around.parentElement;
  const copies = [...around.querySelectorAll('textarea,input')].filter((e) => !dom.isVisible(e));
  const plain = (text) => text.replace(/[^\p{L}\p{N}]/gu, '');
  const lines = f.innerText.split('\n').map(plain).filter(Boolean);
  const holds = (copy) => lines.every((line) => copy.includes(line));
  for (let waited = 0; waited < 600 && copies.length; waited += 30) {
    if (lines.length && copies.some((e) => holds(plain(e.value)))) return;
    await new Promise((go) => setTimeout(go, 30));
  }
}
