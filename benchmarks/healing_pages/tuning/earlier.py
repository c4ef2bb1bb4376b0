"""The first twelve pages, in the manner of different front ends."""

# ruff: noqa: E501, RUF001 - HTML reads better uncancellable, and pages use all kinds of signs

from healing_pages.words import CHAPTERS, GOODS, LETTERS, PEOPLE, STORIES, TASKS


def _slug(text: str) -> str:
    return "-".join(word.strip(",?").lower() for word in text.split())


def admin_table() -> str:
    """A back office with a change list, filters and bulk actions."""
    rows = "".join(
        f"<tr class='row{n % 2 + 1}'><td class=action-checkbox><input type=checkbox name=_selected_action "
        f"value={n + 40} aria-label='Select {name}'></td><th class=field-name><a href='/admin/people/{n + 40}/change/'>{name}</a>"
        f"</th><td class=field-email>{_slug(name)}@example.org</td><td>{'staff' if n % 3 else 'guest'}</td>"
        f"<td><a class=changelink href='/admin/people/{n + 40}/change/'>Edit</a> <a class=deletelink "
        f"href='/admin/people/{n + 40}/delete/'>Delete</a></td></tr>"
        for n, name in enumerate(PEOPLE)
    )
    return f"""<div id=container><header id=header><h1 id=site-name><a href=/admin/>Office administration</a></h1>
    <div id=user-tools>Welcome, <strong>root</strong>. <a href=/>View site</a> / <a href=/admin/password/>Change password</a>
    / <form id=logout-form action=/admin/logout/ style=display:inline><button type=submit>Log out</button></form></div></header>
    <nav class=breadcrumbs><a href=/admin/>Home</a> › <a href=/admin/people/>People</a></nav>
    <main id=content><h2>Select person to change</h2><ul class=object-tools><li><a class=addlink href=/admin/people/add/>Add person</a>
    </li><li><a href=/admin/people/import/>Import</a></li></ul><form id=changelist-search role=search><label for=searchbar>Search</label>
    <input type=text id=searchbar name=q><input type=submit value=Search></form><form id=changelist-form><div class=actions>
    <label>Action: <select name=action><option>---------</option><option>Delete selected people</option><option>Send invitation</option>
    </select></label><button type=submit name=index>Go</button></div><table id=result_list><thead><tr><th></th><th><a href='?o=1'>Name</a></th>
    <th><a href='?o=2'>Email address</a></th><th><a href='?o=3'>Status</a></th><th></th></tr></thead><tbody>{rows}</tbody></table>
    <p class=paginator><a href='?p=1'>1</a> <a href='?p=2'>2</a> <a href='?p=3'>3</a> 34 people <a href='?all='>Show all</a></p></form></main>
    <aside id=changelist-filter><h2>Filter</h2><h3>By staff status</h3><ul><li><a href='?staff=all'>All</a></li><li><a href='?staff=1'>Yes</a>
    </li><li><a href='?staff=0'>No</a></li></ul><h3>By active</h3><ul><li><a href='?active=all'>All</a></li><li><a href='?active=1'>Yes</a></li>
    <li><a href='?active=0'>No</a></li></ul></aside></div>"""


def shop() -> str:
    """A shop's category page: the same buttons on every card."""
    cards = "".join(
        f"<article class=product-card data-sku=SKU{n * 37 + 1001}><a class=product-card__image href='/p/{_slug(name)}'><img alt='{name}' "
        f"src='/img/{_slug(name)}.jpg' width=40 height=40></a><h3 class=product-card__title><a href='/p/{_slug(name)}'>{name}</a></h3>"
        f"<p class=product-card__price>€ {price}</p><button class='btn btn--primary' data-action=add>Add to cart</button>"
        f"<button class='btn btn--ghost' aria-label='Save for later'>♡</button></article>"
        for n, (name, price) in enumerate(GOODS)
    )
    menu = "".join(
        f"<li><a href='/c/{_slug(item)}'>{item}</a></li>"
        for item in ("Desks", "Chairs", "Lighting", "Storage", "Sale")
    )
    boxes = "".join(
        f"<label><input type=checkbox name=material value={_slug(item)}> {item} <span class=count>({n + 3})</span></label><br>"
        for n, item in enumerate(("Oak", "Walnut", "Steel", "Wool", "Ceramic"))
    )
    return f"""<header class=site-header><a class=logo href=/>Fern & Co</a><form class=search action=/search><input type=search name=q
    placeholder='Search products'><button class=search__button aria-label=Search>🔍</button></form><nav class=main-nav><ul>{menu}</ul></nav>
    <a class=account href=/account>My account</a><a class=basket href=/cart>Cart <span class=badge>2</span></a></header>
    <main><nav class=crumbs><a href=/>Home</a> / <a href=/c/office>Office</a></nav><h1>Office</h1><aside class=filters><h2>Filter</h2>
    <h3>Material</h3>{boxes}<h3>Price</h3><label>From <input type=number name=min></label><label>To <input type=number name=max></label>
    <button class='btn filters__apply'>Apply</button><button class='btn filters__reset' type=reset>Clear all</button></aside>
    <div class=toolbar><label for=sort>Sort by</label><select id=sort name=sort><option>Popular</option><option>Price, low to high</option></select>
    </div><section class='products grid'>{cards}</section><nav class=pager><a href='?page=1'>1</a><a href='?page=2'>2</a><a rel=next href='?page=2'>Next page</a></nav></main>
    <footer class=site-footer><section><h4>Service</h4><ul><li><a href=/help>Help</a></li><li><a href=/returns>Returns</a></li><li><a href=/shipping>Shipping</a></li></ul>
    </section><section><h4>Company</h4><ul><li><a href=/about>About us</a></li><li><a href=/jobs>Jobs</a></li></ul></section>
    <form class=newsletter><label for=nl>Newsletter</label><input id=nl type=email placeholder='Your e-mail'><button>Subscribe</button></form></footer>"""


def docs() -> str:
    """A documentation site: a tree of links, twins in the page's own contents, nameless copy buttons."""
    tree = "".join(
        f"<li class='toctree-l1 nav-item'><a class='reference internal' href='/docs/{_slug(title)}/'>{title}</a><ul>"
        + "".join(
            f"<li class=toctree-l2><a class='reference internal' href='/docs/{_slug(title)}/{_slug(page)}.html'>{page}</a></li>"
            for page in pages
        )
        + "</ul></li>"
        for title, pages in CHAPTERS
    )
    sections = "".join(
        f"<section id='{_slug(item)}'><h2>{item}<a class=headerlink href='#{_slug(item)}' title='Link to this heading'>¶</a></h2><p>How {item.lower()} "
        f"works, and when to reach for it.</p><div class=highlight><button class=copybtn data-clipboard-target='#code{n}'>Copy</button><pre id=code{n}>tool "
        f"{_slug(item)} --help</pre></div><p>See also <a href='/docs/reference/settings.html#{_slug(item)}'>settings</a>.</p></section>"
        for n, item in enumerate(("Overview", "Declaring routes", "Parameters", "Nesting", "Testing routes"))
    )
    toc = "".join(
        f"<li><a href='#{_slug(item)}'>{item}</a></li>"
        for item in ("Overview", "Declaring routes", "Parameters", "Nesting", "Testing routes")
    )
    return f"""<div class=topbar><a class=brand href=/docs/>Tramline 3.2</a><form class=sidebar-search action=/search.html><input name=q aria-label='Search the docs'
    placeholder='Search docs'></form><button class=theme-toggle aria-label='Switch theme'>◐</button><select aria-label=Version><option>3.2</option><option>3.1</option></select></div>
    <div class=layout><nav class=sidebar aria-label='Main'><ul>{tree}</ul></nav><main role=main><h1>Routing</h1><a class=edit
    href='https://git.example.org/tramline/edit/main/docs/routing.md'>Edit this page</a>{sections}<div class=prev-next><a rel=prev
    href='/docs/getting-started/upgrading.html'>Previous: Upgrading</a><a rel=next href='/docs/guides/templates.html'>Next: Templates</a></div></main>
    <aside class=page-toc><h3>On this page</h3><ul>{toc}</ul></aside></div><footer><a href=/legal>Legal notice</a> <a href=/docs/community/contributing.html>Contributing</a></footer>"""


def dashboard() -> str:
    """A dashboard with generated class names, icon buttons and tabs."""
    cards = "".join(
        f"<div class='css-{n}x9k{n}q sc-bdVaJa'><div class='css-1r2t{n}z'><span class=css-0k{n}>{title}</span><button class='css-8h{n}1v' aria-label='Card menu'><svg "
        f"width=10 height=10></svg></button></div><div class=css-77a{n}>{value}</div><a class=css-k2{n}e href='/reports/{_slug(title)}'>View report</a></div>"
        for n, (title, value) in enumerate(
            (
                ("Revenue", "€ 48,210"),
                ("New customers", "312"),
                ("Churn", "1.8 %"),
                ("Open tickets", "27"),
                ("Uptime", "99.98 %"),
                ("Latency", "182 ms"),
            )
        )
    )
    side = "".join(
        f"<a class='css-q1{n}w' href='/{_slug(item)}'><svg width=8 height=8></svg><span>{item}</span></a>"
        for n, item in enumerate(
            ("Overview", "Customers", "Invoices", "Payouts", "Webhooks", "Team", "Settings")
        )
    )
    rows = "".join(
        f"<tr class=css-t{n}r><td>{name}</td><td>INV-{2200 + n}</td><td>{'paid' if n % 2 else 'open'}</td><td><button class=css-b{n}1>Download</button>"
        f"<button class=css-b{n}2>Remind</button><button class=css-b{n}3 title='More actions'>⋯</button></td></tr>"
        for n, name in enumerate(PEOPLE[:8])
    )
    return f"""<div id=root><div class=css-a9z1k><div class=css-1logo>Ledgerly</div>{side}</div><div class=css-main0><div class=css-top88><input class=css-in4
    placeholder='Search anything' type=text><button class=css-nb7 aria-label=Notifications>3</button><button class=css-av2 aria-haspopup=menu>Ada Okafor</button></div>
    <h1 class=css-h1x>Overview</h1><div role=tablist class=css-tl1><button role=tab class=css-tb1>Today</button><button role=tab class=css-tb2>7 days</button><button role=tab
    class=css-tb3>30 days</button><button role=tab class=css-tb4>Custom range</button></div><button class=css-ex5>Export</button><div class=grid>{cards}</div>
    <h2 class=css-h2x>Recent invoices</h2><button class=css-new9>New invoice</button><table>{rows}</table><button class=css-lm1>Load more</button></div></div>"""


def wizard() -> str:
    """A long form in steps: labels, hints, choices."""
    fields = "".join(
        f"<div class=form-row><label for={key} class=form-label>{label}{' *' if n < 5 else ''}</label><input class=form-control id={key} name={key} type={kind}"
        f" autocomplete={auto}><small class=hint>{hint}</small></div>"
        for n, (key, label, kind, auto, hint) in enumerate(
            (
                ("first_name", "First name", "text", "given-name", "As in your passport"),
                ("last_name", "Last name", "text", "family-name", "As in your passport"),
                ("email", "E-mail address", "email", "email", "We send the confirmation there"),
                ("phone", "Phone number", "tel", "tel", "With country code"),
                ("birth", "Date of birth", "date", "bday", "You must be 18"),
                ("street", "Street and number", "text", "street-address", ""),
                ("zip", "Postal code", "text", "postal-code", ""),
                ("city", "City", "text", "address-level2", ""),
                ("iban", "IBAN", "text", "off", "22 characters"),
            )
        )
    )
    radios = "".join(
        f"<label class=radio><input type=radio name=cover value={_slug(item)}> {item}</label>"
        for item in ("Basic cover", "Comfort cover", "Premium cover")
    )
    boxes = "".join(
        f"<div class=check><input type=checkbox id=c{n} name={key}><label for=c{n}>{label}</label> <a href='/legal/{key}.pdf'>read</a></div>"
        for n, (key, label) in enumerate(
            (
                ("terms", "I accept the terms"),
                ("privacy", "I have read the privacy notice"),
                ("news", "Send me news by e-mail"),
            )
        )
    )
    return f"""<header class=head><a href=/ class=logo>Harbour Insurance</a><a href=/contact>Contact</a><a href=tel:+4930123>Call us</a></header><ol class=steps>
    <li><a href='#s1'>1 Vehicle</a></li><li aria-current=step><a href='#s2'>2 About you</a></li><li><a href='#s3'>3 Payment</a></li><li><a href='#s4'>4 Summary</a></li></ol>
    <main><form id=wizard class=wizard action=/apply/2><h1>About you</h1><fieldset><legend>Person</legend><div class=form-row><label for=title class=form-label>Title</label>
    <select id=title name=title class=form-control><option>Ms</option><option>Mr</option></select></div>{fields}<div class=form-row><label for=country
    class=form-label>Country</label><select id=country name=country class=form-control><option>Germany</option><option>Austria</option></select></div></fieldset>
    <fieldset><legend>Cover</legend>{radios}<label>Remarks <textarea name=remarks></textarea></label></fieldset><fieldset><legend>Consent</legend>{boxes}</fieldset>
    <div class=buttons><button type=button class='button secondary'>Back</button><button type=button class=button>Save draft</button><button type=submit class='button
    primary'>Continue</button></div></form><aside class=help><h2>Need help?</h2><a href=/faq>Questions and answers</a><button class=chat>Start chat</button></aside></main>"""


def mail() -> str:
    """A mail client: folders with counters, rows with the same controls, a toolbar of icons."""
    folders = "".join(
        f"<div role=treeitem class=folder tabindex=0><a href='#{_slug(item)}'>{item}</a> <span class=unread>{count or ''}</span></div>"
        for item, count in (
            ("Inbox", 12),
            ("Starred", 0),
            ("Sent", 0),
            ("Drafts", 3),
            ("Archive", 0),
            ("Junk", 41),
            ("Bin", 0),
        )
    )
    rows = "".join(
        f"<div role=row class='mail-row {'is-unread' if n % 3 == 0 else ''}' data-thread=t{n * 91}><input type=checkbox aria-label='Select conversation'><button class=star "
        f"aria-label=Star>☆</button><span class=from>{sender}</span><a class=subject href='#inbox/t{n * 91}'>{subject}</a><time>{9 + n}:1{n % 6}</time><button class=row-archive "
        f"aria-label=Archive>🗄</button><button class=row-delete aria-label=Delete>🗑</button></div>"
        for n, (sender, subject) in enumerate(LETTERS)
    )
    tools = "".join(
        f"<button class=tool title='{item}' aria-label='{item}'>•</button>"
        for item in ("Refresh", "Mark as read", "Move to folder", "Label", "Report junk", "Print")
    )
    return f"""<div class=app><header role=banner><button class=hamburger aria-label='Main menu'>☰</button><div role=search><input aria-label='Search mail' placeholder='Search mail'>
    <button aria-label='Search options'>⚙</button></div><a href=/settings>Settings</a><button class=avatar>GO</button></header><div role=navigation class=side><button
    class=compose>Compose</button>{folders}<button class=more>More labels</button></div><main role=main><div role=toolbar class=toolbar><input type=checkbox aria-label='Select all'>
    {tools}<span class=range>1–12 of 310</span><button aria-label=Newer>‹</button><button aria-label=Older>›</button></div><div role=tablist><button role=tab>Primary</button>
    <button role=tab>Updates</button><button role=tab>Forums</button></div><div role=grid>{rows}</div></main></div>"""


def bootstrap() -> str:
    """A site in the manner of a well-known CSS framework: nav bar, cards, accordion, modal."""
    plans = "".join(
        f"<div class='card mb-4'><div class=card-header><h4 class='my-0 fw-normal'>{name}</h4></div><div class=card-body><h1 class=card-title>${price}<small>/mo</small></h1>"
        f"<ul class=list-unstyled><li>{users} users included</li><li>{users // 5} GB of storage</li></ul><button type=button class='w-100 btn btn-lg "
        f"{'btn-outline-primary' if price == 0 else 'btn-primary'}'>{call}</button></div></div>"
        for name, price, users, call in (
            ("Free", 0, 10, "Sign up for free"),
            ("Pro", 15, 20, "Get started"),
            ("Enterprise", 29, 30, "Contact us"),
        )
    )
    questions = "".join(
        f"<div class=accordion-item><h2 class=accordion-header><button class='accordion-button collapsed' type=button data-bs-toggle=collapse data-bs-target='#q{n}'>{item}</button>"
        f"</h2><div id=q{n} class=accordion-body>An answer about {item.lower()[:-1]}. <a href='/faq/{n}'>Learn more</a></div></div>"
        for n, item in enumerate(
            (
                "Can I change plans later?",
                "Is there a student price?",
                "How do refunds work?",
                "Do you offer support by phone?",
            )
        )
    )
    nav = "".join(
        f"<li class=nav-item><a class='nav-link{' active' if item == 'Pricing' else ''}' href='/{item.lower()}'>{item}</a></li>"
        for item in ("Home", "Features", "Pricing", "Blog", "About")
    )
    foot = "".join(
        f"<div class='col-6 col-md'><h5>{title}</h5><ul class='list-unstyled text-small'>"
        + "".join(
            f"<li class=mb-1><a class='link-secondary text-decoration-none' href='/{_slug(title)}/{_slug(link)}'>{link}</a></li>"
            for link in links
        )
        + "</ul></div>"
        for title, links in (
            ("Product", ("Tour", "Pricing", "Security")),
            ("Resources", ("Blog", "Status", "API")),
            ("Company", ("Team", "Locations", "Privacy", "Terms")),
        )
    )
    return f"""<nav class='navbar navbar-expand-lg bg-light'><a class=navbar-brand href=/>Paperplane</a><ul class='navbar-nav me-auto'>{nav}</ul><form class=d-flex role=search><input
    class='form-control me-2' type=search placeholder=Search aria-label=Search><button class='btn btn-outline-success' type=submit>Search</button></form><a class='btn btn-outline-primary'
    href=/login>Log in</a><a class='btn btn-primary' href=/signup>Sign up</a></nav><div class='alert alert-warning alert-dismissible'>Prices change in May. <a href=/news
    class=alert-link>Read why</a><button type=button class=btn-close data-bs-dismiss=alert aria-label=Close>×</button></div><main class=container><h1 class=display-4>Pricing</h1>
    <div class='btn-group' role=group><button class='btn btn-secondary active'>Monthly</button><button class='btn btn-secondary'>Yearly</button></div><div class='row text-center'>{plans}</div>
    <h2 class=display-6>Questions</h2><div class=accordion>{questions}</div><form class='row g-3'><label class=visually for=em>Email</label><input id=em class=form-control type=email
    placeholder=you@example.com><div class=form-check><input class=form-check-input type=checkbox id=keep><label for=keep>Keep me posted</label></div><button class='btn btn-dark'>Notify
    me</button></form></main><footer class='pt-4 border-top'><div class=row>{foot}</div><a href='#top'>Back to top</a></footer>"""


def material() -> str:
    """A page built of divs with roles and icon fonts."""
    devices = "".join(
        f"<div class='mdc-list-item' role=listitem tabindex=0><span class=mdc-list-item__graphic>{icon}</span><span class=mdc-list-item__text><span>{name}</span><span "
        f"class=mdc-list-item__secondary>{room}</span></span><div role=switch aria-checked={'true' if n % 2 else 'false'} tabindex=0 class=mdc-switch aria-label='Turn {name} on or "
        f"off'>○</div><div role=button tabindex=0 class='mdc-icon-button material-icons' aria-label='Settings'>settings</div></div>"
        for n, (name, room, icon) in enumerate(
            (
                ("Ceiling light", "Kitchen", "bulb"),
                ("Floor lamp", "Living room", "bulb"),
                ("Heating", "Bathroom", "flame"),
                ("Coffee machine", "Kitchen", "cup"),
                ("Front door", "Hall", "lock"),
                ("Blinds", "Bedroom", "shade"),
                ("Garden hose", "Outside", "drop"),
            )
        )
    )
    chips = "".join(
        f"<div role=option tabindex=0 class=mdc-chip><span>{item}</span></div>"
        for item in ("All rooms", "Kitchen", "Living room", "Bedroom", "Outside")
    )
    drawer = "".join(
        f"<a class=mdc-drawer__item href='#/{_slug(item)}'><i class=material-icons>label</i><span>{item}</span></a>"
        for item in ("Devices", "Scenes", "Schedules", "Energy", "Members")
    )
    return f"""<div class=mdc-top-app-bar><div role=button tabindex=0 class='mdc-icon-button material-icons'>menu</div><span class=title>Homestead</span><div role=button tabindex=0
    class='mdc-icon-button material-icons' aria-label=Refresh>refresh</div><div role=button tabindex=0 class='mdc-icon-button material-icons' aria-label=Account>person</div></div>
    <aside class=mdc-drawer>{drawer}</aside><main><h2 class=mdc-typography>Devices</h2><div role=listbox class=mdc-chip-set>{chips}</div><div role=list class=mdc-list>{devices}</div>
    <h2>Add a device</h2><div class=mdc-text-field><input id=mdc1 aria-label='Device name'></div><div class=mdc-text-field><input id=mdc2 aria-label='Serial number'></div><div
    class=mdc-select role=combobox tabindex=0 aria-label=Room>Kitchen</div><div class=mdc-actions><div role=button tabindex=0 class=mdc-button>Cancel</div><div role=button tabindex=0
    class='mdc-button mdc-button--raised'>Add device</div></div><div role=button tabindex=0 class=mdc-fab aria-label='Create scene'>add</div></main>"""


def news() -> str:
    """A newspaper: teasers with "Read more", navigation twice, comments."""
    sections = ("World", "Politics", "Culture", "Science", "Sport", "Opinion")
    nav = "".join(f"<li><a href='/{section.lower()}'>{section}</a></li>" for section in sections)
    teasers = "".join(
        f"<article class='teaser teaser--{n}'><span class=kicker>{sections[n % 6]}</span><h2><a href='/{sections[n % 6].lower()}/2026/{_slug(title)}'>{title}</a></h2><p>{text}</p><a "
        f"class=more href='/{sections[n % 6].lower()}/2026/{_slug(title)}'>Read more</a><div class=share><a href='/share?to=mail&u={n}'>Mail</a><button aria-label='Bookmark'>☆</button></div></article>"
        for n, (title, text) in enumerate(STORIES)
    )
    comments = "".join(
        f"<li class=comment><b>{name}</b><p>{text}</p><button class=reply>Reply</button><button class=like>Recommend ({n * 7})</button><a href='#report-{n}' class=report>Report</a></li>"
        for n, (name, text) in enumerate(
            zip(
                PEOPLE[:6],
                (
                    "Well said.",
                    "I was there, it was louder.",
                    "Who pays for this?",
                    "Please publish the figures.",
                    "My mother disagrees.",
                    "Thank you for the pictures.",
                ),
                strict=True,
            )
        )
    )
    return f"""<header><div class=masthead><a href=/>The Morning Tide</a></div><nav class=primary><ul>{nav}</ul></nav><a class=subscribe href=/subscribe>Subscribe</a><a href=/login>Sign
    in</a><button class=burger>Menu</button></header><main><section class=lead>{teasers}</section><section class=comments><h3>Comments</h3><ul>{comments}</ul><form><label>Your comment
    <textarea name=body></textarea></label><button>Post comment</button></form></section><aside><h3>Most read</h3><ol>{"".join(f"<li><a href='/{sections[n % 6].lower()}/2026/{_slug(t)}'>{t}</a></li>" for n, (t, _) in enumerate(STORIES[:5]))}</ol>
    </aside></main><footer><nav class=secondary><ul>{nav}</ul></nav><ul><li><a href=/imprint>Imprint</a></li><li><a href=/privacy>Privacy</a></li><li><a href=/rss>RSS</a></li></ul></footer>"""


def bank() -> str:
    """Online banking of the old school: tables for layout, hardly a class."""
    accounts = "".join(
        f"<tr><td>{name}</td><td>DE{n}1 5001 0517 54{n}</td><td align=right>{amount}</td><td><a href='turnover.do?acc={n}'>Turnover</a></td><td><a href='transfer.do?acc={n}'>New payment</a></td></tr>"
        for n, (name, amount) in enumerate(
            (
                ("Current account", "2,410.11"),
                ("Savings", "18,000.00"),
                ("Credit card", "-310.50"),
                ("Securities", "7,122.90"),
            )
        )
    )
    moves = "".join(
        f"<tr bgcolor=#eee><td>{n + 3}.11.</td><td>{text}</td><td align=right>{amount}</td><td><input type=button value=Details></td><td><input type=button value=Receipt></td></tr>"
        for n, (text, amount) in enumerate(
            (
                ("Rent November", "-940.00"),
                ("Salary Tramline Ltd", "3,120.00"),
                ("Grocer Kessler", "-54.21"),
                ("Electricity", "-88.00"),
                ("Transfer to Jonas Lind", "-25.00"),
                ("Cash machine Main Street", "-100.00"),
                ("Insurance Harbour", "-41.30"),
            )
        )
    )
    return f"""<table width=100%><tr><td><b>Union Savings Bank</b></td><td align=right><a href=help.do>Help</a> | <a href=print.do>Print</a> | <a href=logout.do>Log off</a></td></tr></table>
    <table><tr><td valign=top><font size=2><a href=overview.do>Overview</a><br><a href=payments.do>Payments</a><br><a href=standing.do>Standing orders</a><br><a href=cards.do>Cards</a><br><a
    href=mailbox.do>Mailbox</a><br><a href=profile.do>Personal data</a></font></td><td><h3>Accounts</h3><table border=1>{accounts}</table><h3>Turnover of the current account</h3><form>From
    <input name=d1 size=10> to <input name=d2 size=10> <input type=submit value=Show></form><table border=1>{moves}</table><h3>Quick transfer</h3><form><table><tr><td>Recipient</td><td><input
    name=rcpt></td></tr><tr><td>IBAN</td><td><input name=ib></td></tr><tr><td>Amount</td><td><input name=amt> EUR</td></tr><tr><td>Reference</td><td><input name=ref></td></tr></table><input
    type=submit value='Check entries'> <input type=reset value=Clear></form></td></tr></table>"""


def tracker() -> str:
    """An issue tracker's board: cards in columns."""
    columns = "".join(
        f"<section class=column data-col={_slug(title)}><header><h3>{title}</h3><button class=icon-btn aria-label='Add card'>+</button><button class=icon-btn aria-label='Column options'>⋯</button></header>"
        + "".join(
            f"<div class=issue-card draggable=true data-key=TRM-{100 + n}><a class=issue-key href='/browse/TRM-{100 + n}'>TRM-{100 + n}</a><a class=issue-title href='/browse/TRM-{100 + n}?view=full'>{name}</a><span class=tag>{kind}</span><button "
            f"class=assignee aria-label='Assign {PEOPLE[n].split()[0]}'>{PEOPLE[n][:2]}</button><button class=icon-btn aria-label='Card options'>⋯</button></div>"
            for n, (name, kind) in enumerate(TASKS)
            if n % 3 == column
        )
        + "</section>"
        for column, title in enumerate(("To do", "In progress", "Done"))
    )
    people = "".join(f"<button class=avatar-filter title='{name}'>{name[:1]}</button>" for name in PEOPLE[:6])
    return f"""<div class=nav-global><a href=/>Tracker</a><a href=/projects>Projects</a><a href=/filters>Filters</a><button class=create>Create issue</button><input placeholder='Search issues'
    name=searchString></div><div class=project-nav><a href=/tramline/board>Board</a><a href=/tramline/backlog>Backlog</a><a href=/tramline/reports>Reports</a><a href=/tramline/settings>Project
    settings</a></div><h1>Tramline board</h1><div class=filters><input type=text aria-label='Filter cards' placeholder='Filter'>{people}<label>Type <select name=type><option>All</option><option>bug</option></select></label><label><input
    type=checkbox name=mine> Only my issues</label><button>Clear filters</button></div><div class=grid>{columns}</div>"""


def booking() -> str:
    """A doctor's calendar: many alike slots under different days."""
    days = "".join(
        f"<div class=day><h4>{day}</h4>"
        + "".join(
            f"<button class=slot data-slot='{n}-{time}'>{time}</button>"
            for time in ("09:00", "09:30", "10:15", "11:00", "14:00", "15:45")[n % 2 : 5 + n % 2]
        )
        + "</div>"
        for n, day in enumerate(
            ("Monday 3 May", "Tuesday 4 May", "Wednesday 5 May", "Thursday 6 May", "Friday 7 May")
        )
    )
    doctors = "".join(
        f"<li class=doctor><img alt='Portrait of Dr {name}' src='/d/{_slug(name)}.png' width=30 height=30><strong>Dr {name}</strong><span>{area}</span><a href='/doctors/{_slug(name)}'>Profile</a><button "
        f"class=choose>Choose</button></li>"
        for name, area in zip(
            PEOPLE[4:10],
            ("General practice", "Dermatology", "Cardiology", "Neurology", "Paediatrics", "Ophthalmology"),
            strict=True,
        )
    )
    return f"""<header><a href=/ class=clinic>Lindenhof Clinic</a><nav><a href=/doctors>Doctors</a><a href=/treatments>Treatments</a><a href=/directions>How to find us</a></nav><a href=/mine>My
    appointments</a></header><main><h1>Book an appointment</h1><form class=who><label for=reason>Reason for visit</label><select id=reason><option>Check-up</option><option>Follow-up</option></select>
    <label for=ins>Insurance number</label><input id=ins name=insurance placeholder='A123456789'><label><input type=radio name=patient value=new> First visit</label><label><input type=radio
    name=patient value=known> Known patient</label></form><h2>Doctors</h2><ul>{doctors}</ul><h2>Free times</h2><div class=week-nav><button class=prev aria-label='Previous week'>◀</button><button
    class=next aria-label='Next week'>▶</button></div><div class=grid>{days}</div><div class=end><button class=back>Back</button><button class=book type=submit>Book now</button></div></main><footer><a
    href=/imprint>Imprint</a><a href=/data>Data protection</a><a href=/emergency>Emergency</a></footer>"""
