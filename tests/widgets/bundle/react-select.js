// react-select: one choice, several, and options that arrive late
import {createElement as h} from 'react';
import {createRoot} from 'react-dom/client';
import Select from 'react-select';
import AsyncSelect from 'react-select/async';

window.kept = {};
const keep = name => chosen => { window.kept[name] = Array.isArray(chosen) ? chosen.map(c => c.value) : chosen?.value };
const options = ['Red', 'Green', 'Blue'].map(name => ({value: name.toLowerCase(), label: name}));
const later = text => new Promise(done => setTimeout(() =>
  done(options.filter(o => o.label.toLowerCase().startsWith(text.toLowerCase()))), 700));
createRoot(document.getElementById('app')).render([
  h('div', {key: 1, id: 'one'}, h(Select, {options, inputId: 'one-input', onChange: keep('one')})),
  h('div', {key: 2, id: 'many'}, h(Select, {options, isMulti: true, inputId: 'many-input', onChange: keep('many')})),
  h('div', {key: 3, id: 'late'}, h(AsyncSelect, {loadOptions: later, inputId: 'late-input', onChange: keep('late')})),
]);
