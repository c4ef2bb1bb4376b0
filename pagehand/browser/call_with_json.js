// @ts-check
// Calls a function of the workflow and gives what it returns as JSON text.
async (called, given) => {
  const value = await called(...given);
  const text = JSON.stringify(value, (key, part) => {
    if (typeof part === 'number' && !Number.isFinite(part))
      throw new TypeError(`the result holds ${part}, which is not JSON`);
    return part;
  });
  return text === undefined ? 'null' : text;
}
