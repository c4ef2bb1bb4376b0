"""Pages of offices: a bank's portal of long ago, a help desk's grid, a permit applied for in steps."""

# ruff: noqa: E501, RUF001 - HTML reads better uncancellable, and pages use all kinds of signs

_BATCHES = (
    ("SEPA-20261104-01", "Salaries November", "42", "118,340.12", "Awaiting second signature"),
    ("SEPA-20261105-03", "Supplier run, week 45", "17", "23,904.00", "Awaiting second signature"),
    ("SEPA-20261106-01", "Rent and leasing", "6", "9,120.50", "Draft"),
    ("SEPA-20261030-02", "Tax prepayment", "1", "14,000.00", "Executed"),
    ("SEPA-20261029-07", "Refunds to members", "88", "3,410.77", "Rejected in part"),
)


def bank_portal() -> str:
    """Cash management for companies: tables in tables, upper-case tags, script links, picture buttons."""
    menu = "".join(
        f"<TR><TD CLASS=navoff><IMG SRC=/img/spacer.gif WIDTH=8 HEIGHT=1 ALT=''><A HREF=\"javascript:go('{key}')\" CLASS=navlink>{text}</A></TD></TR>"
        for key, text in (
            ("ACCT", "Account balances"),
            ("STMT", "Statements (MT940)"),
            ("PAYM", "Payments"),
            ("BATCH", "Batch files"),
            ("DDEB", "Direct debits"),
            ("FXDL", "Foreign exchange"),
            ("USER", "Users and limits"),
            ("AUDT", "Audit trail"),
        )
    )
    rows = "".join(
        f"<TR BGCOLOR=#{'F2F2F2' if n % 2 else 'FFFFFF'}><TD><INPUT TYPE=checkbox NAME=chk_{n} VALUE={ref}></TD><TD NOWRAP><A HREF=\"javascript:openBatch('{ref}')\"><FONT SIZE=-1>{ref}</FONT></A></TD>"
        f"<TD><FONT SIZE=-1>{text}</FONT></TD><TD ALIGN=right>{count}</TD><TD ALIGN=right>{total}</TD><TD>{state}</TD><TD NOWRAP><A HREF=\"javascript:sign('{ref}')\">Sign</A>&nbsp;|&nbsp;<A "
        f"HREF=\"javascript:view('{ref}')\">Items</A>&nbsp;|&nbsp;<A HREF='batchpdf.jsp?ref={ref}' TARGET=_blank>Protocol</A></TD></TR>"
        for n, (ref, text, count, total, state) in enumerate(_BATCHES)
    )
    return f"""<TABLE WIDTH=100% CELLPADDING=0 CELLSPACING=0><TR><TD BGCOLOR=#003366><IMG SRC=/img/logo_corp.gif ALT='Nordkap Corporate Banking' WIDTH=60 HEIGHT=20></TD><TD BGCOLOR=#003366 ALIGN=right><FONT
    COLOR=#ffffff SIZE=1>Last logon: 05-NOV-2026 07:58</FONT> <A HREF="javascript:help('BATCH01')"><IMG SRC=/img/help.gif ALT='Help' WIDTH=14 HEIGHT=14></A> <A HREF='logoff.jsp?reason=user'><IMG
    SRC=/img/exit.gif ALT='End session' WIDTH=14 HEIGHT=14></A></TD></TR></TABLE><TABLE WIDTH=100%><TR VALIGN=top><TD WIDTH=150><TABLE>{menu}</TABLE></TD><TD><TABLE WIDTH=100%><TR><TD CLASS=hd>Batch
    files &gt; Overview</TD><TD ALIGN=right><SELECT NAME=client_sel><OPTION>0042 Nordkap Fish AS</OPTION><OPTION>0043 Nordkap Ships AS</OPTION></SELECT> <INPUT TYPE=image SRC=/img/go.gif ALT='Change company'
    NAME=btnGo WIDTH=20 HEIGHT=14></TD></TR></TABLE><FORM NAME=frmFilter ACTION=batch.jsp METHOD=post><TABLE><TR><TD>Execution date from</TD><TD><INPUT NAME=dtFrom SIZE=10 MAXLENGTH=10></TD><TD>until</TD><TD><INPUT
    NAME=dtTo SIZE=10 MAXLENGTH=10></TD></TR><TR><TD>Reference contains</TD><TD><INPUT NAME=txtRef SIZE=20></TD><TD>Status</TD><TD><SELECT NAME=selStat><OPTION>All</OPTION><OPTION>Draft</OPTION><OPTION>Awaiting
    signature</OPTION><OPTION>Executed</OPTION></SELECT></TD></TR><TR><TD></TD><TD COLSPAN=3><INPUT TYPE=submit NAME=cmdFind VALUE='Display'> <INPUT TYPE=reset VALUE='Reset filter'></TD></TR></TABLE></FORM><FORM
    NAME=frmList><TABLE BORDER=0 CELLPADDING=3><TR BGCOLOR=#C0C0C0><TH></TH><TH><A HREF="javascript:sort('ref')">Reference</A></TH><TH><A HREF="javascript:sort('txt')">Description</A></TH><TH>Items</TH><TH><A
    HREF="javascript:sort('amt')">Total EUR</A></TH><TH>Status</TH><TH>Functions</TH></TR>{rows}</TABLE><TABLE WIDTH=100%><TR><TD><INPUT TYPE=button NAME=cmdSign VALUE='Sign marked files'> <INPUT TYPE=button
    NAME=cmdUpl VALUE='Upload file'> <INPUT TYPE=button NAME=cmdCsv VALUE='Save list as CSV'></TD><TD ALIGN=right><A HREF='batch.jsp?pg=1'>&lt;&lt; Previous</A> Page 2 of 9 <A HREF='batch.jsp?pg=3'>Next
    &gt;&gt;</A></TD></TR></TABLE></FORM></TD></TR></TABLE><HR><CENTER><FONT SIZE=1><A HREF=terms.htm>Terms of use</A> | <A HREF=security.htm>Security notes</A> | <A HREF=mailto:desk@example.org>Contact the
    desk</A></FONT></CENTER>"""


_TICKETS = (
    ("48213", "Printer on floor 3 prints blank pages", "Moira Blackwood", "Hardware", "High"),
    ("48217", "Cannot reach the shared drive from home", "Tadeusz Wilk", "Network", "Urgent"),
    ("48220", "New laptop for Sofia, starts 1 December", "Rui Tavares", "Onboarding", "Normal"),
    ("48222", "Outlook asks for the password again and again", "Noor Jansen", "Mail", "High"),
    ("48230", "Please restore a deleted spreadsheet", "Ilse Aubert", "Backup", "Normal"),
    ("48231", "Door badge opens the wrong gate", "Per Lindqvist", "Access", "Low"),
    ("48236", "VPN drops after ten minutes", "Tadeusz Wilk", "Network", "High"),
    ("48240", "Second monitor stays dark", "Moira Blackwood", "Hardware", "Normal"),
)


def helpdesk() -> str:
    """A ticket system: a data grid of divs, buttons that are icons with a tooltip, a preview beside it."""
    rows = "".join(
        f"<div role=row class='ag-row ag-row-{'even' if n % 2 == 0 else 'odd'}' row-index={n} row-id={number}><div role=gridcell col-id=sel class='ag-cell'><input type=checkbox class=ag-checkbox-input aria-label='Press "
        f"Space to toggle row selection'></div><div role=gridcell col-id=number class=ag-cell><a href='/tickets/{number}' class=tkt-link>#{number}</a></div><div role=gridcell col-id=subject class='ag-cell "
        f"ag-cell-value'>{subject}</div><div role=gridcell col-id=requester class=ag-cell><a href='/requesters/{who.split()[1].lower()}'>{who}</a></div><div role=gridcell col-id=group class=ag-cell>{group}</div><div "
        f"role=gridcell col-id=prio class=ag-cell><span class='pill pill-{prio.lower()}'>{prio}</span></div><div role=gridcell col-id=acts class=ag-cell><button class='ico ico-assign' title='Assign to me'><i class='fa "
        f"fa-user-plus'></i></button><button class='ico ico-note' title='Add note'><i class='fa fa-comment'></i></button><button class='ico ico-merge' title='Merge'><i class='fa fa-code-branch'></i></button></div></div>"
        for n, (number, subject, who, group, prio) in enumerate(_TICKETS)
    )
    heads = "".join(
        f"<div role=columnheader class=ag-header-cell col-id={key}><span class=ag-header-cell-text tabindex=0 role=button>{text}</span></div>"
        for key, text in (
            ("number", "Number"),
            ("subject", "Subject"),
            ("requester", "Requester"),
            ("group", "Group"),
            ("prio", "Priority"),
        )
    )
    views = "".join(
        f"<li class='view{' view--on' if n == 1 else ''}'><a href='/tickets?view={11 + n}'><span class=view__name>{name}</span><span class=view__n>{count}</span></a></li>"
        for n, (name, count) in enumerate(
            (
                ("Your unsolved tickets", 4),
                ("Unassigned", 8),
                ("Recently updated", 31),
                ("Pending on requester", 12),
                ("Suspended", 2),
            )
        )
    )
    return f"""<style>.ag-row,.hdr{{display:flex;gap:8px}}.ico{{width:22px;height:18px}}</style><div class=shell><div class=rail><button class=rail__b title=Home><i class='fa fa-home'></i></button><button class='rail__b rail__b--on'
    title=Views><i class='fa fa-list'></i></button><button class=rail__b title=Reports><i class='fa fa-chart'></i></button><button class=rail__b title=Administration><i class='fa fa-cog'></i></button></div><div
    class=pane-left><h2>Views</h2><ul>{views}</ul><a class=more-views href=/views>All views »</a></div><div class=pane-mid><div class=hdr><h1>Unassigned <small>8 tickets</small></h1><button class='btn btn-play'>Play</button><div
    class=dropdown><button class='btn dropdown-toggle' data-toggle=dropdown>Actions <b class=caret></b></button></div><input class='form-control input-sm' placeholder='Filter tickets' data-bind=quickFilter><button class='btn
    btn-new' data-shortcut=n><i class='fa fa-plus'></i> New ticket</button></div><div role=grid class=ag-root><div role=row class='ag-header hdr'>{heads}</div><div class=ag-body-viewport>{rows}</div></div><div
    class=ag-paging-panel><button class=ag-paging-button aria-label='First page'>|‹</button><button class=ag-paging-button aria-label='Previous page'>‹</button><span>Page 1 of 1</span><button class=ag-paging-button
    aria-label='Next page'>›</button><button class=ag-paging-button aria-label='Last page'>›|</button></div></div><div class=pane-right><div class=preview><h3>#48217 Cannot reach the shared drive from home</h3><p>Since Monday the
    drive asks for a certificate that has expired.</p><dl><dt>Assignee</dt><dd><select data-field=assignee><option>–</option><option>Networks</option><option>Desktop</option></select></dd><dt>Status</dt><dd><select
    data-field=status><option>Open</option><option>Pending</option><option>Solved</option></select></dd><dt>Tags</dt><dd><input data-field=tags placeholder='Add a tag'></dd></dl><div class=reply><div class=tabs><a
    href='#public' class=on>Public reply</a><a href='#internal'>Internal note</a></div><textarea aria-label='Reply text'></textarea><button class='btn btn-primary btn-submit'>Submit as open</button><button class='btn btn-macro'
    title='Apply macro'><i class='fa fa-bolt'></i></button><button class='btn btn-clip' title='Attach file'><i class='fa fa-paperclip'></i></button></div></div></div></div>"""


def permit() -> str:
    """An authority's form in steps: field sets, hints, dates in three fields, a list of answers to change."""
    answers = "".join(
        f"<div class=gov-summary__row><dt class=gov-summary__key>{key}</dt><dd class=gov-summary__value>{value}</dd><dd class=gov-summary__actions><a class=gov-link href='/apply/{step}'>Change<span class=hidden> {key.lower()}</span></a></dd></div>"
        for key, value, step in (
            ("Name of the applicant", "Rosalind Achterberg", "applicant-name"),
            ("Address of the site", "14 Mill Lane, Otterford", "site-address"),
            ("Kind of work", "Single-storey extension", "kind-of-work"),
            ("Is the building listed?", "No", "listed"),
            ("Agent", "Hollis and Wray, architects", "agent"),
        )
    )
    kinds = "".join(
        f"<div class=gov-radios__item><input class=gov-radios__input id=access-{n} name=access type=radio value={key}><label class='gov-label gov-radios__label' for=access-{n}>{text}</label><div class='gov-hint "
        f"gov-radios__hint'>{hint}</div></div>"
        for n, (key, text, hint) in enumerate(
            (
                ("unchanged", "Access stays as it is", "No new opening to the road"),
                ("altered", "Access is altered", "For example widened or moved"),
                ("new", "There is a new access", "You also need the consent of the roads office"),
            )
        )
    )
    checks = "".join(
        f"<div class=gov-checkboxes__item><input class=gov-checkboxes__input id=docs-{n} name=docs type=checkbox value={key}><label class='gov-label gov-checkboxes__label' for=docs-{n}>{text}</label></div>"
        for n, (key, text) in enumerate(
            (
                ("plan", "Location plan at 1:1250"),
                ("elev", "Existing and proposed elevations"),
                ("tree", "Tree survey"),
                ("flood", "Flood risk assessment"),
            )
        )
    )

    def date(name: str, legend: str, hint: str) -> str:
        parts = "".join(
            f"<div class=gov-date__item><label class='gov-label gov-date__label' for={name}-{part}>{part.title()}</label><input class='gov-input gov-date__input gov-input--width-{width}' id={name}-{part} name={name}-{part} "
            f"inputmode=numeric></div>"
            for part, width in (("day", 2), ("month", 2), ("year", 4))
        )
        return f"<fieldset class=gov-fieldset><legend class=gov-fieldset__legend>{legend}</legend><div class=gov-hint>{hint}</div><div class=gov-date id={name}>{parts}</div></fieldset>"

    return f"""<style>.hidden{{position:absolute;width:1px;height:1px;overflow:hidden}}</style><a href='#main' class=gov-skip>Skip to main content</a><header class=gov-header><a class=gov-header__link href=/>County Services</a><nav><a
    class=gov-header__nav href=/account>Your account</a><a class=gov-header__nav href=/cymraeg lang=cy>Cymraeg</a><a class=gov-header__nav href=/sign-out>Sign out</a></nav></header><div class=gov-phase><strong>BETA</strong> This is a
    new service, <a class=gov-link href=/feedback>your feedback</a> helps us.</div><a href=/apply/4 class=gov-back>Back</a><main id=main class=gov-main><div class=gov-error-summary role=alert><h2>There is a problem</h2><ul><li><a
    href='#start-year'>Enter a year for the start of work</a></li><li><a href='#access-0'>Say whether access changes</a></li></ul></div><span class=gov-caption>Step 5 of 8</span><h1 class=gov-heading-l>About the work</h1><form
    action=/apply/5 method=post novalidate>{date("start", "When will work start?", "For example, 27 3 2027")}{date("end", "When will it end?", "An estimate is enough")}<fieldset class=gov-fieldset><legend
    class=gov-fieldset__legend>Does access from the road change?</legend><div class=gov-radios>{kinds}</div></fieldset><fieldset class=gov-fieldset><legend class=gov-fieldset__legend>Which documents do you have?</legend><div
    class=gov-hint>Select all that apply</div><div class=gov-checkboxes>{checks}</div></fieldset><div class=gov-form-group><label class=gov-label for=desc>Describe the work</label><div class=gov-hint>Do not include personal
    details</div><textarea class=gov-textarea id=desc name=desc rows=5></textarea><div class=gov-character-count>You have 500 characters remaining</div></div><div class=gov-form-group><label class=gov-label for=cost>Estimated
    cost in pounds</label><input class='gov-input gov-input--width-5' id=cost name=cost inputmode=decimal></div><div class=gov-form-group><label class=gov-label for=plan>Upload the location plan</label><input class=gov-file-upload
    id=plan name=plan type=file></div><button class=gov-button data-module=gov-button>Save and continue</button> <button class='gov-button gov-button--secondary' name=later>Save and come back later</button></form><h2
    class=gov-heading-m>Your answers so far</h2><dl class=gov-summary>{answers}</dl><details class=gov-details open><summary class=gov-details__summary>Help with fees</summary><div>You may pay less. <a class=gov-link
    href=/fees>Fees and exemptions</a></div></details></main><footer class=gov-footer><ul><li><a href=/help>Help</a></li><li><a href=/cookies>Cookies</a></li><li><a href=/accessibility>Accessibility statement</a></li><li><a
    href=/contact>Contact</a></li></ul></footer>"""
