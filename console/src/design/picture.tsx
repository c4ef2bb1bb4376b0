/** A screenshot of an automated page: a thumbnail that opens in full size. */
import { useState } from "preact/hooks";
import { sameOriginUrl } from "../api/client";
import { Dialog } from "./dialog";

interface Props {
  url: string;
  /** What it shows, for screen readers. */
  alt: string;
  caption?: string;
  /** What is marked in it: left, top, width and height as shares of the picture. */
  mark?: readonly number[] | undefined;
}

export function Picture({ url, alt, caption, mark }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return <p class="small muted picture-gone">This screenshot has been deleted.</p>;
  return (
    <figure class="picture">
      <button type="button" onClick={() => setOpen(true)} aria-label={`Open: ${alt}`}>
        <img src={sameOriginUrl(url)} alt={alt} loading="lazy" decoding="async" onError={() => setMissing(true)} />
        <Mark place={mark} />
      </button>
      {caption && <figcaption class="small muted">{caption}</figcaption>}
      {isOpen && (
        <Dialog title={alt} wide onClose={() => setOpen(false)}>
          <div class="marked">
            <img src={sameOriginUrl(url)} alt={alt} />
            <Mark place={mark} />
          </div>
        </Dialog>
      )}
    </figure>
  );
}

function Mark({ place }: { place: readonly number[] | undefined }) {
  if (!place) return null;
  const [left, top, width, height] = place.map((share) => `${100 * share}%`);
  return <span class="mark" style={{ left, top, width, height }} />;
}
