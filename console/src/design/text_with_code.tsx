/** Text from the service, with the parts between backticks shown as code. */

export function TextWithCode({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}
