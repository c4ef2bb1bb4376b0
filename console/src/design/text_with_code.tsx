/** Text from the service: what stands between backticks as code, and pages of the guide as links. */
import { labelOf } from "./format";

const GUIDE_PAGE = /(\/guide\/[\w-]+\.html(?:#[\w-]+)?)/;

interface Props {
  text: string;
  /** Whether pages of the guide are links; not where the text itself stands in one. */
  isLinked?: boolean;
}

export function TextWithCode({ text, isLinked = false }: Props) {
  const plain = (part: string) => (isLinked ? <Linked text={part} /> : part);
  return <>{text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : plain(part)))}</>;
}

function Linked({ text }: { text: string }) {
  return (
    <>
      {text.split(GUIDE_PAGE).map((part, index) =>
        index % 2 ? (
          <a key={index} href={part} target="_blank" rel="noreferrer">
            {titleOf(part)}
          </a>
        ) : (
          part
        ),
      )}
    </>
  );
}

/** "Workflows: finding by words" for `/guide/workflows.html#finding-by-words`. */
function titleOf(address: string): string {
  const [page = "", section = ""] = address.replace("/guide/", "").split(".html");
  return labelOf(page) + section.replaceAll("-", " ").replace("#", ": ");
}
