// @ts-check
// The session storage of a frame, by its origin.
() => {
  try { return [location.origin, {...sessionStorage}]; } catch { return null; }
}
