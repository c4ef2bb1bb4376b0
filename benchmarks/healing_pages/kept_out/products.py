"""Pages of web applications: utility classes, generated names in deep boxes, web components."""

# ruff: noqa: E501, RUF001 - HTML reads better uncancellable, and pages use all kinds of signs

_FIELD = "block w-full rounded-md border-0 py-1.5 text-gray-900 shadow-sm ring-1 ring-inset ring-gray-300 sm:text-sm"
_BUTTON = "inline-flex items-center rounded-md px-3 py-2 text-sm font-semibold"


def saas_settings() -> str:
    """A workspace's settings: utility classes by the dozen, generated ids, switches, keys, a danger zone."""
    nav = "".join(
        f"<a href='/w/acorn/settings/{key}' class='group flex gap-x-3 rounded-md p-2 text-sm leading-6 {'bg-gray-50 text-indigo-600' if key == 'general' else 'text-gray-700 hover:bg-gray-50'}'><svg class='h-6 w-6 shrink-0' width=12 "
        f"height=12></svg>{text}</a>"
        for key, text in (
            ("general", "General"),
            ("members", "Members"),
            ("billing", "Plan and billing"),
            ("domains", "Domains"),
            ("tokens", "Access tokens"),
            ("audit", "Audit log"),
        )
    )
    switches = "".join(
        f"<div class='flex items-center justify-between py-4'><span class='flex grow flex-col'><span class='text-sm font-medium text-gray-900' id='headlessui-label-:r{n}b:'>{text}</span><span class='text-sm text-gray-500'>{hint}</span></span><button "
        f"type=button role=switch aria-checked={'true' if n % 2 else 'false'} id='headlessui-switch-:r{n}a:' aria-labelledby='headlessui-label-:r{n}b:' class='relative inline-flex h-6 w-11 shrink-0 rounded-full "
        f"{'bg-indigo-600' if n % 2 else 'bg-gray-200'}'><span class='h-5 w-5 rounded-full bg-white'>·</span></button></div>"
        for n, (text, hint) in enumerate(
            (
                ("Weekly digest", "A summary of the workspace every Monday"),
                ("Mentions", "When somebody writes your name"),
                ("New devices", "When your account is used somewhere new"),
                ("Product updates", "At most once a month"),
            )
        )
    )
    tokens = "".join(
        f"<tr class='even:bg-gray-50'><td class='whitespace-nowrap py-4 pl-4 text-sm font-medium'>{name}</td><td class='px-3 py-4 font-mono text-xs'>ak_••••{tail}</td><td class='px-3 py-4 text-sm text-gray-500'>{used}</td><td "
        f"class='py-4 text-right text-sm'><button class='text-indigo-600 hover:text-indigo-900 mr-4'>Rotate</button><button class='text-red-600 hover:text-red-900'>Revoke</button></td></tr>"
        for name, tail, used in (
            ("Deploy pipeline", "9f31", "2 hours ago"),
            ("Grafana reader", "c07a", "yesterday"),
            ("Backup job", "11de", "3 weeks ago"),
            ("Old importer", "8b42", "never"),
        )
    )
    return f"""<div id=__next><div class='lg:fixed lg:inset-y-0 flex w-72 flex-col'><a href=/w/acorn class='flex h-16 items-center'><img class='h-8 w-auto' alt='Acorn workspace' src=/_next/static/media/mark.5f1d.svg width=20
    height=20></a><button type=button id='headlessui-listbox-button-:r1:' aria-haspopup=listbox class='relative w-full cursor-default rounded-md py-1.5 pl-3 text-left'><span class='block truncate'>acorn-production</span></button><nav
    class='flex flex-1 flex-col'>{nav}</nav><a href=/docs class='mt-auto text-sm text-gray-400'>Documentation</a><a href=/support class='text-sm text-gray-400'>Support</a></div><main class='lg:pl-72'><div class='sticky top-0 flex
    h-16'><label for=search-field class=sr-only>Search</label><input id=search-field class='{_FIELD}' placeholder='Search...' type=search name=search><button type=button class='-m-2.5 p-2.5 text-gray-400'><span class=sr-only>View
    notifications</span><svg width=12 height=12></svg></button><button type=button id='headlessui-menu-button-:r3:' aria-haspopup=menu class='-m-1.5 flex items-center p-1.5'><img alt='' src=/u/88.jpg width=16 height=16><span class='ml-4 text-sm
    font-semibold'>Wanjiru Kimani</span></button></div><div class='divide-y divide-white/5'><section class='grid max-w-7xl gap-x-8'><div><h2 class='text-base font-semibold leading-7'>Workspace</h2><p class='mt-1 text-sm
    text-gray-400'>Shown to everybody you invite.</p></div><form class='md:col-span-2'><label for=':r5:' class='block text-sm font-medium'>Workspace name</label><input id=':r5:' name=workspace class='{_FIELD}'><label for=':r6:' class='block
    text-sm font-medium'>Short address</label><div class='flex rounded-md'><span class='select-none'>app.acorn.example/</span><input id=':r6:' name=slug class='{_FIELD}'></div><label for=':r7:' class='block text-sm
    font-medium'>Time zone</label><select id=':r7:' name=timezone class='{_FIELD}'><option>Nairobi</option><option>Lisbon</option></select><button type=button class='{_BUTTON} bg-white/10'>Change logo</button><button type=submit
    class='{_BUTTON} bg-indigo-500 text-white'>Save changes</button></form></section><section class='grid max-w-7xl gap-x-8'><h2 class='text-base font-semibold leading-7'>Notifications</h2><div class='divide-y'>{switches}</div></section><section
    class='grid max-w-7xl gap-x-8'><div class='sm:flex'><h2 class='text-base font-semibold leading-7'>Access tokens</h2><button type=button class='{_BUTTON} bg-indigo-600 text-white'>Create token</button></div><table class='min-w-full divide-y
    divide-gray-300'><tbody>{tokens}</tbody></table></section><section class='grid max-w-7xl gap-x-8'><h2 class='text-base font-semibold leading-7 text-red-600'>Danger zone</h2><div class='rounded-md border border-red-300 p-4'><p
    class='text-sm'>Hand the workspace to another member.</p><button type=button class='{_BUTTON} ring-1 ring-inset ring-gray-300'>Transfer ownership</button><p class='text-sm'>All projects go with it, for good.</p><button type=button
    class='{_BUTTON} bg-red-600 text-white'>Delete workspace</button></div></section></div></main></div>"""


def fleet_dashboard() -> str:
    """Deep boxes with generated classes beside library ones, names in aria-labels, a grid, chips, a pager."""
    button = "MuiButtonBase-root MuiIconButton-root MuiIconButton-sizeSmall"
    rail = "".join(
        f"<li class='MuiListItem-root css-{n}1km{n}p'><div class='MuiButtonBase-root MuiListItemButton-root css-16a{n}q' role=button tabindex=0><div class='MuiListItemIcon-root css-5n5rd1'><svg class=MuiSvgIcon-root width=10 height=10></svg></div><div "
        f"class='MuiListItemText-root css-1tsv'><span class='MuiTypography-root MuiTypography-body1'>{text}</span></div></div></li>"
        for n, text in enumerate(
            ("Live map", "Vehicles", "Drivers", "Maintenance", "Fuel cards", "Geofences")
        )
    )
    tiles = "".join(
        f"<div class='MuiGrid-root MuiGrid-item css-15j76c{n}'><div class='MuiPaper-root MuiCard-root css-s18by{n}'><div class=MuiCardHeader-root><div class=MuiCardHeader-content><span class=MuiTypography-root>{text}</span></div><div "
        f"class=MuiCardHeader-action><button class='{button} css-1yxm{n}o' tabindex=0 type=button aria-label='settings'><svg width=10 height=10></svg></button></div></div><div class=MuiCardContent-root><h4>{value}</h4></div><div "
        f"class=MuiCardActions-root><button class='MuiButtonBase-root MuiButton-root MuiButton-text css-1e6y{n}h' type=button>Details</button></div></div></div>"
        for n, (text, value) in enumerate(
            (
                ("Vehicles on the road", "31 of 44"),
                ("Late deliveries", "3"),
                ("Litres per 100 km", "9.4"),
                ("Due for inspection", "5"),
            )
        )
    )
    rows = "".join(
        f"<div role=row data-id={n + 701} class='MuiDataGrid-row css-0'><div role=gridcell data-field=__check__ class='MuiDataGrid-cell MuiDataGrid-cellCheckbox'><span class='MuiCheckbox-root css-zun73v'><input class=PrivateSwitchBase-input type=checkbox "
        f"aria-label='Select row'></span></div><div role=gridcell data-field=plate class=MuiDataGrid-cell><div class=MuiDataGrid-cellContent><a href='/vehicles/{n + 701}' class='MuiTypography-root MuiLink-root'>{plate}</a></div></div><div role=gridcell "
        f"data-field=driver class=MuiDataGrid-cell>{driver}</div><div role=gridcell data-field=place class=MuiDataGrid-cell>{place}</div><div role=gridcell data-field=actions class='MuiDataGrid-cell MuiDataGrid-actionsCell'><button class='{button}' "
        f"aria-label='Locate on map'><svg width=10 height=10></svg></button><button class='{button}' aria-label='Send message'><svg width=10 height=10></svg></button><button class='{button}' aria-label=more aria-haspopup=menu><svg width=10 "
        f"height=10></svg></button></div></div>"
        for n, (plate, driver, place) in enumerate(
            (
                ("KW-4471", "Oluwaseun Bello", "Depot north"),
                ("KW-4472", "Birgit Sand", "Motorway 7, exit 12"),
                ("KW-4480", "Yusuf Aydin", "Harbour gate 2"),
                ("KW-4513", "Marta Ferro", "Customer Halvorsen"),
                ("KW-4520", "Liam O’Dowd", "Workshop"),
                ("KW-4521", "Agnieszka Zając", "Ring road east"),
            )
        )
    )
    chips = "".join(
        f"<div class='MuiButtonBase-root MuiChip-root MuiChip-clickable css-1f8{n}k' tabindex=0 role=button><span class=MuiChip-label>{text}</span></div>"
        for n, text in enumerate(("Moving", "Parked", "No signal", "Workshop"))
    )
    return f"""<div id=app><div class='MuiBox-root css-k008qs'><header class='MuiPaper-root MuiAppBar-root css-hyum1k'><div class='MuiToolbar-root css-i6s8oy'><button class='{button} css-ul1w6h' type=button aria-label='open drawer'><svg
    width=10 height=10></svg></button><h6 class='MuiTypography-root MuiTypography-h6'>Wayfare Fleet</h6><div class='MuiInputBase-root css-1wc848c'><input placeholder='Search plate or driver' type=text aria-label=search
    class='MuiInputBase-input css-mnn31'></div><button class='{button}' type=button aria-label='show 4 new alerts'><svg width=10 height=10></svg></button><button class='{button}' type=button aria-label='account of current user'
    aria-haspopup=true><svg width=10 height=10></svg></button></div></header><nav class='MuiDrawer-root css-bkomb5'><ul class='MuiList-root css-1ontqvh'>{rail}</ul></nav><main class='MuiBox-root css-1oqqzyl'><div class='MuiTabs-root
    css-orq8zk'><div role=tablist class=MuiTabs-flexContainer><button class='MuiButtonBase-root MuiTab-root Mui-selected' role=tab id=simple-tab-0 aria-controls=simple-tabpanel-0>Today</button><button class='MuiButtonBase-root
    MuiTab-root' role=tab id=simple-tab-1 aria-controls=simple-tabpanel-1>This week</button><button class='MuiButtonBase-root MuiTab-root' role=tab id=simple-tab-2 aria-controls=simple-tabpanel-2>This month</button></div></div><div
    class='MuiGrid-root MuiGrid-container css-v3z1wi'>{tiles}</div><div class='MuiPaper-root css-1ps6pg7'><h2 class=MuiTypography-root>Vehicles</h2><div class='MuiStack-root css-1yjvs5a'>{chips}</div><div
    class='MuiDataGrid-toolbarContainer css-128fb87'><button class='MuiButtonBase-root MuiButton-root' type=button aria-label='Select columns'>Columns</button><button class='MuiButtonBase-root MuiButton-root' type=button
    aria-label='Show filters'>Filters</button><button class='MuiButtonBase-root MuiButton-root' type=button aria-label='Density' aria-haspopup=menu>Density</button><button class='MuiButtonBase-root MuiButton-root' type=button aria-label='Export'
    aria-haspopup=menu>Export</button></div><div role=grid class='MuiDataGrid-root css-1qtzwkn'><div class=MuiDataGrid-virtualScroller><div><div>{rows}</div></div></div><div class='MuiTablePagination-root css-exd1zr'><p>Rows per
    page:</p><div role=combobox tabindex=0 class='MuiSelect-select MuiTablePagination-select' aria-label='Rows per page'>25</div><p>1–6 of 44</p><button class='{button}' aria-label='Go to previous page'><svg width=10
    height=10></svg></button><button class='{button}' aria-label='Go to next page'><svg width=10 height=10></svg></button></div></div></div><button class='MuiButtonBase-root MuiFab-root css-1tgb1bz' type=button aria-label='add
    vehicle'><svg width=10 height=10></svg></button></main></div></div>"""


def player() -> str:
    """A music service of web components: most controls stand in open shadow roots, one inside the other."""
    tracks = "".join(
        f"<wave-track data-id=t{n * 13 + 5}><template shadowrootmode=open><style>:host{{display:block}}</style><div part=row class=row><button class=play part=play aria-label='Play {name}'>▶</button><span class=name>{name}</span><a class=artist "
        f"href='/artist/{artist.lower().replace(' ', '-')}'>{artist}</a><span class=time>{time}</span><wave-icon-button><template shadowrootmode=open><button class=icon-button aria-label='Like'>♡</button></template></wave-icon-button><wave-icon-button><template "
        f"shadowrootmode=open><button class=icon-button aria-label='More'>…</button></template></wave-icon-button></div></template></wave-track>"
        for n, (name, artist, time) in enumerate(
            (
                ("Salt on the Window", "Mira Holt", "3:41"),
                ("Paper Boats", "The Long Tables", "2:58"),
                ("Nine Lanterns", "Mira Holt", "4:12"),
                ("Copper Sky", "Juno Reyes Trio", "5:07"),
                ("Walking Home Slowly", "Ambrose Fell", "3:19"),
                ("Undertow", "The Long Tables", "4:44"),
            )
        )
    )
    lists = "".join(
        f"<wave-nav-item slot=lists><template shadowrootmode=open><a class=item href='/playlist/{n + 300}'><slot></slot></a></template>{text}</wave-nav-item>"
        for n, text in enumerate(("Morning run", "Rainy Sunday", "Focus without words", "Songs of my father"))
    )
    return f"""<wave-app><template shadowrootmode=open><style>:host{{display:block}}</style><header class=bar><slot name=bar></slot></header><aside class=side><slot name=lists></slot></aside><section class=body><slot></slot></section><footer
    class=deck><wave-slider><template shadowrootmode=open><input type=range min=0 max=100 class=track aria-label='Position in the song'></template></wave-slider><button class=deck-button aria-label=Previous>⏮</button><button
    class='deck-button deck-button--main' aria-label=Pause>⏸</button><button class=deck-button aria-label=Next>⏭</button><button class=deck-button aria-label=Shuffle aria-pressed=false>⤨</button><button class=deck-button aria-label=Repeat
    aria-pressed=false>↻</button><wave-slider><template shadowrootmode=open><input type=range min=0 max=10 class=track aria-label=Volume></template></wave-slider><button class=deck-button aria-label=Queue>≡</button></footer></template><div
    slot=bar><a href=/ class=home>Wavelength</a> <wave-search><template shadowrootmode=open><form role=search><input type=search name=q placeholder='Artists, songs or podcasts'><button type=submit>Search</button></form></template></wave-search> <a
    href=/premium>Go premium</a> <wave-avatar><template shadowrootmode=open><button aria-haspopup=menu class=avatar>Profile of Teodor</button></template></wave-avatar></div><wave-nav-item slot=lists><template shadowrootmode=open><a class=item
    href=/library><slot></slot></a></template>Your library</wave-nav-item><wave-nav-item slot=lists><template shadowrootmode=open><button class=item><slot></slot></button></template>Create playlist</wave-nav-item>{lists}<h1>Late
    harvest</h1><p>Album by Mira Holt and friends, 2024</p><wave-button variant=primary><template shadowrootmode=open><button class='button button--primary'><slot></slot></button></template>Play all</wave-button> <wave-button><template
    shadowrootmode=open><button class=button><slot></slot></button></template>Download album</wave-button> <wave-button><template shadowrootmode=open><button class=button><slot></slot></button></template>Share</wave-button><div
    role=list>{tracks}</div><h2>You may also like</h2><a href=/album/771 class=tile>Quiet Engines</a> <a href=/album/804 class=tile>The Orchard Tapes</a> <a href=/album/650 class=tile>Blue Hour Sessions</a> <label>Sort by <select name=sort><option>Track
    number</option><option>Title</option></select></label></wave-app>"""
