"""Six more pages: utility classes, generated ids, web components, two other languages, a wiki."""

# ruff: noqa: E501, RUF001 - HTML reads better uncancellable, and pages use all kinds of signs


def recruiting() -> str:
    """Applicants for a job: utility classes, the same menu on every card, a form beside it."""
    cards = "".join(
        f"<div class='rounded-lg border p-4 flex gap-3 hover:shadow'><img class='h-10 w-10 rounded-full' alt='' src='/a/{n}.jpg' width=20 height=20><div class='min-w-0 flex-1'><a href='/candidates/{n * 7 + 31}' class='focus:outline-none font-medium'>{name}</a><p "
        f"class='truncate text-sm text-gray-500'>{job}</p></div><button class='text-xs px-2 py-1 rounded bg-green-50'>Advance</button><button class='text-xs px-2 py-1 rounded bg-red-50'>Reject</button><button aria-label='Options' class='p-1 "
        f"text-gray-400'>⋮</button></div>"
        for n, (name, job) in enumerate(
            (
                ("Solveig Dahl", "Welder, eleven years"),
                ("Mateus Prado", "Pipe fitter, harbour works"),
                ("Keiko Arai", "Welding engineer"),
                ("Zoltan Barta", "Apprentice, second year"),
                ("Nadia Serhan", "Inspector of seams"),
                ("Callum Reid", "Welder and diver"),
            )
        )
    )
    stages = "".join(
        f"<button class='border-b-2 py-4 px-1 text-sm whitespace-nowrap {'border-sky-500' if n == 1 else 'border-transparent'}' id='radix-:r{n}c:-trigger' role=tab>{stage}<span class='ml-2 rounded-full bg-gray-100 px-2'>{count}</span></button>"
        for n, (stage, count) in enumerate(
            (("Applied", 41), ("Screened", 12), ("Interview", 6), ("Offer", 2))
        )
    )
    return f"""<div class='min-h-full'><nav class='bg-gray-800 flex h-16 items-center'><a class='text-white' href=/jobs>Jobs</a><a class='text-gray-300' href=/candidates>Candidates</a><a class='text-gray-300' href=/calendar>Calendar</a><a
    class='text-gray-300' href=/reports>Reports</a><button class='rounded-full p-1' aria-label='View messages'>✉</button><button id='radix-:r9:' class='flex rounded-full' aria-haspopup=menu>Open user menu</button></nav><header class='bg-white
    shadow'><h1 class='text-3xl'>Welder, night shift</h1><a class='text-sm text-sky-600' href=/jobs/88/edit>Edit posting</a><button class='rounded bg-sky-600 px-3 py-2 text-white'>Share posting</button><button class='rounded border px-3
    py-2'>Pause posting</button></header><main class='mx-auto max-w-7xl flex'><div role=tablist class='-mb-px flex space-x-8'>{stages}</div><div class='grid gap-4'>{cards}</div><aside class='w-80 border-l'><h2 class='text-lg'>Invite to an
    interview</h2><form><label class='block text-sm' for=':ra:'>Interviewer</label><select id=':ra:' class='w-full rounded' name=interviewer><option>Head of works</option></select><label class='block text-sm' for=':rb:'>Date and
    time</label><input id=':rb:' type=datetime-local class='w-full rounded' name=when><label class='block text-sm' for=':rc:'>Message to the applicant</label><textarea id=':rc:' class='w-full rounded' name=message></textarea><label class='flex
    gap-2'><input type=checkbox class='rounded' name=copy> Send me a copy</label><button class='rounded bg-sky-600 px-3 py-2 text-white' type=submit>Invite applicant</button><button type=button class='text-sm'>Save as template</button></form></aside></main><footer
    class='text-xs text-gray-400'><a href=/privacy>Privacy</a><a href=/imprint>Imprint</a></footer></div>"""


def warehouse() -> str:
    """Stock in a grid with generated ids, a tool bar, a tree at the left, filters under the column heads."""
    rows = "".join(
        f"<tr id=gridview-10{n}4-record-{n} class='x-grid-row {'x-grid-row-alt' if n % 2 else ''}'><td class=x-grid-cell><div class=x-grid-cell-inner><input type=checkbox class=x-grid-checkcolumn aria-label='Select'></div></td><td class=x-grid-cell><div "
        f"class=x-grid-cell-inner><a href='#item/{code}'>{code}</a></div></td><td class=x-grid-cell><div class=x-grid-cell-inner>{name}</div></td><td class=x-grid-cell><div class=x-grid-cell-inner>{place}</div></td><td class=x-grid-cell><div "
        f"class=x-grid-cell-inner><input class=x-form-field name=qty-{n} size=4 aria-label='Quantity of {name}'></div></td><td class='x-grid-cell x-action-col-cell'><a role=button tabindex=0 class='x-action-col-icon icon-move' title='Move'>⇆</a><a role=button "
        f"tabindex=0 class='x-action-col-icon icon-label' title='Print label'>⎙</a><a role=button tabindex=0 class='x-action-col-icon icon-block' title='Block'>⊘</a></td></tr>"
        for n, (code, name, place) in enumerate(
            (
                ("A-1009", "Hex bolt M8, zinc", "Aisle 4, rack 2"),
                ("A-1011", "Hex bolt M10, zinc", "Aisle 4, rack 2"),
                ("A-1200", "Washer, copper", "Aisle 4, rack 7"),
                ("B-0310", "Hydraulic hose, 2 m", "Aisle 9, floor"),
                ("B-0312", "Hydraulic hose, 5 m", "Aisle 9, floor"),
                ("C-7781", "Bearing 6204", "Aisle 1, cage"),
                ("C-7790", "Bearing 6305", "Aisle 1, cage"),
            )
        )
    )
    tree = "".join(
        f"<div class=x-tree-node id=ext-gen{1200 + n}><a href='#site/{n}' class=x-tree-node-text>{text}</a></div>"
        for n, text in enumerate(("Main hall", "Cold store", "Yard", "Returns area", "Customs bond"))
    )
    tools = "".join(
        f"<a class='x-btn x-unselectable x-btn-default-toolbar-small' role=button tabindex=0 id=button-{1040 + n}><span class=x-btn-wrap><span class=x-btn-inner id=button-{1040 + n}-btnInnerEl>{text}</span></span></a>"
        for n, text in enumerate(("Goods in", "Goods out", "Stock take", "Correct quantity", "Export list"))
    )
    heads = "".join(
        f"<th class=x-column-header id=gridcolumn-{1022 + n}><span class=x-column-header-text tabindex=0 role=button>{text}</span><input class=x-form-text placeholder='Contains' name=filter-{text.lower()}></th>"
        for n, text in enumerate(("Code", "Name", "Place"))
    )
    return f"""<div class=x-viewport id=ext-comp-1001><div class=x-panel-header><span>Storehouse 7.1</span><a href='#profile'>ottilie.w</a><a href='#logout'>Leave</a></div><div class='x-panel x-west' id=treepanel-1015>{tree}<a class=x-btn role=button
    tabindex=0 id=button-1071>New location</a></div><div class='x-panel x-center' id=gridpanel-1020><div class=x-toolbar>{tools}<input id=textfield-1033-inputEl class=x-form-text placeholder='Search stock'></div><table
    class=x-grid-table><tr><th></th>{heads}</tr>{rows}</table><div class='x-toolbar x-pagingtoolbar'><a role=button tabindex=0 class=x-btn aria-label='First page'>«</a><a role=button tabindex=0 class=x-btn aria-label='Previous page'>‹</a><input
    class=x-tbar-page-number aria-label=Page size=2><a role=button tabindex=0 class=x-btn aria-label='Next page'>›</a><a role=button tabindex=0 class=x-btn aria-label='Refresh'>⟳</a></div></div><div class='x-window'
    id=window-1090><span class=x-window-header-text>Correct quantity</span><table><tr><td>Item</td><td><input name=itemCode id=combo-1091-inputEl role=combobox></td></tr><tr><td>New quantity</td><td><input name=newQty
    id=numberfield-1092-inputEl></td></tr><tr><td>Reason</td><td><select name=reason><option>Count</option><option>Damage</option></select></td></tr></table><a role=button tabindex=0 class=x-btn>Book correction</a><a role=button tabindex=0
    class=x-btn>Cancel</a></div></div>"""


def camera() -> str:
    """Settings of cameras, made of web components: names come through slots, fields sit in shadow roots."""

    def button(text: str, kind: str = "") -> str:
        return f"<cam-button {kind}><template shadowrootmode=open><button class=inner part=base><slot></slot></button></template>{text}</cam-button>"

    def switch(text: str) -> str:
        return f"<cam-switch><template shadowrootmode=open><label class=line><input type=checkbox role=switch><slot></slot></label></template>{text}</cam-switch>"

    def field(label: str, kind: str = "text") -> str:
        return f"<cam-field><template shadowrootmode=open><label class=lab for=i>{label}</label><input id=i class=control type={kind}></template></cam-field>"

    views = "".join(
        f"<cam-tile name='{name}'><template shadowrootmode=open><h3>{name}</h3><p>{state}</p><button class=live aria-label='Live view of {name}'>▶</button><cam-menu><template shadowrootmode=open><button class=dots aria-label=Options>⋮</button></template></cam-menu><a "
        f"href='/camera/{n}/events'>Events</a></template></cam-tile>"
        for n, (name, state) in enumerate(
            (
                ("Driveway", "recording"),
                ("Back garden", "asleep"),
                ("Stable door", "recording"),
                ("Cellar stairs", "no signal"),
                ("Beehives", "recording"),
            )
        )
    )
    tabs = "".join(
        f"<cam-tab><template shadowrootmode=open><div role=tab tabindex=0 class=tab><slot></slot></div></template>{text}</cam-tab>"
        for text in ("Cameras", "Recordings", "Zones", "People", "Storage")
    )
    return f"""<cam-shell><template shadowrootmode=open><header><a href=/ class=brand>Owl</a><button class=burger aria-label='Main menu'>☰</button><slot name=tabs></slot></header><main><slot></slot></main></template><div slot=tabs>{tabs}</div><h1>Cameras</h1>{button("Add camera", "primary")}{button("Arm all")}{button("Export clips")}<section>{views}</section><h2>Detection</h2>{switch("Detect people")}{switch("Detect animals")}{switch("Detect parcels")}{switch("Night vision")}<h2>Network</h2>{field("Host name")}{field("Port", "number")}{field("Stream password", "password")}<label>Resolution <select name=res><option>1080p</option></select></label>{button("Test connection")}{button("Apply settings", "primary")}<footer><a
    href=/docs>Manual</a><a href=/firmware>Firmware</a><a href=/licence>Licences</a></footer></cam-shell>"""


def hotel() -> str:
    """Un hotel con habitaciones por reservar, en español."""
    rooms = "".join(
        f"<article class='habitacion' id=hab-{key}><h3 class=habitacion__titulo><a href='/habitaciones/{key}'>{name}</a></h3><p>{text}</p><ul class=servicios><li>Wifi</li><li>Desayuno</li></ul><span class=precio>{price} € por noche</span><a class=enlace-fotos "
        f"href='/habitaciones/{key}#fotos'>Ver fotos</a><button class='boton boton--reservar' data-tarifa={key}-flex>Reservar</button><button class='boton boton--favorito' aria-label='Guardar en favoritos'>♥</button></article>"
        for key, name, text, price in (
            ("individual", "Habitación individual", "Cama de 105 cm, vistas al patio", 62),
            ("doble", "Habitación doble", "Dos camas, balcón a la plaza", 94),
            ("familiar", "Habitación familiar", "Para cuatro personas, con cocina", 138),
            ("suite", "Suite del torreón", "Salón propio y bañera", 210),
        )
    )
    fields = "".join(
        f"<div class=campo><label for=res_{key}>{text}</label><input type={kind} id=res_{key} name={key}></div>"
        for key, text, kind in (
            ("entrada", "Fecha de entrada", "date"),
            ("salida", "Fecha de salida", "date"),
            ("nombre", "Nombre y apellidos", "text"),
            ("correo", "Correo electrónico", "email"),
            ("telefono", "Teléfono móvil", "tel"),
            ("promo", "Código promocional", "text"),
        )
    )
    return f"""<header class=cabecera><a href=/ class=cabecera__logo>Posada del Olmo</a><nav class=menu><ul><li><a href=/habitaciones>Habitaciones</a></li><li><a href=/restaurante>Restaurante</a></li><li><a href=/eventos>Bodas y eventos</a></li><li><a
    href=/como-llegar>Cómo llegar</a></li></ul></nav><div class=idiomas><a href=/ca hreflang=ca>Català</a><a href=/en hreflang=en>English</a></div><a class=cabecera__tel href=tel:+34971000>971 000 111</a></header><main><h1>Reserve su
    estancia</h1><form class=buscador action=/disponibilidad>{fields}<div class=campo><label for=res_personas>Personas</label><select id=res_personas name=personas><option>1</option><option>2</option></select></div><label class=casilla><input
    type=checkbox name=mascota> Viajo con mascota</label><label class=casilla><input type=checkbox name=garaje> Necesito plaza de garaje</label><button class='boton boton--principal'>Comprobar disponibilidad</button><button type=reset
    class=boton>Borrar fechas</button></form><h2>Nuestras habitaciones</h2>{rooms}<h2>Opiniones</h2><a href=/opiniones>Leer todas las opiniones</a><button class=boton>Escribir una opinión</button></main><footer class=pie><a
    href=/aviso-legal>Aviso legal</a><a href=/cookies>Política de cookies</a><a href=/trabaja>Trabaja con nosotros</a><a href=/mapa-web>Mapa web</a></footer>"""


def townhall() -> str:
    """Eine Anmeldung bei der Stadt: Fieldsets, Hinweise, Datum in drei Feldern, Personen zum Ändern."""
    people = "".join(
        f"<tr><td>{name}</td><td>{born}</td><td><a href='/anmeldung/person/{n}'>Bearbeiten</a></td><td><a href='/anmeldung/person/{n}/loeschen'>Entfernen</a></td></tr>"
        for n, (name, born) in enumerate(
            (
                ("Hedwig Pfaff", "03.04.1961"),
                ("Ruben Pfaff", "19.11.1990"),
                ("Lotte Pfaff", "30.06.2019"),
                ("Emil Pfaff", "02.01.2022"),
            )
        )
    )
    fields = "".join(
        f"<p class=zeile><label for=f{n}>{text}</label> <input id=f{n} name={key} class=eingabe aria-describedby=h{n}><span class=hinweis id=h{n}>{hint}</span></p>"
        for n, (key, text, hint) in enumerate(
            (
                ("strasse", "Straße und Hausnummer", "der neuen Wohnung"),
                ("plz", "Postleitzahl", "fünf Ziffern"),
                ("stockwerk", "Stockwerk", "oder Lage im Haus"),
                ("geber", "Wohnungsgeber", "Name des Vermieters"),
                ("frueher", "Bisherige Anschrift", "auch im Ausland"),
                ("pass", "Nummer des Ausweises", "steht auf der Rückseite"),
            )
        )
    )
    dates = "".join(
        f"<label>{text} <input name=einzug_{key} size=4 inputmode=numeric></label>"
        for key, text in (("tag", "Tag"), ("monat", "Monat"), ("jahr", "Jahr"))
    )
    radios = "".join(
        f"<p><input type=radio name=art id=art{n} value={key}><label for=art{n}>{text}</label></p>"
        for n, (key, text) in enumerate(
            (("allein", "Alleinige Wohnung"), ("haupt", "Hauptwohnung"), ("neben", "Nebenwohnung"))
        )
    )
    return f"""<div id=rahmen><div id=kopf><a href=/>Stadt Lauterbrück</a><ul id=sprungmarken><li><a href='#inhalt'>Zum Inhalt</a></li><li><a href='#suche'>Zur Suche</a></li></ul><form id=suche action=/suche><input name=wort
    title=Suchbegriff><input type=submit value=Suchen></form></div><ul id=nav><li><a href=/rathaus>Rathaus</a></li><li><a href=/buergerservice>Bürgerservice</a></li><li><a href=/leben>Leben und Wohnen</a></li><li><a
    href=/wirtschaft>Wirtschaft</a></li></ul><div id=inhalt><h1>Wohnsitz anmelden</h1><p>Schritt 3 von 5 <a href=/anmeldung/hilfe>Hilfe zu diesem Schritt</a></p><form action=/anmeldung/3 method=post><fieldset><legend>Neue
    Wohnung</legend>{fields}</fieldset><fieldset><legend>Tag des Einzugs</legend>{dates}</fieldset><fieldset><legend>Art der Wohnung</legend>{radios}</fieldset><fieldset><legend>Personen</legend><table>{people}</table><button
    name=mehr>Person hinzufügen</button></fieldset><p><input type=checkbox id=richtig name=richtig><label for=richtig>Meine Angaben sind richtig</label></p><input type=submit name=zurueck value='Einen Schritt zurück'><input type=submit name=merken value='Angaben
    merken'><input type=submit name=weiter value=Weiter></form></div><div id=rand><h2>Ansprechpartner</h2><a href=/amt/32>Bürgeramt</a><a href=mailto:amt@example.org>Nachricht schreiben</a><h2>Formulare</h2><a
    href=/pdf/wohnungsgeber.pdf>Bestätigung des Wohnungsgebers</a><a href=/pdf/vollmacht.pdf>Vollmacht</a></div><div id=fuss><a href=/impressum>Impressum</a><a href=/datenschutz>Datenschutz</a><a href=/leichte-sprache>Leichte
    Sprache</a></div></div>"""


def wiki() -> str:
    """An encyclopaedia's article: links in running text, edit links at every heading, languages."""
    sections = "".join(
        f"<div class=heading2><h2 id={title.replace(' ', '_')}>{title}</h2><span class=editlink>[<a href='/w?title=Tidal_mill&section={n}' title='Edit section: {title}'>edit</a>]</span></div><p>{text}</p>"
        for n, (title, text) in enumerate(
            (
                (
                    "History",
                    "The oldest stood on the <a href='/wiki/Thames'>Thames</a> and in <a href='/wiki/Brittany'>Brittany</a>, where <a href='/wiki/Monastery'>monasteries</a> kept them.",
                ),
                (
                    "How they work",
                    "A <a href='/wiki/Sluice'>sluice</a> lets the flood in; the <a href='/wiki/Water_wheel'>wheel</a> turns at ebb.",
                ),
                (
                    "Decline",
                    "With <a href='/wiki/Steam_engine'>steam engines</a> came the end, first in <a href='/wiki/Cornwall'>Cornwall</a>.",
                ),
                ("Mills today", "Some grind again, as at <a href='/wiki/Eling'>Eling</a>."),
            )
        )
    )
    toc = "".join(
        f"<li class=toc-level-1><a href='#{title.replace(' ', '_')}'><span class=toc-num>{n + 1}</span> {title}</a></li>"
        for n, title in enumerate(("History", "How they work", "Decline", "Mills today"))
    )
    langs = "".join(
        f"<li class=lang-item><a href='https://{code}.wiki.example.org/x' lang={code} hreflang={code} title='{name}'>{name}</a></li>"
        for code, name in (
            ("de", "Deutsch"),
            ("fr", "Français"),
            ("nl", "Nederlands"),
            ("pt", "Português"),
            ("sv", "Svenska"),
        )
    )
    menu = "".join(
        f"<li><a href='/wiki/{key}'>{text}</a></li>"
        for key, text in (
            ("Main_page", "Main page"),
            ("Random", "Random article"),
            ("Help", "Help"),
            ("Portal", "Community portal"),
            ("Recent", "Recent changes"),
        )
    )
    tabs = "".join(
        f"<li id=tab-{key}><a href='/w?title=Tidal_mill&action={key}' accesskey={key[0]}>{text}</a></li>"
        for key, text in (
            ("view", "Read"),
            ("edit", "Edit source"),
            ("history", "View history"),
            ("watch", "Watch"),
        )
    )
    return f"""<div id=wk-page><div id=wk-head><a href=/wiki/Main_page>Open Lexicon</a><form id=searchform action=/w><input name=search placeholder='Search the lexicon' accesskey=f id=searchInput><button name=go>Search</button></form><ul id=personal><li><a
    href='/w?title=Special:CreateAccount'>Create account</a></li><li><a href='/w?title=Special:UserLogin'>Log in</a></li><li><a href=/wiki/Donate>Donate</a></li></ul></div><div id=wk-side><h3>Navigation</h3><ul>{menu}</ul><h3>Tools</h3><ul><li><a
    href='/wiki/Special:WhatLinksHere/Tidal_mill'>What links here</a></li><li><a href='/w?title=Tidal_mill&printable=yes'>Printable version</a></li><li><a href='/w?title=Special:Cite&page=Tidal_mill'>Cite this page</a></li></ul><h3>In other
    languages</h3><ul>{langs}</ul></div><div id=content><ul id=tabs>{tabs}</ul><h1>Tidal mill</h1><div id=toc><h2>Contents</h2><button id=toc-toggle>hide</button><ul>{toc}</ul></div><p>A <b>tidal mill</b> is a <a
    href='/wiki/Watermill'>water mill</a> driven by the rise and fall of the <a href='/wiki/Tide'>tide</a>.</p>{sections}<table class=infobox><tr><th>Invented</th><td><a href='/wiki/7th_century'>7th century</a></td></tr><tr><th>Used for</th><td><a
    href='/wiki/Flour'>flour</a></td></tr></table><div id=catlinks>Categories: <a href='/wiki/Category:Mills'>Mills</a> | <a href='/wiki/Category:Tides'>Tides</a></div></div><div id=footer><a href=/wiki/Privacy>Privacy policy</a><a
    href=/wiki/About>About</a><a href=/wiki/Disclaimer>Disclaimers</a></div></div>"""
