// @ts-check
// Puts back what a session's storage held; it leaves nothing behind that a page could read.
kept => {
  try {
    const mine = kept[location.origin] || {};
    for (const key of Object.keys(mine)) sessionStorage.setItem(key, mine[key]);
  } catch { /* a sandboxed frame has no storage */ }
}
