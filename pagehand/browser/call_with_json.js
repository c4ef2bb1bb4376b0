// @ts-check
// Calls a function of the workflow and gives what it returns as JSON text; at once where it waits for nothing,
// because a script may leave the page, and with the page goes what it would have returned later.
(called, given) => {
  const json = (value) => {
    const text = JSON.stringify(value, (key, part) => {
      if (typeof part === 'number' && !Number.isFinite(part))
        throw new TypeError(`the result holds ${part}, which is not JSON`);
      return part;
    });
    return text === undefined ? 'null' : text;
  };
  const value = called(...given);
  return typeof value?.then === 'function' ? Promise.resolve(value).then(json) : json(value);
}
