// @ts-check
// The live view: draws what the service sends and tells it what the person does.
'use strict';
(() => {
  /** @returns {any} */
  const $ = (id) => document.getElementById(id);
  const token = new URLSearchParams(location.search).get('t') || '';
  const isTouch = matchMedia('(pointer: coarse)').matches;
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  const screen = $('screen'), stage = $('stage'), keys = $('keys'), pen = screen.getContext('2d', {alpha: false});
  const PIECE = 256 * 1024, MOST = 50e6;

  let socket = null, state = null, isOver = false, tries = 0, retry = 0;

  // a secret of this tab: after a lost connection it is known again, and still has control
  const key = (() => {
    let made = sessionStorage.getItem('pagehand.live');
    if (!made) {
      made = Array.from(crypto.getRandomValues(new Uint8Array(24)), (n) => n.toString(16).padStart(2, '0')).join('');
      sessionStorage.setItem('pagehand.live', made);
    }
    return made;
  })();

  const drives = () => state !== null && state.driver === 'you' && socket !== null && socket.readyState === 1;
  const say = (type, more) => { if (socket && socket.readyState === 1) socket.send(JSON.stringify({type, ...more})); };

  // ---- the connection
  function connect() {
    clearTimeout(retry);
    const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live/socket`;
    const mine = socket = new WebSocket(address, ['pagehand.live', `t.${token}`, `k.${key}`]);
    mine.binaryType = 'blob';
    mine.onmessage = (event) => { if (mine === socket) hear(event.data); };
    mine.onclose = () => { if (mine === socket && !isOver) again(); };
  }
  function again() {
    state = null;
    tries += 1;
    if (!document.body.dataset.idle || tries > 3) curtain(tries > 1 ? 'The connection is lost. Trying again…' : 'Connecting…');
    show();
    retry = setTimeout(connect, Math.min(10000, 500 * 2 ** Math.min(tries, 5)));
  }
  function hear(data) {
    if (typeof data !== 'string') { draw(data); return; }
    const message = JSON.parse(data);
    if (message.type === 'state') { tries = 0; delete document.body.dataset.idle; state = message; show(); }
    else if (message.type === 'refused') toast(message.message);
    else if (message.type === 'ended') end(message);
  }
  function end(message) {
    isOver = message.isFinal;
    state = null;
    tries = 0;
    document.body.dataset.idle = '1';
    document.body.dataset.ended = message.isFinal ? message.status || 'Ended' : '';
    curtain(message.message);
    show();
    $('status-text').textContent = message.isFinal ? message.status || 'Ended' : 'Waiting for a browser';
  }
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    unseen.splice(0).forEach(() => say('seen'));
    if (!isOver && (!socket || socket.readyState > 1)) connect();
  });

  // ---- pictures: the newest one only
  let newest = null, isDrawing = false;
  const unseen = [];
  async function draw(blob) {
    if (newest) seen();
    newest = blob;
    if (isDrawing) return;
    isDrawing = true;
    while (newest) {
      const picture = newest;
      newest = null;
      try {
        const bitmap = await createImageBitmap(picture);
        if (screen.width !== bitmap.width || screen.height !== bitmap.height) {
          screen.width = bitmap.width;
          screen.height = bitmap.height;
          lay();
        }
        pen.drawImage(bitmap, 0, 0);
        bitmap.close();
        document.body.dataset.frames = String(Number(document.body.dataset.frames || 0) + 1);
        if (state) curtain('');
      } catch { /* half a picture: the next one is whole */ }
      seen();
    }
    isDrawing = false;
  }
  const seen = () => { if (document.hidden) unseen.push(1); else say('seen'); };

  // ---- what is shown around the picture
  function show() {
    const s = state;
    document.body.dataset.driver = s ? s.driver : 'nobody';
    document.body.dataset.tone = !s ? 'off' : s.driver === 'you' ? 'yours' : s.heldFor ? 'held' : 'running';
    const control = $('take-control');
    control.hidden = !s || !s.mayDrive;
    for (const id of ['back', 'reload', 'keyboard']) $(id).disabled = !s || s.driver !== 'you';
    if (!s) { hush('question'); hush('chooser'); $('notice').hidden = true; return; }
    $('workflow').textContent = s.workflow;
    document.title = `${s.workflow} – live view`;
    const words = {you: s.waitsFor ? 'Done, give back' : 'Give back', other: 'Take over…', nobody: 'Take control'};
    control.textContent = words[s.driver];
    $('status-text').textContent = s.driver === 'you' ? (s.heldFor ? 'You are in control; the run is paused' : 'You are in control; the run pauses after this step')
      : s.driver === 'other' ? 'Somebody else is in control' : s.heldFor ? 'Paused' : 'Running';
    const notice = s.waitsFor || (s.driver === 'nobody' ? s.heldFor : '');
    $('notice').hidden = !notice;
    $('notice').textContent = notice.replaceAll('`', '');
    showTabs(s);
    ask(s);
    choose(s);
    lay();
    if (s.driver !== 'you' && document.activeElement === keys) keys.blur();
  }
  function showTabs(s) {
    const list = $('tabs');
    while (list.children.length > s.tabs.length) list.lastChild.remove();
    s.tabs.forEach((tab, place) => {
      let button = /** @type {any} */ (list.children[place]);
      if (!button) {
        button = document.createElement('button');
        button.type = 'button';
        button.setAttribute('role', 'tab');
        button.append(document.createElement('b'), document.createElement('small'));
        button.onclick = () => { say('tab', {id: Number(button.dataset.id)}); attend(); };
        list.append(button);
      }
      button.dataset.id = tab.id;
      button.disabled = s.driver !== 'you';
      button.setAttribute('aria-selected', tab.isCurrent);
      button.firstChild.textContent = tab.title || tab.site || 'New tab';
      button.lastChild.textContent = tab.title ? tab.site : '';
    });
  }
  function curtain(text) {
    $('curtain').hidden = !text;
    $('curtain-text').textContent = text;
  }
  let fading = 0;
  function toast(text) {
    $('toast').textContent = text;
    $('toast').hidden = false;
    clearTimeout(fading);
    fading = setTimeout(() => { $('toast').hidden = true; }, 5000);
  }

  // ---- who drives
  $('take-control').onclick = () => {
    if (state.driver === 'you') say('give back');
    else if (state.driver === 'other') $('takeover').showModal();
    else { say('take'); attend(); }
  };
  $('takeover').querySelector('form').onsubmit = () => say('take', {takeover: true});
  $('takeover-no').onclick = () => $('takeover').close();
  $('back').onclick = () => { say('back'); attend(); };
  $('reload').onclick = () => { say('reload'); attend(); };

  // ---- dialogs of the page
  const hush = (id) => { if ($(id).open) $(id).close(); delete $(id).dataset.id; };
  function ask(s) {
    const box = $('question'), q = s.question;
    if (!q) { hush('question'); return; }
    if (box.dataset.id === String(q.id) && box.open) { lock(s); return; }
    box.dataset.id = q.id;
    $('question-from').textContent = q.kind === 'beforeunload' ? 'Leave this page?' : 'The page says';
    $('question-text').textContent = q.message || (q.kind === 'beforeunload' ? 'Changes you made may not be saved.' : '');
    $('question-answer').hidden = q.kind !== 'prompt';
    $('question-answer').value = q.suggestion;
    $('question-no').hidden = q.kind === 'alert';
    $('question-yes').textContent = q.kind === 'beforeunload' ? 'Leave' : 'OK';
    lock(s);
    if (!box.open) box.showModal();
  }
  const lock = (s) => { for (const id of ['question-yes', 'question-no', 'question-answer']) $(id).disabled = s.driver !== 'you'; };
  function answer(accept) {
    const text = $('question-answer').hidden || !accept ? {} : {text: $('question-answer').value};
    say('answer', {id: Number($('question').dataset.id), accept, ...text});
    hush('question');
    attend();
  }
  $('question').querySelector('form').onsubmit = (event) => { event.preventDefault(); answer(true); };
  $('question-no').onclick = () => answer(false);
  $('question').oncancel = (event) => { event.preventDefault(); if (drives()) answer(false); };

  // ---- files
  function choose(s) {
    const box = $('chooser'), c = s.chooser;
    if (!c || s.driver !== 'you') { hush('chooser'); return; }
    if (box.dataset.id === String(c.id)) return;
    box.dataset.id = c.id;
    $('files').value = '';
    $('files').multiple = c.isMultiple;
    $('sent').hidden = true;
    $('chooser-yes').disabled = false;
    box.showModal();
  }
  $('chooser').querySelector('form').onsubmit = (event) => { event.preventDefault(); sendFiles([...$('files').files]); };
  $('chooser-no').onclick = () => { say('no files'); $('chooser').close(); attend(); };
  $('chooser').oncancel = () => say('no files');
  async function sendFiles(files) {
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (!files.length) { toast('Choose a file first.'); return; }
    if (size > MOST) { toast('The files are larger than 50 MB together.'); return; }
    const mine = socket, bar = $('sent');
    let done = 0;
    bar.hidden = false;
    $('chooser-yes').disabled = true;
    for (const file of files) {
      say('file', {name: file.name.slice(-255)});
      for (let at = 0; at < file.size; at += PIECE) {
        while (mine.bufferedAmount > 4 * PIECE) await new Promise((go) => setTimeout(go, 20));
        if (mine !== socket || mine.readyState !== 1) return;
        mine.send(await file.slice(at, at + PIECE).arrayBuffer());
        done += PIECE;
        bar.value = Math.min(1, done / size);
      }
    }
    say('files');
    $('chooser').close();
    attend();
  }

  // ---- where the picture lies: fitted to the room there is, or zoomed into
  const view = {zoom: 1, x: 0, y: 0, fit: 1};
  function lay() {
    const room = stage.getBoundingClientRect(), edge = room.width > 700 ? 12 : 0;
    view.fit = Math.max(0.05, Math.min((room.width - 2 * edge) / screen.width, (room.height - 2 * edge) / screen.height));
    if (room.width > 700) view.fit = Math.min(view.fit, 1.5);
    const scale = view.fit * view.zoom, width = screen.width * scale, height = screen.height * scale;
    const hold = (at, size, all) => size <= all ? (all - size) / 2 : Math.min(0, Math.max(all - size, at));
    view.x = hold(view.x, width, room.width);
    view.y = height <= room.height ? (room.width > 700 ? (room.height - height) / 2 : 0) : hold(view.y, height, room.height);
    screen.style.transform = `translate(${view.x}px, ${view.y}px) scale(${scale})`;
    $('zoom').setAttribute('aria-pressed', view.zoom > 1);
  }
  function zoomTo(zoom, clientX, clientY) {
    const room = stage.getBoundingClientRect(), before = view.fit * view.zoom;
    const px = clientX - room.left, py = clientY - room.top;
    const pageX = (px - view.x) / before, pageY = (py - view.y) / before;
    view.zoom = Math.min(8, Math.max(1, zoom));
    const after = view.fit * view.zoom;
    view.x = px - pageX * after;
    view.y = py - pageY * after;
    lay();
  }
  $('zoom').onclick = () => {
    const room = stage.getBoundingClientRect();
    const at = last.at ? {x: last.x, y: last.y} : {x: room.left + room.width / 2, y: room.top + screen.height * view.fit / 2};
    zoomTo(view.zoom > 1 ? 1 : Math.max(2, 0.8 / view.fit), at.x, at.y);
  };
  new ResizeObserver(lay).observe(stage);

  // ---- the mouse, and fingers that stand in for it
  const BUTTONS = ['left', 'middle', 'right'];
  const modifiers = (e) => (e.altKey ? 1 : 0) | (e.ctrlKey || (isMac && e.metaKey) ? 2 : 0) | (!isMac && e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);
  function place(e) {
    const box = screen.getBoundingClientRect();
    const within = (at, size) => Math.round(Math.min(size - 1, Math.max(0, at)) * 10) / 10;
    return {
      x: within((e.clientX - box.left) / box.width * state.width, state.width),
      y: within((e.clientY - box.top) / box.height * state.height, state.height),
    };
  }
  const mouse = (kind, e, more) => say('mouse', {kind, ...place(e), modifiers: modifiers(e), ...more});

  let last = {at: 0, x: 0, y: 0, button: -1, count: 0};
  function clicks(e) {
    const near = Math.abs(e.clientX - last.x) < 6 && Math.abs(e.clientY - last.y) < 6;
    const count = e.timeStamp - last.at < 450 && near && e.button === last.button ? Math.min(3, last.count + 1) : 1;
    last = {at: e.timeStamp, x: e.clientX, y: e.clientY, button: e.button, count};
    return count;
  }
  let moved = null;
  function moves(e) {
    if (!moved) requestAnimationFrame(() => { const at = moved; moved = null; if (at && drives()) mouse('move', at, {buttons: at.buttons & 7, button: at.buttons & 1 ? 'left' : 'none'}); });
    moved = e;
  }
  const fingers = new Map();
  let tap = null, pair = null;
  screen.addEventListener('pointerdown', (e) => {
    e.preventDefault();
    if (e.pointerType === 'touch') { touchDown(e); return; }
    if (!drives() || e.button > 2) return;
    screen.setPointerCapture(e.pointerId);
    moved = null;
    mouse('down', e, {button: BUTTONS[e.button], buttons: e.buttons & 7, clicks: clicks(e)});
    attend();
  });
  screen.addEventListener('pointermove', (e) => {
    if (e.pointerType === 'touch') touchMove(e);
    else if (drives()) moves(e);
  });
  screen.addEventListener('pointerup', (e) => {
    if (e.pointerType === 'touch') { touchUp(e); return; }
    if (!drives() || e.button > 2) return;
    moved = null;
    mouse('up', e, {button: BUTTONS[e.button], buttons: e.buttons & 7, clicks: last.count});
  });
  screen.addEventListener('pointercancel', (e) => { if (e.pointerType === 'touch') touchUp(e, true); });
  screen.addEventListener('contextmenu', (e) => e.preventDefault());
  screen.addEventListener('wheel', (e) => {
    e.preventDefault();
    if (!drives()) return;
    const unit = e.deltaMode === 1 ? 24 : e.deltaMode === 2 ? 400 : 1;
    mouse('wheel', e, {deltaX: e.deltaX * unit, deltaY: e.deltaY * unit});
  }, {passive: false});

  // one finger taps and drags, two scroll and pinch
  function touchDown(e) {
    fingers.set(e.pointerId, e);
    screen.setPointerCapture(e.pointerId);
    if (fingers.size === 1) { tap = {start: e, isDrag: false}; return; }
    if (tap && tap.isDrag && drives()) mouse('up', e, {button: 'left', clicks: 1});
    tap = null;
    pair = spread();
  }
  function spread() {
    const [a, b] = [...fingers.values()];
    return {x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, wide: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)};
  }
  function touchMove(e) {
    if (!fingers.has(e.pointerId)) return;
    fingers.set(e.pointerId, e);
    if (fingers.size === 2 && pair) { together(); return; }
    if (!tap || !drives()) return;
    if (!tap.isDrag && Math.hypot(e.clientX - tap.start.clientX, e.clientY - tap.start.clientY) > 10) {
      tap.isDrag = true;
      mouse('move', tap.start);
      mouse('down', tap.start, {button: 'left', buttons: 1, clicks: 1});
    }
    if (tap.isDrag) mouse('move', e, {button: 'left', buttons: 1});
  }
  function together() {
    const now = spread();
    if (Math.abs(now.wide / pair.wide - 1) > 0.02) zoomTo(view.zoom * now.wide / pair.wide, now.x, now.y);
    const dx = now.x - pair.x, dy = now.y - pair.y;
    const was = {x: view.x, y: view.y};
    view.x += dx;
    view.y += dy;
    lay();
    // what the zoomed picture cannot move any further, the page scrolls
    const left = {x: dx - (view.x - was.x), y: dy - (view.y - was.y)}, scale = view.fit * view.zoom;
    if (drives() && (Math.abs(left.x) > 0.5 || Math.abs(left.y) > 0.5)) {
      mouse('wheel', {clientX: now.x, clientY: now.y}, {deltaX: -left.x / scale, deltaY: -left.y / scale});
    }
    pair = now;
  }
  function touchUp(e, isCancelled) {
    fingers.delete(e.pointerId);
    if (fingers.size < 2) pair = null;
    if (!tap || fingers.size) return;
    const done = tap;
    tap = null;
    if (!drives()) return;
    if (done.isDrag) { mouse('up', e, {button: 'left', clicks: 1}); return; }
    if (isCancelled) return;
    const count = clicks(e);
    mouse('move', e);
    mouse('down', e, {button: 'left', buttons: 1, clicks: count});
    mouse('up', e, {button: 'left', clicks: count});
    rest();
  }

  // ---- the keyboard: a hidden field takes keys, pasted text, and what input methods compose
  const REST = '  ';
  let before = REST;
  function rest() { keys.value = before = REST; keys.setSelectionRange(REST.length, REST.length); }
  function attend() { if (!isTouch || document.activeElement === keys) { keys.focus({preventScroll: true}); rest(); } }
  $('keyboard').addEventListener('pointerdown', (e) => e.preventDefault());
  $('keyboard').onclick = () => { if (document.activeElement === keys) keys.blur(); else { keys.focus({preventScroll: true}); rest(); } };
  keys.onfocus = () => $('keyboard').setAttribute('aria-pressed', 'true');
  keys.onblur = () => $('keyboard').setAttribute('aria-pressed', 'false');
  screen.addEventListener('focus', () => { if (drives() && !isTouch) attend(); });

  function press(kind, e, text) {
    const isCommand = isMac && e.metaKey && e.key !== 'Meta';
    const name = isMac && e.key === 'Meta' ? 'Control' : e.key, code = isMac && e.key === 'Meta' ? 'ControlLeft' : e.code;
    const isAltGr = e.getModifierState && e.getModifierState('AltGraph');
    const key = {
      kind, key: name.slice(0, 64), code: (code || '').slice(0, 64), keyCode: name === 'Control' ? 17 : e.keyCode & 255,
      modifiers: isAltGr ? modifiers(e) & 8 : modifiers(e), location: e.location, isRepeat: e.repeat, text: kind === 'down' ? text : '',
    };
    say('key', key);
    if (kind === 'down' && isCommand) say('key', {...key, kind: 'up', text: ''});
  }
  function strike(name, keyCode, text = '') {
    for (const kind of ['down', 'up']) say('key', {kind, key: name, code: name, keyCode, text: kind === 'down' ? text : ''});
  }
  keys.addEventListener('keydown', (e) => {
    if (e.key === 'F6') { e.preventDefault(); $('take-control').focus(); return; }
    if (!drives()) return;
    if (e.isComposing || e.key === 'Unidentified' || e.key === 'Process' || e.key === 'Dead' || e.keyCode === 229) return;
    const isCommand = e.ctrlKey || e.metaKey;
    if (isCommand && e.key.toLowerCase() === 'v' || e.shiftKey && e.key === 'Insert') return;
    e.preventDefault();
    const isAltGr = e.getModifierState('AltGraph');
    const isTyped = e.key.length === 1 && (!isCommand || isAltGr);
    press('down', e, e.key === 'Enter' ? '\r' : isTyped ? e.key : '');
  });
  keys.addEventListener('keyup', (e) => {
    if (!drives() || e.isComposing || e.key === 'Unidentified' || e.keyCode === 229) return;
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'v') return;
    e.preventDefault();
    press('up', e, '');
  });
  keys.addEventListener('paste', (e) => {
    e.preventDefault();
    const text = e.clipboardData.getData('text/plain').slice(0, 100000);
    if (text && drives()) say('text', {text});
    rest();
  });
  // what was typed is the difference to what stood there: on-screen keyboards correct themselves
  function typed() {
    if (!drives()) { rest(); return; }
    const now = keys.value;
    let same = 0;
    while (same < before.length && same < now.length && before[same] === now[same]) same += 1;
    for (let n = before.length - same; n > 0; n -= 1) strike('Backspace', 8);
    now.slice(same).split('\n').forEach((line, n) => {
      if (n) strike('Enter', 13, '\r');
      if (line) say('text', {text: line});
    });
    before = now;
  }
  keys.addEventListener('input', (e) => {
    if (e.isComposing && !isTouch) return;
    typed();
    if (!e.isComposing && (keys.value.length > 200 || keys.value.length < REST.length)) rest();
  });
  keys.addEventListener('compositionend', () => { if (!isTouch) { typed(); rest(); } });

  lay();
  connect();
})();
