/** The live view as a page of its own: on a phone it has the whole screen, and zooms with two fingers. */
import { own } from "../api/client";

export function OwnTab({ url }: { url: string }) {
  return (
    <a class="button quiet" href={own(url)} target="_blank" rel="noreferrer">
      Own tab
    </a>
  );
}
