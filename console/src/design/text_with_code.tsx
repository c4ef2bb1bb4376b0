/** The service's sentences: what stands between backticks is a name, and is shown as one. */

export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}
