// @ts-check
// Resolves once nothing has changed for `still` milliseconds, or after `limit`.
([still, limit]) => new Promise((resolve) => {
  let timer = null;
  const done = (isQuiet) => {
    observer.disconnect();
    clearTimeout(timer);
    clearTimeout(end);
    resolve(isQuiet);
  };
  const observer = new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(done, still, true);
  });
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const end = setTimeout(done, limit, false);
  timer = setTimeout(done, still, true);
})
