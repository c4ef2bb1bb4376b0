/** Addresses as people type them. */

/** `127.0.0.1:8731` and `localhost` are reached by http, `example.com` by https. */
export function fullAddress(typed: string): string {
  const text = typed.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const isLocal =
    /^(localhost|\d+(\.\d+){3}|\[[\da-f:]+\]|[\w-]+)(:\d+)?([/?#]|$)/i.test(text) || /^[^/]+:\d+/.test(text);
  return `${isLocal ? "http" : "https"}://${text}`;
}

/** The whole address where the text can only mean another host; a path stays relative to the current page. */
export function addressOrPath(typed: string): string {
  const isHost = /^(localhost|www\.[\w.-]+|[\w.-]+:\d+|\d+(\.\d+){3}|\[[\da-f:]+\](:\d+)?)([/?#]|$)/i.test(
    typed.trim(),
  );
  return isHost ? fullAddress(typed) : typed;
}
