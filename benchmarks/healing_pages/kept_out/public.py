"""Pages that many people see: orders of a shop, a forum, flights to choose from, a repository."""

# ruff: noqa: E501, RUF001 - HTML reads better uncancellable, and pages use all kinds of signs


def orders() -> str:
    """What was bought: cards with the same buttons, several goods in one card, advice at the foot."""
    cards = "".join(
        f"<div class='boxes order-card js-card'><div class='box bg-tint order-header'><div class=col><span class=text-xs>ORDER PLACED</span><span>{date}</span></div><div class=col><span "
        f"class=text-xs>TOTAL</span><span>{total}</span></div><div class=col><span class=text-xs>SHIP TO</span><a href='javascript:void(0)' class='hint-trigger'>{to}</a></div><div class='col "
        f"order-no'><span class=text-dim>ORDER # {number}</span><a class=lnk href='/your-orders/details?orderID={number}'>View order details</a><a class=lnk "
        f"href='/your-orders/invoice?orderID={number}'>Invoice</a></div></div><div class='box delivery-box'><h3 class=delivery-box__primary-text>{state}</h3>"
        + "".join(
            f"<div class='pair item-box'><a class=lnk href='/item/{asin}'><img alt='' src='/i/{asin}.jpg' width=30 height=30></a><a class='lnk item-title' href='/item/{asin}'>{name}</a><span class=bt><button "
            f"class=bt-text data-item={asin}>Buy it again</button></span></div>"
            for asin, name in goods
        )
        + f"<div class='stack shipment-actions'><a class='bt-text' href='/track?orderId={number}' role=button>Track package</a><a class=bt-text href='/returns?orderId={number}' role=button>Return or "
        f"replace items</a><a class=bt-text href='/review?orderId={number}' role=button>Write a product review</a></div></div></div>"
        for date, total, to, number, state, goods in (
            (
                "2 November 2026",
                "$84.15",
                "Imani Brooks",
                "112-7745120-88",
                "Arriving tomorrow",
                (("B07KX1", "Cast iron skillet, 26 cm"), ("B09TR4", "Chain mail scrubber")),
            ),
            (
                "19 October 2026",
                "$12.99",
                "Imani Brooks",
                "112-0918233-41",
                "Delivered 21 October",
                (("B01QQ8", "Sourdough starter jar"),),
            ),
            (
                "3 October 2026",
                "$210.00",
                "Gerald Brooks",
                "112-5540027-13",
                "Delivered 9 October",
                (("B0AA51", "Folding garden chair, set of four"),),
            ),
            (
                "28 September 2026",
                "$31.40",
                "Imani Brooks",
                "112-2231908-07",
                "Return complete",
                (("B05MM2", "Rain jacket for dogs, size L"), ("B05MM9", "Reflective leash")),
            ),
        )
    )
    return f"""<header id=navbar><a href=/start id=nav-logo aria-label=Marketfair>Marketfair</a><a id=nav-place href=/location>Deliver to Imani</a><form id=mf-search action=/s><select aria-label='Search in'
    id=mf-search-in name=url><option>All departments</option><option>Books</option></select><input type=text id=mf-search-text name=kw placeholder='Search Marketfair'><input id=mf-search-go type=submit
    value=Go></form><a href=/account id=nav-account>Account and lists</a><a href=/orders id=nav-orders>Returns and orders</a><a href=/cart id=nav-cart>Basket <span id=cart-count>1</span></a></header><div
    id=nav-main><a href=/deals>Today’s deals</a><a href=/service>Customer service</a><a href=/gift-cards>Gift cards</a><a href=/sell>Sell</a></div><main><ul class=crumb><li><a href=/account>Your account</a></li><li>Your
    orders</li></ul><h1>Your orders</h1><form action=/your-orders/search><input type=search id=searchOrdersInput name=search placeholder='Search all orders'><span class=bt><input class=bt-input type=submit value='Search
    orders'></span></form><ul class='page-tabs'><li class='page-tabs__tab page-tabs__tab--selected'>Orders</li><li class=page-tabs__tab><a href='/your-orders/buy-again'>Buy again</a></li><li class=page-tabs__tab><a
    href='/your-orders/not-shipped'>Not yet shipped</a></li><li class=page-tabs__tab><a href='/your-orders/cancelled'>Cancelled orders</a></li></ul><label for=time-filter>Placed in</label><select id=time-filter name=timeFilter><option>past three
    months</option><option>2026</option></select>{cards}<ul class=pages><li><a href='?startIndex=0'>←Previous</a></li><li><a href='?startIndex=0'>1</a></li><li><a href='?startIndex=10'>2</a></li><li><a
    href='?startIndex=20'>Next→</a></li></ul></main><footer id=foot><a href='#nav-top'>Back to top</a><a href=/conditions>Conditions of use</a><a href=/privacy>Privacy notice</a><a href=/ads>Interest-based ads</a></footer>"""


def forum() -> str:
    """A board of the two-thousands: a thread with quotes, ranks and the same buttons under every post."""
    posts = "".join(
        f"<div id=p{n * 17 + 9001} class='post has-profile bg{n % 2 + 1}'><div class=inner><dl class=postprofile><dt><a href='./memberlist.php?mode=viewprofile&u={n * 3 + 50}' class=username>{who}</a></dt><dd>{rank}</dd><dd>Posts: <a "
        f"href='./search.php?author_id={n * 3 + 50}'>{count}</a></dd></dl><div class=postbody><h3><a href='#p{n * 17 + 9001}'>{'Re: ' if n else ''}Squealing brakes after winter</a></h3><ul class=post-buttons><li><a "
        f"href='./posting.php?mode=quote&p={n * 17 + 9001}' title='Reply with quote' class='button button-icon-only'><i class='icon fa-quote-left'></i></a></li><li><a href='./report.php?p={n * 17 + 9001}' title='Report this post' class='button "
        f"button-icon-only'><i class='icon fa-exclamation'></i></a></li><li><a href='./app.php/thanks/{n * 17 + 9001}' title='Thank {who}' class='button button-icon-only'><i class='icon fa-thumbs-up'></i></a></li></ul><div "
        f"class=content>{text}</div></div></div></div>"
        for n, (who, rank, count, text) in enumerate(
            (
                (
                    "grease_monkey",
                    "Workshop regular",
                    1204,
                    "Since the thaw my rear discs scream at every corner. Pads are new.",
                ),
                ("Vera_Lux", "Newcomer", 11, "Had the same. Contaminated pads, I had sprayed the chain."),
                (
                    "old_sprocket",
                    "Moderator",
                    9817,
                    "Bed them in: twenty hard stops from thirty, no locking.",
                ),
                ("bikepoet", "Member", 340, "Turmeric. No, seriously, clean the rotor with alcohol."),
                (
                    "grease_monkey",
                    "Workshop regular",
                    1205,
                    "Alcohol and twenty stops did it. Silent as snow now.",
                ),
            )
        )
    )
    crumbs = "".join(
        f"<span class=crumb><a href='{href}'><span itemprop=title>{text}</span></a></span>"
        for href, text in (
            ("./index.php", "Board index"),
            ("./viewforum.php?f=4", "Workshop"),
            ("./viewforum.php?f=12", "Brakes"),
        )
    )
    return f"""<style>.icon{{display:inline-block;width:12px;height:12px}}</style><div id=wrap class=wrap><div id=page-header><div class=headerbar><a id=logo class=logo href=./index.php title='Board index'>Spokes and Sprockets</a><div id=search-box
    role=search><form action=./search.php><fieldset><input name=keywords id=keywords type=search maxlength=128 title='Search for keywords' class='inputbox search tiny' placeholder='Search…'><button class='button button-search' type=submit
    title=Search><i class='icon fa-search'></i></button><a href=./search.php class='button button-search-end' title='Advanced search'><i class='icon fa-cog'></i></a></fieldset></form></div></div><div class=navbar><ul id=nav-main
    class='nav-main linklist'><li><a href='./app.php/help/faq' rel=help>FAQ</a></li><li><a href=./memberlist.php>Members</a></li><li><a href='./ucp.php?mode=register'>Register</a></li><li><a href='./ucp.php?mode=login'
    accesskey=x>Login</a></li></ul><ul id=nav-breadcrumbs class='nav-breadcrumbs linklist'><li class=breadcrumbs>{crumbs}</li></ul></div></div><div id=page-body><h2 class=topic-title><a
    href='./viewtopic.php?t=5120'>Squealing brakes after winter</a></h2><div class='action-bar bar-top'><a href='./posting.php?mode=reply&t=5120' class=button title='Post a reply'>Post Reply</a><a
    href='./viewtopic.php?t=5120&view=print' class=button title='Print view'>Print</a><form class=search-box action=./search.php><input class='inputbox search tiny' type=search name=keywords placeholder='Search this topic…'><button class='button
    button-search' title='Search in topic'><i class='icon fa-search'></i></button></form><div class=pagination>5 posts <a class=button href='./viewtopic.php?t=5120&start=15'>2</a> <a class=button
    href='./viewtopic.php?t=5120&start=30'>3</a> <a class=button rel=next href='./viewtopic.php?t=5120&start=15'>Next</a></div></div>{posts}<form class=quickreply><h3>Quick reply</h3><label for=qr-subject>Subject:</label><input
    id=qr-subject name=subject class=inputbox><textarea name=message aria-label=Message rows=5></textarea><input type=submit name=preview value=Preview class=button2> <input type=submit name=post value=Submit class='button1
    default-submit-action'></form><div class='action-bar bar-bottom'><a href='./posting.php?mode=reply&t=5120' class=button title='Post a reply'>Post Reply</a><label>Jump to <select name=f><option>Workshop</option><option>Touring</option></select></label><button
    class=button2>Go</button></div></div><div id=page-footer class=page-footer><a href=./index.php class=crumb>Board index</a><a href='./ucp.php?mode=delete_cookies'>Delete cookies</a><a href='./memberlist.php?mode=contactadmin'>Contact us</a><a
    href=./privacy>Privacy</a></div></div>"""


def flights() -> str:
    """Flights to choose from: days as tabs, three fares on every card, steppers for travellers."""
    results = "".join(
        f"<li class=result data-testid=itinerary-{n}><div class=result__legs><time>{start}</time><span class=result__dur>{dur}</span><time>{end}</time><span class=result__via>{via}</span><span class=result__no>Flight {number}</span></div><button "
        f"class=result__toggle aria-expanded=false>Flight details</button><div class=fares>"
        + "".join(
            f"<div class='fare fare--{fare.lower()}'><span class=fare__name>{fare}</span><span class=fare__price>{int(price * factor)} €</span><button class='Button_primary__x{n}{at}k' data-testid=select-fare>Select</button></div>"
            for at, (fare, factor) in enumerate((("Light", 1.0), ("Classic", 1.3), ("Flex", 1.9)))
        )
        + "</div></li>"
        for n, (start, end, dur, via, number, price) in enumerate(
            (
                ("06:20", "09:55", "2 h 35", "non-stop", "AV 1180", 129),
                ("09:05", "14:40", "4 h 35", "1 stop in Lyon", "AV 1342", 94),
                ("12:45", "16:20", "2 h 35", "non-stop", "AV 1184", 158),
                ("17:10", "22:35", "4 h 25", "1 stop in Porto", "AV 1377", 88),
                ("20:30", "00:05", "2 h 35", "non-stop", "AV 1188", 112),
            )
        )
    )
    days = "".join(
        f"<button role=tab class=DayTab_tab__q8{n} aria-selected={'true' if n == 2 else 'false'}><span>{day}</span><span>from {price} €</span></button>"
        for n, (day, price) in enumerate(
            (
                ("Tue 9 Mar", 119),
                ("Wed 10 Mar", 104),
                ("Thu 11 Mar", 88),
                ("Fri 12 Mar", 141),
                ("Sat 13 Mar", 163),
            )
        )
    )
    steppers = "".join(
        f"<div class=Stepper_row__m{n}><span id=lbl-{key}>{text}</span><small>{hint}</small><button class=Stepper_btn__a1 aria-label='Remove one {item}'>−</button><output>{n % 2}</output><button class=Stepper_btn__a1 aria-label='Add one {item}'>+</button></div>"
        for n, (key, text, hint, item) in enumerate(
            (
                ("adt", "Adults", "from 16 years", "adult"),
                ("chd", "Children", "2 to 15 years", "child"),
                ("inf", "Infants", "on the lap", "infant"),
            )
        )
    )
    return f"""<div id=root><header class=Header_root__3kd><a href=/en class=Header_logo__9s aria-label='Avelia home'>Avelia</a><nav aria-label=Main><a href=/en/book>Book</a><a href=/en/manage>Manage booking</a><a href=/en/checkin>Check-in</a><a
    href=/en/status>Flight status</a></nav><button class=Header_lang__1 aria-label='Language: English'>EN</button><a href=/en/club class=Header_club__7>Join the club</a></header><section class=SearchBar_root__z1><div role=radiogroup><label><input
    type=radio name=trip value=return> Return</label><label><input type=radio name=trip value=oneway> One way</label></div><div class=Field_wrap__0c><label for=from-input>From</label><input id=from-input role=combobox
    autocomplete=off></div><button class=SearchBar_swap__8 aria-label='Swap from and to'>⇄</button><div class=Field_wrap__0c><label for=to-input>To</label><input id=to-input role=combobox autocomplete=off></div><div class=Field_wrap__0c><label
    for=dep-input>Departure</label><input id=dep-input placeholder='DD/MM/YYYY'></div><div class=Field_wrap__0c><label for=ret-input>Return date</label><input id=ret-input placeholder='DD/MM/YYYY'></div><div
    class=Travellers_pop__5>{steppers}<button class=Travellers_done__2>Done</button></div><button class='Button_primary__k1 SearchBar_go__3' type=submit>Search flights</button></section><main><h1>Hamburg to Faro</h1><div role=tablist
    class=DayTab_list__q>{days}</div><div class=Filters_root__7><h2>Filter results</h2><label><input type=checkbox name=nonstop> Non-stop only</label><label><input type=checkbox name=bags> With checked bag</label><label>Sort <select
    name=sort><option>Cheapest</option><option>Fastest</option></select></label><button class=Filters_reset__1>Reset</button></div><ul class=results>{results}</ul><button class=more>Show later flights</button></main><aside
    class=Basket_root__b><h2>Your trip</h2><p>No flight chosen yet</p><a href=/en/baggage>Baggage rules</a><button class='Button_primary__k1' disabled>Continue to passengers</button></aside><footer><a href=/en/legal>Legal</a><a
    href=/en/conditions>Conditions of carriage</a><a href=/en/help>Help centre</a></footer></div>"""


def repository() -> str:
    """A place for code: tabs with counters, files with the last change beside each, facts at the side."""
    files = "".join(
        f"<tr class='entry' id=entry-{n}><td class=entry-name><div class=overflow-hidden><a class=Anchor--strong title='{name}' aria-label='{name}, ({'Directory' if '.' not in name else 'File'})' "
        f"href='/loom/shuttle/{'tree' if '.' not in name else 'blob'}/main/{name}'>{name}</a></div></td><td class=entry-change><a class=Anchor--calm href='/loom/shuttle/commit/{sha}'>{text}</a></td><td><ago-time>{when}</ago-time></td></tr>"
        for n, (name, text, sha, when) in enumerate(
            (
                (".ci", "Run the slow tests at night", "8d1f0c2", "3 weeks ago"),
                ("bench", "Compare with the old parser", "c5510ab", "last year"),
                ("docs", "Fix two broken links", "09aa7e4", "yesterday"),
                ("shuttle", "Keep comments when sorting imports", "f1e77b0", "2 days ago"),
                ("tests", "Keep comments when sorting imports", "f1e77b0", "2 days ago"),
                ("CHANGES.md", "Prepare 4.2", "77c3d19", "2 months ago"),
                ("LICENSE.txt", "Initial import", "0000d3a", "6 years ago"),
                ("README.md", "Say how to install", "5b2e6f8", "5 months ago"),
                ("pyproject.toml", "Drop support for 3.9", "a90b7c1", "last month"),
            )
        )
    )
    tabs = "".join(
        f"<li class=d-inline-flex><a class='TabBar-item js-tab' href='/loom/shuttle{path}' data-tab-item=i{n}{key}-tab><svg class='glyph glyph-{key}' width=8 height=8></svg><span data-content='{text}'>{text}</span>{f'<span class=Counter>{count}</span>' if count else ''}</a></li>"
        for n, (key, text, path, count) in enumerate(
            (
                ("code", "Code", "", 0),
                ("issues", "Issues", "/issues", 37),
                ("pulls", "Pull requests", "/pulls", 6),
                ("actions", "Actions", "/actions", 0),
                ("wiki", "Wiki", "/wiki", 0),
                ("insights", "Insights", "/pulse", 0),
            )
        )
    )
    topics = "".join(
        f"<a class='subject subject-link' href='/topics/{item}' title='Topic: {item}'>{item}</a>"
        for item in ("formatter", "linter", "imports", "command-line")
    )
    people = "".join(
        f"<li><a href='/{item}' data-card=user><img alt='@{item}' src='/avatars/{item}.png' width=16 height=16></a></li>"
        for item in ("tessa-weaver", "mnakamura", "olga-k", "pbrandao")
    )
    return f"""<header class=TopBar role=banner><button class='TopBar-button Button--iconOnly' aria-label='Open global navigation menu'><svg width=8 height=8></svg></button><a href=/ aria-label='Homepage'><svg width=10
    height=10></svg></a><nav aria-label='Page context'><a class=TopBar-place href=/loom>loom</a> / <a class=TopBar-place href=/loom/shuttle>shuttle</a></nav><button class=finder-button
    data-action='click:finder#open'>Type <kbd>/</kbd> to search</button><a class='Button Button--secondary' href=/issues aria-label='Your issues'><svg width=8 height=8></svg></a><a href=/notifications
    class='Button--iconOnly' aria-label='You have no unread notifications'><svg width=8 height=8></svg></a></header><nav aria-label=Repository class='js-tabs TabBar'><ul>{tabs}</ul></nav><main><div id=project-title><h1>shuttle</h1><span
    class='Label'>Public</span><ul class=title-actions><li><button class='btn-sm btn' aria-label='Watch: participating'>Watch <span class=Counter>41</span></button></li><li><a class='btn-sm btn' href='/loom/shuttle/fork'
    data-count='fork'>Fork <span class=Counter>212</span></a></li><li><button class='btn-sm btn js-toggle' aria-label='Star this repository (3908)'>Star <span class=Counter>3.9k</span></button></li></ul></div><div
    class=entry-tools><button id=branch-picker class='kit-Button-c50x' aria-label='main branch' aria-haspopup=true>main</button><a class=Anchor--strong
    href='/loom/shuttle/branches'><strong>14</strong> Branches</a><a class=Anchor--strong href='/loom/shuttle/tags'><strong>52</strong> Tags</a><input type=text placeholder='Go to file' aria-label='Go to file'
    class='kit-Input-y8b'><button class='kit-Button-c50x' data-testid=create-file>Add file</button><button class='kit-Button-c50x' data-variant=primary>Get the code</button></div><div class=NewestChange><a
    href='/tessa-weaver' class=person>tessa-weaver</a> <a href='/loom/shuttle/commit/f1e77b0' class=Anchor--calm>Keep comments when sorting imports</a> <a class=kit-Button
    href='/loom/shuttle/commits/main'><strong>1,902</strong> Commits</a></div><table aria-labelledby=entries-title><tbody>{files}</tbody></table><article class=prose><h2>shuttle</h2><p>Sorts what you import. See the <a
    href='https://shuttle.example.org/docs'>documentation</a> and the <a href='https://shuttle.example.org/chat'>chat room</a>.</p><a href='#installation' class=anchor aria-label='Permalink: Installation'>#</a><h3>Installation</h3><a
    href='#usage' class=anchor aria-label='Permalink: Usage'>#</a><h3>Usage</h3></article></main><div class=Columns-side><h2>About</h2><p>An import sorter that keeps its hands off comments</p><a class=text-bold
    href='https://shuttle.example.org'>shuttle.example.org</a>{topics}<a class=Anchor--dim href='/loom/shuttle/blob/main/README.md'>Readme</a><a class=Anchor--dim href='/loom/shuttle/stargazers'><strong>3.9k</strong> stars</a><a
    class=Anchor--dim href='/loom/shuttle/watchers'><strong>41</strong> watching</a><a class=Anchor--dim href='/report'>Report repository</a><h2><a href='/loom/shuttle/releases' class=Anchor--strong>Releases
    <span class=Counter>30</span></a></h2><a href='/loom/shuttle/releases/tag/4.2'>4.2: the quiet one</a><h2><a href='/loom/shuttle/people'>Contributors</a></h2><ul>{people}</ul></div><footer class=footer><a
    href=/site/terms>Terms</a><a href=/site/privacy>Privacy</a><a href=/security>Security</a><a href=/status>Status</a></footer>"""
