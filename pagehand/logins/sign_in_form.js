// @ts-check
// Reads what a page asks of someone who signs in: runs inside the page, changes nothing.
// Returns the elements to fill and press, and `facts` about the page.
(dom) => {
  const {collapseSpaces: plain, isReachable: visible, selectAll: all} = dom;
  const ROLES = {
    user: /\b(user ?(name|id)?|login|log ?in|sign ?in|e ?mail|account|member|customer|client ?(id|number)|mobile|phone|benutzer(name)?|kennung|anmeldename|konto|identifiant|compte|courriel|usuario|correo|cuenta|utente|gebruiker(snaam)?)\b/,
    code: /\b(one ?time|otp|totp|[2t]fa|mfa|two ?(factor|step)|2 ?step|verification|authenticat(or|ion)|security code|passcode|einmal\w*|sicherheitscode|bestätigungscode|vérification|verificación|verifica)\b/,
    weakCode: /\b(code|token|pin|código|codice)\b/,
    notCode: /\b(zip|postal|post ?code|promo\w*|coupon|country|area|dial\w*|discount|referral|gift|voucher|captcha|sort|tracking|order|product|article|serial|bar ?code|invit\w*)\b/,
    notUser: /\b(search|suche|recherche|buscar|newsletter|subscribe|coupon|promo|captcha|zip|(first|last|family|given) ?name|company|city|street|message|comment|confirm|repeat)\b/,
    newPassword: /\b(new|confirm|repeat|retype|again|neues|wiederholen|nouveau|nueva)\b/,
  };
  const GO = /^(sign|log) ?(me )?(in|on)\b|^login|^log ?in|^enter$|^submit|^continue|^next|^proceed|^verify|^confirm|^go\b|^anmelden|^einloggen|^weiter|^bestätigen|^se connecter|^connexion|^continuer|^suivant|^valider|^iniciar sesión|^entrar|^acceder|^siguiente|^continuar|^accedi|^avanti|^inloggen|^aanmelden|^volgende|^verder/;
  const NOT_GO = /\b(forgot(ten)?|reset|show|hide|register|sign ?up|create|cancel|back|help|resend|send again|another|different|passkey|qr|google|facebook|apple|microsoft|github|sso|with|vergessen|registrieren|oubli|olvid\w*|close|language)\b/;
  const OPEN_FORM = /^((sign|log) ?(in|on)|login|my account|anmelden|einloggen|se connecter|connexion|iniciar sesión|accedi|inloggen)$/;
  const LEAVE = /\b(log|sign) ?(out|off)\b|\b(abmelden|ausloggen|déconnexion|se déconnecter|cerrar sesión|salir|esci|uitloggen|afmelden)\b/;
  const WRONG = /\b(incorrect|enter (a|the|your) (correct|valid)|too (fast|often)|invalid|wrong|not (valid|recogni[sz]ed|correct|found|right)|(does|do)(n['’]?t| not) (match|exist)|we (do|did|could)(n['’]?t| not) recogni[sz]e|unknown (user|account)|no (such )?(account|user)|(could not|couldn['’]?t|cannot|can['’]?t|unable to) (find|sign|log|verify)|failed|expired|locked|disabled|suspended|blocked|too many|denied|falsch\w*|ungültig\w*|gesperrt|incorrecte?s?|invalide|inválid\w*|incorrect[ao]s?|errat[ao]|non valid[ao]|ongeldig|onjuist)\b/;
  // other languages, whose words have no ASCII edges
  const WRONG_ABROAD = /stimmt nicht|nicht (korrekt|erkannt|gültig|akzeptiert)|fehlgeschlagen|abgelaufen|n['’]est pas (valide|correct)|erroné|expiré|échou|refusé|no es (válid|correct)|caducad|expirad|incorret|não é válid|scadut|niet (juist|geldig|correct)|verlopen|nieprawidłow|niepoprawn|błędn|wygas|felaktig|ogiltig|ugyldig|forkert|feil (kode|passord|bruker)|utgått|udløbet|virheelli|väärä|vanhentu|nesprávn|neplatn|geçersiz|hatalı|yanlış|неверн|неправильн|недействител|истек|невірн|正しく(ない|ありません)|無効|間違|期限切れ|错误|不正确|无效|有误|过期|錯誤|不正確|無效|올바르지|잘못|유효하지|만료/;
  const CREDENTIALS = /code|passcode|password|passwor[dt]|kennwort|passphrase|mot de passe|contraseña|wachtwoord|senha|hasł|lösenord|adgangskode|passord|salasana|heslo|şifre|parola|\bpin\b|\botp\b|token|credential|\bdetails\b|combination|anmeldedaten|user ?name|user ?id|benutzer|identifiant|usuario|utente|login|log ?in|sign(ing)?[ -]?(in|on)|anmeld|verif|authenti[cf]|código|codice|kod|koodi|код|парол|логин|コード|パスワード|认证|验证|密码|用户名|驗證|密碼|코드|비밀번호/;
  const SIGNED_OUT = /\bsession\b.{0,20}\b(has |have |is |was |a )?(been )?(expired|timed out|time-?out|ended|expiré|terminated)|\byour session\b.{0,30}\b(expired|timed out|ended|over)|\b(sign|log)(ed|ged)[ -]out\b|\bplease (sign|log) ?[io]n\b|\b(sign|log) in (again|to (continue|view|access|see|proceed))|\b(must|need to|have to) (be )?(sign|log)(ged|ed)? ?in\b|\bnot (currently )?(sign|logg)ed ?in\b|\b(access|permission) (is |was )?denied\b|\b(not authori[sz]ed|unauthori[sz]ed|authentication required|login required)\b|sitzung.{0,20}(abgelaufen|beendet|ungültig)|bitte (melden sie sich|melde dich|loggen|anmelden|einloggen)|(nicht (mehr )?angemeldet|abgemeldet)|zugriff verweigert|session.{0,12}(a )?expiré|veuillez vous (re)?connecter|veuillez vous identifier|déconnecté|accès refusé|sesión.{0,12}(caduc|expir|finaliz)|inicie sesión (de nuevo|para)|acceso denegado|sessione.{0,12}scadut|effettua(re)? (di nuovo )?l['’]accesso|accesso negato|sessie.{0,12}verlopen|log opnieuw in|sessão.{0,12}(expir|encerr)|faça login|acesso negado|sesja.{0,12}wygas|zaloguj się ponownie|сеанс.{0,12}(истек|заверш)|сессия.{0,12}истек|войдите|セッション.{0,12}(切れ|終了|無効)|ログインしてください|ログインし直|会话.{0,8}(过期|超时)|登录.{0,8}(过期|失效|超时)|请(先|重新)?登录|請(先|重新)?登入|세션.{0,8}만료|다시 로그인/;
  const SIGN_IN = /^((sign|log) ?(me )?(in|on)|login|anmelden|einloggen|se connecter|connexion|s['’]identifier|iniciar sesión|ingresar|accedi|inloggen|aanmelden|entrar|fazer login|zaloguj( się)?|logga in|log ind|logg inn|kirjaudu( sisään)?|přihlásit( se)?|giriş( yap)?|oturum aç|войти|вход|увійти|ログイン|サインイン|登录|登入|로그인)(?![a-z])/;
  const ALERTS = '[role=alert],[aria-live=assertive],.alert,.error,.errors,.errorlist,.invalid-feedback,.help-block,[class*="error" i],[class*="danger" i],[id*="error" i],[data-testid*="error" i]';
  const COOKIES = /\b(cookies?|consent|gdpr|datenschutz)\b/;
  const REFUSE = /\b(reject|decline|refuse|deny|only (necessary|essential)|(necessary|essential|required) (cookies )?only|ablehnen|nur notwendige|refuser|rechazar|rifiuta|weigeren)\b/;
  const CLOSE = /^(close|dismiss|schließen|fermer|cerrar|chiudi|sluiten|×|✕|x)$/;
  const REMEMBER = /\b(remember|stay (signed|logged) in|keep me (signed|logged) in|trust this|angemeldet bleiben|se souvenir|rester connecté|recordar(me)?|mantener|ricordami|onthoud)\b/;
  const GRANTS = /\b(wants?|would like|is requesting|requests?|asks? for|requires?|möchte|souhaite|solicita)\b.{0,120}\b(access|permissions?|zugriff|accès|acceso|autorisation)|\bauthori[sz]e\b|\bgrant access\b|\bconsent\b/;
  const STAYS = /\b(stay|keep( me)?) (signed|logged) in\b|\btrust this (browser|device|computer)\b|\bangemeldet bleiben\b/;
  const YES = /^(yes|allow|authori[sz]e|approve|accept|agree|grant|continue|ok(ay)?|trust|ja|zulassen|erlauben|autoriser|oui|autorizar|permitir|sí|consenti)\b/;
  const NO = /^(no\b|not now|cancel|deny|decline|reject|refuse|disallow|skip|don['’]?t|later|nein|ablehnen|abbrechen|refuser|annuler|non\b|cancelar|rechazar|annulla|nega)/;
  const SENT_LINK = /\b(check|open) your (e ?-?mail|inbox|mailbox)\b|\b(magic|sign ?-?in|log ?-?in) link\b.{0,60}\b(sent|e ?-?mailed)\b|\b(sent|e ?-?mailed)\b.{0,60}\b(magic|sign ?-?in|log ?-?in)? ?link\b/;
  const SEND_CODE = /^(send|get|e ?-?mail|text|request)\b.{0,20}\b(code|otp|challenge|token|passcode)\b/;
  const ACCEPT = /\b(accept|agree|allow|ok(ay)?|got it|akzeptieren|zustimmen|accepter|aceptar|accetta|accepteren)\b/;

  const words = (text) =>
    plain((text || '').replace(/([a-zäöü])([A-Z])/g, '$1 $2').replace(/[_\-.:[\]*]+/g, ' ')).toLowerCase();
  const named = (element) => dom.nameOf(element, dom.renderedText).toLowerCase();
  // all that may say what a field is for, names no person sees included: one of them has to speak plainly
  const hint = (input) => words([
    dom.labelText(input, dom.renderedText), dom.ariaName(input, dom.renderedText), input.getAttribute('aria-label'),
    input.placeholder, input.title,
    input.name, input.id, input.getAttribute('formcontrolname'), input.dataset.testid,
  ].filter(Boolean).join(' '));
  const completes = (input, token) => (input.getAttribute('autocomplete') || '').toLowerCase().split(/\s+/).includes(token);
  const before = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  const best = (elements, score) => elements
    .map((element) => ({ element, points: score(element) })).filter((one) => one.points > 0)
    .sort((one, other) => other.points - one.points)[0]?.element || null;
  const scopeOf = (element) => element.form || element.closest('form,[role=form],[role=dialog],dialog,fieldset,main') || element.getRootNode();

  const inputs = all('input').filter((input) =>
    ['text', 'email', 'tel', 'password', 'number', ''].includes(input.type) &&
    !input.disabled && !input.readOnly && visible(input) && !input.closest('[role=search]'));

  const codePoints = (input) => {
    const text = hint(input);
    if (ROLES.notCode.test(text)) return 0;
    if (completes(input, 'one-time-code')) return 100;
    if (ROLES.code.test(text) && !/\b(user|e ?mail|phone)\b/.test(text)) return 60;
    if (input.type === 'email' || completes(input, 'username') || completes(input, 'current-password')) return 0;
    return ROLES.weakCode.test(text) ? 30 : 0;
  };
  const boxes = inputs.filter((input) => input.maxLength === 1);
  const sure = inputs.filter((input) => codePoints(input) >= 60);
  const passwords = inputs.filter((input) => input.type === 'password' && !sure.includes(input) && !boxes.includes(input));
  const isNew = (input) => completes(input, 'new-password') || ROLES.newPassword.test(hint(input));
  // a form with the old password and a new one changes it: whoever sees that is signed in
  const changes = (input) => passwords.some((other) => other !== input && isNew(other) && scopeOf(other) === scopeOf(input));
  const signing = passwords.filter((input) => !changes(input));
  const password = signing.find((input) => completes(input, 'current-password')) || signing.find((input) => !isNew(input)) || null;

  const userPoints = (input) => {
    if (input.type === 'password' || sure.includes(input) || boxes.includes(input)) return 0;
    const text = hint(input);
    const near = password && scopeOf(input) === scopeOf(password) && before(input, password);
    let points = near ? 30 : 0;
    if (completes(input, 'username')) points += 100;
    else if (completes(input, 'email')) points += 60;
    if (input.type === 'email') points += 50;
    if (ROLES.user.test(text)) points += 40;
    const around = input.form || input.closest('footer,aside');
    if (ROLES.notUser.test(text) || (around && /\b(newsletter|subscribe)\b/.test(words(around.innerText)))) points -= 120;
    const alone = !password && inputs.filter((other) => scopeOf(other) === scopeOf(input)).length === 1;
    if (!points && alone && /\b(sign|log) ?in\b|\blogin\b|\banmeld/.test(words(document.title + ' ' + (all('h1,h2')[0]?.textContent || '')))) points += 15;
    return points;
  };
  const weak = !password && best(inputs, codePoints);
  const user = best(inputs.filter((input) => input !== weak || userPoints(input) > 60), userPoints);
  const one = best(sure, codePoints) || (user || password ? null : weak);
  const code = boxes.length >= 4 ? boxes : one ? [one] : [];

  const last = code[0] || password || user;
  const buttons = all('button,input[type=submit],input[type=button],input[type=image],[role=button],a[href]').filter(visible);
  const buttonPoints = (button) => {
    const name = named(button);
    if (NOT_GO.test(name) || scopeOf(button) !== scopeOf(last) || button.tagName === 'A') return 0;
    const submits = button.type === 'submit' || button.type === 'image';
    return (GO.test(name) ? 50 : 0) + (submits ? 30 : 0) + (before(last, button) ? 5 : 0);
  };
  const button = last ? best(buttons, buttonPoints) : null;

  const inBanner = (element) => {
    for (let around = element.parentElement, steps = 0; around && steps < 8; around = around.parentElement, steps++) {
      const placed = ['fixed', 'sticky', 'absolute'].includes(getComputedStyle(around).position);
      if ((placed || around.matches('[role=dialog],dialog')) && COOKIES.test(words(around.innerText || ''))) return true;
    }
    return false;
  };
  const bannerPoints = (element) => {
    const name = named(element);
    const points = REFUSE.test(name) ? 3 : CLOSE.test(name) ? 2 : ACCEPT.test(name) ? 1 : 0;
    return points && element.tagName !== 'A' && inBanner(element) ? points : 0;
  };
  const banner = best(buttons, bannerPoints);

  const canSignOut = all('a,button,[role=button],[role=menuitem],input[type=submit]').some((element) => LEAVE.test(named(element)));

  const shownText = (element) => plain(element.innerText).slice(0, 300);
  const alerts = all(ALERTS).filter(visible).map(shownText).filter((text) => text.length > 2 && text.length < 300);
  const unfit = inputs.filter((input) => input.matches(':user-invalid')).map((input) => plain(input.validationMessage));
  const isWrong = (text) => WRONG.test(text.toLowerCase()) || WRONG_ABROAD.test(text.toLowerCase());
  const complaints = [...alerts.filter(isWrong), ...unfit.filter(Boolean)];
  if (last && !complaints.length) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let seen = 0; walker.nextNode() && seen < 3000; seen++) {
      const text = plain(walker.currentNode.nodeValue);
      const parent = walker.currentNode.parentElement;
      if (text.length > 4 && text.length < 200 && isWrong(text) && parent &&
          !parent.closest('script,style,noscript,label,button,a,option') && visible(parent)) complaints.push(text);
    }
  }
  // what the page says line by line, as it is seen: a sentence in several elements is still one
  const lines = plain(document.body?.innerText.slice(0, 20000).replace(/\n+/g, '\u0000')).split('\u0000').map(plain)
    .concat(alerts).filter((line) => line.length > 3 && line.length < 300).slice(0, 500);
  const isPast = (line) => /\b(last|recent|previous|letzte[rn]?|derni[eè]re?s?|últim[oa]s?)\b/.test(line.toLowerCase());
  const refusals = lines.filter((line) => isWrong(line) && CREDENTIALS.test(line.toLowerCase()) && !isPast(line));
  const signedOut = lines.filter((line) => SIGNED_OUT.test(line.toLowerCase()) && !LEAVE.test(line.toLowerCase()));
  // a name and a password side by side sign in, unless the button says that they are saved or used for something
  const KEEPS = /\b(save|update|change|apply|pay|confirm|create|register|sign ?up|add|send|delete|speichern|ändern|bestätigen|registrieren|enregistrer|modifier|guardar|cambiar|salva|modifica|opslaan|wijzigen)\b/;
  const buttonName = button ? named(button) : '';
  // an application or an order form may ask for a password among much else
  const MOST_FIELDS = 5;
  const isShort = Boolean(last) && (code.length > 0 || [...scopeOf(last).querySelectorAll('input,select,textarea')].filter((field) =>
    !['hidden', 'submit', 'button', 'image', 'reset', 'checkbox', 'radio'].includes(field.type) && visible(field)).length <= MOST_FIELDS);
  const signsIn = Boolean(last) && (SIGN_IN.test(buttonName) || isShort &&
    (SIGN_IN.test(words(all('h1,h2').filter(visible)[0]?.innerText || '')) ||
    Boolean(user && password && scopeOf(user) === scopeOf(password) && !KEEPS.test(buttonName))));
  const chooser = code.length ? all('select').find((select) => visible(select) && !select.value && !select.disabled && scopeOf(select) === scopeOf(code[0])) || null : null;
  const boxesOf = (test) => all('input[type=checkbox]').filter((box) =>
    !box.checked && !box.disabled && test.test(hint(box)) && (visible(box) || [...(box.labels || [])].some(visible)));
  const remember = last ? boxesOf(REMEMBER).find((box) => scopeOf(box) === scopeOf(last)) || null : null;
  const body = last ? '' : plain(document.body?.innerText).slice(0, 5000).toLowerCase();
  const choices = last ? [] : buttons.filter((element) => element.tagName !== 'A' || element.getAttribute('role') === 'button' || NO.test(named(element)));
  const no = choices.find((element) => NO.test(named(element))) || null;
  const yes = (no && choices.find((element) => element.tagName !== 'A' && YES.test(named(element)))) || null;
  const question = !yes || canSignOut ? '' : STAYS.test(body) ? 'stay' : GRANTS.test(body) ? 'grant' : '';
  const asker = code.length || !password ? buttons.find((element) => element.tagName !== 'A' && SEND_CODE.test(named(element))) || null
    : buttons.find((element) => element.tagName !== 'A' && SEND_CODE.test(named(element)) && scopeOf(element) === scopeOf(password)) || null;
  const opener = last ? null : buttons.find((element) => OPEN_FORM.test(named(element))) || null;
  return {
    user, password, button, banner, opener, code, remember, yes, no, asker, chooser,
    facts: {
      document: performance.timeOrigin,
      isReady: document.readyState !== 'loading',
      complaints: complaints.slice(0, 5),
      notices: alerts.slice(0, 5),
      canSignOut,
      refusals: [...new Set(refusals)].slice(0, 5),
      signedOut: [...new Set(signedOut)].slice(0, 5),
      signsIn,
      offersSignIn: buttons.some((element) => SIGN_IN.test(named(element)) && named(element).length < 25 && (!last || scopeOf(element) !== scopeOf(last))),
      isSureCode: sure.length > 0 || boxes.length >= 4,
      links: last ? [] : [...new Set(all('a[href]').filter(visible).map((link) => link.href.split(/[?#]/)[0]))].slice(0, 200),
      firstLine: lines[0] || '',
      controls: last ? [...scopeOf(last).querySelectorAll('input,select')].filter(visible).length : 0,
      question,
      sentLink: SENT_LINK.test(body),
      heading: plain(all('h1,h2').filter(visible)[0]?.innerText || document.title).slice(0, 120),
      hasCaptcha: all('iframe[src*="captcha" i],.g-recaptcha,.h-captcha,.cf-turnstile,iframe[src*="challenges.cloudflare" i]').some(visible),
    },
  };
}
