/** A screenshot of an automated page: a thumbnail that opens in full size. */
import { useState } from "preact/hooks";
import { sameOriginUrl } from "../api/client";
import { Dialog } from "./dialog";

interface Props {
  url: string;
  /** What it shows, for screen readers. */
  alt: string;
  caption?: string;
}

export function Picture({ url, alt, caption }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return <p class="small muted picture-gone">This screenshot has been deleted.</p>;
  return (
    <figure class="picture">
      <button type="button" onClick={() => setOpen(true)} aria-label={`Open: ${alt}`}>
        <img src={sameOriginUrl(url)} alt={alt} loading="lazy" decoding="async" onError={() => setMissing(true)} />
      </button>
      {caption && <figcaption class="small muted">{caption}</figcaption>}
      {isOpen && (
        <Dialog title={alt} wide onClose={() => setOpen(false)}>
          <img src={sameOriginUrl(url)} alt={alt} />
        </Dialog>
      )}
    </figure>
  );
}
