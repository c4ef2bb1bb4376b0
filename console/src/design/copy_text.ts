/** Puts a text on the clipboard, also on a page served over plain HTTP, where browsers offer no `navigator.clipboard`. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard as Clipboard | undefined) return navigator.clipboard.writeText(text);
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", put, { once: true });
  document.execCommand("copy"); // deprecated, and the only way there
  document.removeEventListener("copy", put);
}
