"""What the pages speak of: people, goods, letters and the like."""

PEOPLE = (
    "Ada Okafor",
    "Bruno Keller",
    "Chiara Rossi",
    "Dmitri Volkov",
    "Elif Demir",
    "Farid Haddad",
    "Grete Olsen",
    "Hana Novak",
    "Ines Carvalho",
    "Jonas Lind",
    "Kofi Mensah",
    "Lena Brandt",
)
GOODS = (
    ("Oak standing desk", "489.00"),
    ("Linen desk mat", "32.50"),
    ("Brass reading lamp", "119.00"),
    ("Wool felt organiser", "27.90"),
    ("Cork notice board", "44.00"),
    ("Walnut monitor shelf", "139.00"),
    ("Ceramic pen cup", "18.00"),
    ("Steel cable tray", "36.00"),
    ("Ash wood stool", "159.00"),
    ("Canvas tool roll", "52.00"),
    ("Slate drawing board", "74.00"),
    ("Birch file box", "29.00"),
)
LETTERS = (
    ("Grete Olsen", "Minutes of the planning meeting"),
    ("Payroll", "Your payslip for October"),
    ("Kofi Mensah", "Draft contract, second reading"),
    ("Travel desk", "Itinerary for Lisbon"),
    ("Hana Novak", "Photos from the workshop"),
    ("Build server", "Nightly run failed on staging"),
    ("Ines Carvalho", "Question about invoice 2207"),
    ("Library", "Two books are due on Friday"),
    ("Jonas Lind", "Lunch next week?"),
    ("Facilities", "Lift out of service"),
    ("Elif Demir", "Budget figures attached"),
    ("Newsletter", "What is new in autumn"),
)
STORIES = (
    ("Harbour bridge reopens after repairs", "Traffic flows again across the river since Monday morning."),
    ("Orchestra names its first woman conductor", "The board chose unanimously after a long search."),
    ("Farmers fear a late frost", "Blossom came three weeks early this spring."),
    ("School trial drops homework", "Teachers report calmer mornings and mixed results."),
    ("Ferry strike enters second week", "Islanders run short of fresh bread."),
    ("Old cinema becomes a library", "Volunteers carried nine thousand books."),
    ("City plants ten thousand trees", "Most will stand along tram lines."),
    ("Glacier survey finds a hidden lake", "Scientists drilled for eleven days."),
)
TASKS = (
    ("Login page ignores the Enter key", "bug"),
    ("Export to CSV loses umlauts", "bug"),
    ("Dark theme for the editor", "feature"),
    ("Document the retry rules", "docs"),
    ("Upgrade the image library", "chore"),
    ("Search is slow with many tags", "performance"),
    ("Keyboard shortcuts for the board", "feature"),
    ("Wrong time zone in reminders", "bug"),
    ("Translate the sign-up form", "i18n"),
    ("Remove the old importer", "chore"),
)
CHAPTERS = (
    ("Getting started", ("Installation", "First project", "Configuration", "Upgrading")),
    ("Guides", ("Routing", "Templates", "Forms and validation", "Caching", "Background jobs")),
    ("Reference", ("Command line", "Settings", "Error codes", "Hooks", "Glossary")),
    ("Community", ("Contributing", "Code of conduct", "Release notes")),
)
OTHERS = (
    "Quartz paperweight",
    "Meadow blanket",
    "Tin lantern",
    "Velvet cushion",
    "Copper kettle",
    "Marble tray",
    "Bamboo ladder",
    "Glass vase",
    "Leather strap",
    "Silk scarf",
    "Paper star",
    "Willow basket",
)
"""The rows of a list whose content has changed."""
