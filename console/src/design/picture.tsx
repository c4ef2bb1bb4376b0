/** A picture of an automated page: small in place, and whole when it is opened. */
import { useState } from "preact/hooks";
import { own } from "../api/client";
import { Dialog } from "./dialog";

interface Props {
  url: string;
  /** What it shows, for those who cannot see it. */
  alt: string;
  caption?: string;
}

export function Picture({ url, alt, caption }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isGone, setGone] = useState(false);
  if (isGone) return <p class="small muted picture-gone">The picture is no longer there.</p>;
  return (
    <figure class="picture">
      <button type="button" onClick={() => setOpen(true)} aria-label={`Open: ${alt}`}>
        <img src={own(url)} alt={alt} loading="lazy" decoding="async" onError={() => setGone(true)} />
      </button>
      {caption && <figcaption class="small muted">{caption}</figcaption>}
      {isOpen && (
        <Dialog title={alt} wide onClose={() => setOpen(false)}>
          <img src={own(url)} alt={alt} />
        </Dialog>
      )}
    </figure>
  );
}
