// A ProseMirror editor whose document is told on window.kept
import {baseKeymap} from 'prosemirror-commands';
import {keymap} from 'prosemirror-keymap';
import {schema} from 'prosemirror-schema-basic';
import {EditorState} from 'prosemirror-state';
import {EditorView} from 'prosemirror-view';

const doc = schema.node('doc', null, [schema.node('paragraph', null, [schema.text('old words')])]);
const view = new EditorView(document.getElementById('app'), {
  state: EditorState.create({doc, plugins: [keymap(baseKeymap)]}),
  dispatchTransaction(change) {
    view.updateState(view.state.apply(change));
    window.kept = view.state.doc.textBetween(0, view.state.doc.content.size, '\n');
  },
});
