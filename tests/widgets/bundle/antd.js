// Ant Design's Select and DatePicker, several of each, told on window.kept what they hold
import {createElement as h} from 'react';
import {createRoot} from 'react-dom/client';
import DatePicker from 'antd/es/date-picker';
import Select from 'antd/es/select';

window.kept = {};
const keep = name => value => { window.kept[name] = value };
const numbers = Array.from({length: 400}, (_, n) => ({value: n, label: `Item ${n}`}));
const colours = ['Red', 'Green', 'Blue', 'Grey'].map(name => ({value: name.toLowerCase(), label: name}));
createRoot(document.getElementById('app')).render([
  h('div', {key: 1, id: 'long'}, h(Select, {options: numbers, style: {width: 200}, onChange: keep('long')})),
  h('div', {key: 2, id: 'many'}, h(Select, {options: colours, mode: 'multiple', style: {width: 300}, onChange: keep('many')})),
  h('div', {key: 3, id: 'search'}, h(Select, {options: numbers, showSearch: {optionFilterProp: 'label'},
    style: {width: 200}, onChange: keep('search')})),
  h('div', {key: 4, id: 'day'}, h(DatePicker, {onChange: (_, text) => keep('day')(text)})),
  h('div', {key: 5, id: 'locked'}, h(DatePicker, {inputReadOnly: true, format: 'DD.MM.YYYY',
    onChange: (_, text) => keep('locked')(text)})),
]);
