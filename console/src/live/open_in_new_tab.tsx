/** The live view as a page of its own: on a phone it has the whole screen, and zooms with two fingers. */
import { own } from "../api/client";
import { Icon } from "../design/icon";

export function OwnTab({ url }: { url: string }) {
  return (
    <a class="button quiet compact" href={own(url)} target="_blank" rel="noreferrer" title="Own tab">
      <Icon name="outside" />
      <span class="button-words">Own tab</span>
    </a>
  );
}
