/** A link to the live view on its own page, where it can fill a phone's screen and be zoomed. */
import { sameOriginUrl } from "../api/client";
import { Icon } from "../design/icon";

export function OpenInNewTab({ url }: { url: string }) {
  return (
    <a class="button quiet compact" href={sameOriginUrl(url)} target="_blank" rel="noreferrer" title="Open in new tab">
      <Icon name="outside" />
      <span class="button-words">Open in new tab</span>
    </a>
  );
}
