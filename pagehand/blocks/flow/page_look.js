// @ts-check
// What a frame shows, to notice that a page has been turned.
() => {
  const text = document.body ? document.body.innerText : '';
  const all = text + Array.from(document.images, image => image.currentSrc).join();
  let hash = 0;
  for (let at = 0; at < all.length; at++) hash = (hash * 31 + all.charCodeAt(at)) | 0;
  return hash + ':' + all.length;
}
