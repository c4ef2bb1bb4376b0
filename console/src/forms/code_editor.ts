/** A CodeMirror editor; loaded when the first code or JSON field is shown. */
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { EditorView, minimalSetup } from "codemirror";

export type Language = "json" | "python" | "javascript";

const LANGUAGES = { json, python, javascript };

const THEME = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--mono)", minHeight: "56px", caretColor: "var(--ink)" },
  ".cm-scroller": { maxHeight: "360px", overflow: "auto" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
});

const HIGHLIGHTING = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.bool, tags.null], color: "var(--accent)" },
    { tag: [tags.string, tags.propertyName], color: "var(--good)" },
    { tag: [tags.number], color: "var(--warn)" },
    { tag: [tags.comment], color: "var(--ink-3)" },
    { tag: [tags.invalid], color: "var(--bad)" },
  ]),
);

export class CodeEditor {
  private readonly view: EditorView;

  /** In a shadow root CodeMirror uses constructed style sheets, which the Content-Security-Policy allows. */
  constructor(host: HTMLElement, text: string, language: Language, label: string, onInput: (text: string) => void) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.view = new EditorView({
      doc: text,
      root,
      parent: root,
      extensions: [
        minimalSetup,
        LANGUAGES[language](),
        THEME,
        HIGHLIGHTING,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onInput(update.state.doc.toString());
        }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  close(): void {
    this.view.destroy();
  }
}
