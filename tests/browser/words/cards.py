"""Pages of cards, columns, accordions and lists, where a neighbour has what the named one lacks."""

GRID = """<style>.themes{display:grid;grid-template-columns:1fr 1fr;gap:9px}</style><h2>Themes</h2>
<div class=themes>
<div class=theme><div class=shot>picture</div><div class=name>Aurora</div><button id=a1>Activate</button>
</div>
<div class=theme><div class=shot>picture</div><div class=name>Boreal</div><button id=b1>Activate</button>
</div>
<div class=theme><div class=shot>picture</div><button id=c2>Delete</button><div class=name>Canyon</div>
<button id=c1>Activate</button></div>
<div class=theme><div class=shot>picture</div><div class=name>Dune</div><button id=d2>Delete</button></div>
</div>"""
TITLE_ONLY = """<div class=offers><div class=offer><h3>Basic</h3></div>
<div class=offer><h3>Plus</h3><button id=p>Save</button></div>
<div class=offer><p>Free</p></div><div class=offer><p>Trial</p><button id=t>Start</button></div></div>"""
DEEP_TITLES = """<div class=deck>
<div class="card"><div class=body><h4>North</h4><p>Depot for the north of the country, with four lorries</p>
</div>
<div class=foot><a href=#n id=n1>Details</a></div></div>
<div class="card wide"><div class=body><h4>South</h4><p>Depot for the south of the country, with two</p></div>
<div class=foot><a href=#s id=s1>Details</a><button id=s2>Close depot</button></div></div></div>"""
LINES_OF_CARDS = """<div class=line><div class=tile><span>Anna</span></div>
<div class=tile><span>Bert</span><button id=b>Remove</button></div></div>
<div class=line><div class=tile><span>Cleo</span><button id=c>Remove</button></div>
<div class=tile><span>Dora</span></div></div>"""
KANBAN = """<style>.board{display:flex}.lane{flex:1}</style><div class=board>
<div class=lane><div class=lane-name>To do</div><div class=ticket>Paint <button id=k1>Archive</button></div>
</div>
<div class=lane><div class=lane-name>Doing</div></div>
<div class=lane><div class=lane-name>Done</div><div class=ticket>Sweep <button id=k3>Archive</button>
<button id=k4>Reopen</button></div></div></div>"""
STACKED_LANES = KANBAN.replace("display:flex", "display:block")
ACCORDION = """<style>.acc{display:block}</style><button class=acc aria-expanded=false>Delivery</button>
<div class=pane hidden><button>Edit</button></div>
<button class=acc aria-expanded=true>Payment</button><div class=pane><button id=y1>Edit</button></div>
<button class=acc aria-expanded=true>Notes</button><div class=pane>none</div>
<button class=acc aria-expanded=true>Contact</button><div class=pane><button id=y4>Call</button></div>"""
DETAILS = """<details><summary>Delivery</summary><button>Edit</button></details>
<details open><summary>Payment</summary><button id=z1>Edit</button></details>"""
PLAIN_ACCORDION = ACCORDION.replace(" aria-expanded=false", "").replace(" aria-expanded=true", "")
DEFINITIONS = """<dl><dt>Owner</dt><dd>Ann</dd><dt>Address</dt><dd>Main St <button id=w1>Change</button>
</dd></dl>
<dl><div><dt>Plan</dt><dd>Gold</dd></div><div><dt>Card</dt><dd>4242 <button id=w2>Replace</button></dd>
</div></dl>"""
NESTED_LISTS = """<ul><li>Fruit<ul><li>Apple <button id=f1>Drop</button></li></ul></li><li>Vegetables</li>
<li>Nuts<ul><li>Almond <button id=f3>Drop</button></li><li>Walnut <button id=f4>Eat</button></li></ul></li>
</ul>"""
TABLES_IN_TABLES = """<table><tr><td><table><tr><td>Hotel A</td></tr><tr><td>full</td></tr></table></td>
<td><table><tr><td>Hotel B</td></tr><tr><td><button id=h1>Book</button></td></tr></table></td></tr>
<tr><td><table><tr><td>Hotel C</td></tr><tr><td><button id=h2>Book</button><button id=h3>Map</button></td>
</tr></table></td>
<td><table><tr><td>Hotel D</td></tr><tr><td>full</td></tr></table></td></tr></table>"""
COLUMNS = """<style>.cols{display:flex}.cols>div{flex:1}</style><div class=cols>
<div class=half><h3>Invoices</h3></div><div class=half><p>Nothing yet</p><button id=i1>Create</button></div>
</div>
<div class=cols><div class=half><h3>Orders</h3><p>3 open</p></div>
<div class=half><h3>Returns</h3><button id=i2>Approve</button></div></div>"""
TITLED_TEXTS = """<div class=title>Users</div><p>Nobody is here</p><div class=title>Groups</div>
<button id=g1>Invite</button>
<p class=cap>Keys</p><p>none</p><p class=cap>Tokens</p><button id=g2>Revoke</button>"""
SETTINGS = """<div class=row><h3>Billing</h3></div><div class=row><label>Street<input id=s1></label></div>
<div class=row><h3>Shipping</h3></div><div class=row><label>Street<input id=s2></label></div>
<div class=split><div class=col-4><h3>Profile</h3><p>How others see you</p></div>
<div class=col-8><label>Nickname<input id=s3></label></div></div>"""

MEANT = [
    (GRID, "Activate under Aurora", "a1"),
    (GRID, "Activate in the Canyon card", "c1"),
    (GRID, "Delete in the Dune card", "d2"),
    (TITLE_ONLY, "Save under Plus", "p"),
    (DEEP_TITLES, "Details under South", "s1"),
    (DEEP_TITLES, "Details in the North card", "n1"),
    (LINES_OF_CARDS, "Remove in the Bert card", "b"),
    (KANBAN, "Reopen under Done", "k4"),
    (STACKED_LANES, "Archive under Done", "k3"),
    (ACCORDION, "Edit under Payment", "y1"),
    (DETAILS, "Edit under Payment", "z1"),
    (PLAIN_ACCORDION, "Call under Contact", "y4"),
    (DEFINITIONS, "Change under Address", "w1"),
    (DEFINITIONS, "Replace under Card", "w2"),
    (NESTED_LISTS, "Drop under Fruit", "f1"),
    (COLUMNS, "Approve under Returns", "i2"),
    (TITLED_TEXTS, "Invite under Groups", "g1"),
    (SETTINGS, "Street under Shipping", "s2"),
    (SETTINGS, "Nickname under Profile", "s3"),
]
REFUSED = [
    (GRID, "Delete under Aurora"),
    (GRID, "Delete in the Aurora card"),
    (GRID, "Delete under Boreal"),
    (GRID, "Activate under Dune"),
    (TITLE_ONLY, "Save under Basic"),
    (TITLE_ONLY, "Save in the Basic section"),
    (TITLE_ONLY, "Start under Free"),
    (TITLE_ONLY, "Start under Plus"),
    (DEEP_TITLES, "Close depot under North"),
    (DEEP_TITLES, "Close depot in the North card"),
    (LINES_OF_CARDS, "Remove in the Anna card"),
    (LINES_OF_CARDS, "Remove under Anna"),
    (LINES_OF_CARDS, "Remove for Dora"),
    (KANBAN, "Archive under Doing"),
    (STACKED_LANES, "Archive under Doing"),
    (STACKED_LANES, "Reopen under Doing"),
    (STACKED_LANES, "Reopen in the To do section"),
    (ACCORDION, "Edit under Delivery"),
    (ACCORDION, "Call under Notes"),
    (DETAILS, "Edit under Delivery"),
    (PLAIN_ACCORDION, "Edit under Delivery"),
    (PLAIN_ACCORDION, "Call under Notes"),
    (DEFINITIONS, "Change under Owner"),
    (DEFINITIONS, "Replace under Plan"),
    (NESTED_LISTS, "Drop under Vegetables"),
    (NESTED_LISTS, "Eat next to Vegetables"),
    (NESTED_LISTS, "Eat under Vegetables"),
    (NESTED_LISTS, "Eat under Fruit"),
    (TABLES_IN_TABLES, "Book under Hotel A"),
    (TABLES_IN_TABLES, "Map under Hotel A"),
    (TABLES_IN_TABLES, "Map under Hotel B"),
    (TABLES_IN_TABLES, "Book under Hotel D"),
    (COLUMNS, "Create under Invoices"),
    (COLUMNS, "Approve under Orders"),
    (TITLED_TEXTS, "Invite under Users"),
    (TITLED_TEXTS, "Revoke under Keys"),
]
