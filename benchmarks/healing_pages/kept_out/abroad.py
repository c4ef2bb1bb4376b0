"""Pages in other languages: a German insurer's claim form and a French university's course."""

# ruff: noqa: E501, RUF001 - HTML reads better uncancellable, and pages use all kinds of signs


def claim_form() -> str:
    """Ein Schaden wird gemeldet: numbered steps, long labels, choices, files, people to add."""
    fields = "".join(
        f"<div class='form__group form__group--{size}'><label class=form__label for=sm_{key}>{label}{'<abbr title=Pflichtfeld>*</abbr>' if n % 2 == 0 else ''}</label><input class=form__control id=sm_{key} name='schaden[{key}]' type={kind}><span "
        f"class=form__hilfe>{hint}</span></div>"
        for n, (key, label, kind, hint, size) in enumerate(
            (
                (
                    "vsnr",
                    "Versicherungsschein-Nummer",
                    "text",
                    "Sie finden sie oben rechts auf Ihrer Police",
                    "halb",
                ),
                ("datum", "Schadendatum", "date", "", "viertel"),
                ("uhrzeit", "Uhrzeit (ungefähr)", "time", "", "viertel"),
                ("ort", "Schadenort", "text", "Straße, Postleitzahl, Ort", "ganz"),
                ("hoehe", "Geschätzte Schadenhöhe in Euro", "text", "Eine Schätzung genügt", "halb"),
                ("aktenzeichen", "Aktenzeichen der Polizei", "text", "Falls aufgenommen", "halb"),
                ("kennzeichen", "Amtliches Kennzeichen", "text", "z. B. M-AB 1234", "halb"),
            )
        )
    )
    person = "".join(
        f"<div class='form__group form__group--halb'><label class=form__label for=vn_{key}>{label}</label><input class=form__control id=vn_{key} name='vn[{key}]' type={kind} autocomplete={auto}></div>"
        for key, label, kind, auto in (
            ("vorname", "Vorname", "text", "given-name"),
            ("nachname", "Nachname", "text", "family-name"),
            ("mail", "E-Mail-Adresse", "email", "email"),
            ("telefon", "Telefon tagsüber", "tel", "tel"),
            ("iban", "IBAN für die Auszahlung", "text", "off"),
        )
    )
    kinds = "".join(
        f"<label class=kachel><input type=radio name='schaden[art]' value={key} class=kachel__radio><span class=kachel__titel>{text}</span><span class=kachel__text>{hint}</span></label>"
        for key, text, hint in (
            ("haftpflicht", "Haftpflicht", "Ich habe jemandem geschadet"),
            ("hausrat", "Hausrat", "Einbruch, Feuer, Leitungswasser"),
            ("kfz", "Kraftfahrzeug", "Unfall, Glas, Marder"),
            ("gebaeude", "Wohngebäude", "Sturm, Hagel, Rohrbruch"),
        )
    )
    files = "".join(
        f"<li class=datei><span class=datei__name>{name}</span><span class=datei__groesse>{size}</span><button type=button class='datei__aktion' aria-label='{name} ansehen'>Ansehen</button><button type=button class='datei__aktion "
        f"datei__aktion--weg' aria-label='{name} entfernen'>Entfernen</button></li>"
        for name, size in (
            ("Kostenvoranschlag_Glaserei.pdf", "212 KB"),
            ("Foto_Windschutzscheibe.jpg", "3,1 MB"),
            ("Polizeibericht.pdf", "480 KB"),
        )
    )
    return f"""<div class=seite><header class=kopf><a class=kopf__logo href=/ title='Zur Startseite'>Albrecht Versicherungen</a><nav class=kopf__meta aria-label=Meta><a href=/vermittler>Berater finden</a><a href=/kontakt>Kontakt</a><a
    href=/meine-albrecht>Mein Bereich</a></nav><nav class=kopf__haupt aria-label=Hauptnavigation><ul><li><a href=/privatkunden>Privatkunden</a></li><li><a href=/firmenkunden>Firmenkunden</a></li><li><a href=/schaden
    aria-current=page>Schaden melden</a></li><li><a href=/ratgeber>Ratgeber</a></li></ul></nav><button class=kopf__suche aria-label='Suche öffnen'>⌕</button></header><ol class=schritte><li class='schritte__schritt ist-fertig'><a
    href='?schritt=1'>Vertrag</a></li><li class='schritte__schritt ist-aktiv'><a href='?schritt=2'>Schadenhergang</a></li><li class=schritte__schritt><a href='?schritt=3'>Beteiligte</a></li><li class=schritte__schritt><a
    href='?schritt=4'>Prüfen und absenden</a></li></ol><main class=inhalt><h1>Schaden melden</h1><p class=vorspann>Sie brauchen etwa zehn Minuten. <a href=/schaden/checkliste.pdf>Checkliste herunterladen</a></p><form class=form
    action=/schaden/melden method=post><section class=abschnitt><h2 class=abschnitt__titel>Was ist passiert?</h2><div class=kacheln>{kinds}</div>{fields}<div class='form__group form__group--ganz'><label class=form__label
    for=sm_hergang>Schildern Sie den Hergang</label><textarea class=form__control id=sm_hergang name='schaden[hergang]' rows=6></textarea></div><div class=form__group><label class=form__label for=sm_ursache>Ursache</label><select
    class=form__control id=sm_ursache name='schaden[ursache]'><option>Bitte wählen</option><option>Steinschlag</option><option>Unfall</option><option>Sturm</option></select></div></section><section class=abschnitt><h2
    class=abschnitt__titel>Unterlagen</h2><ul class=dateien>{files}</ul><button type=button class='knopf knopf--leise'>Weitere Datei hinzufügen</button></section><section class=abschnitt><h2 class=abschnitt__titel>Ihre
    Angaben</h2>{person}<label class=haken><input type=checkbox name='vn[einwilligung]'> Ich habe die <a href=/datenschutz>Datenschutzhinweise</a> gelesen</label><label class=haken><input type=checkbox name='vn[rueckruf]'> Bitte rufen
    Sie mich zurück</label></section><div class=form__fuss><a class='knopf knopf--leise' href='?schritt=1'>Zurück</a><button class='knopf knopf--leise' name=zwischenspeichern>Zwischenspeichern</button><button class='knopf knopf--haupt'
    type=submit>Weiter zu den Beteiligten</button></div></form><aside class=hilfe><h3>Können wir helfen?</h3><a href=tel:+49891234>089 1234 Schadentelefon</a><button class=hilfe__chat type=button>Rückruf vereinbaren</button><a
    href=/faq/schaden>Häufige Fragen</a></aside></main><footer class=fuss><a href=/impressum>Impressum</a><a href=/datenschutz>Datenschutz</a><a href=/barrierefreiheit>Barrierefreiheit</a><a href=/beschwerde>Beschwerde</a></footer></div>"""


def course() -> str:
    """Un cours d'université : sections repliables, activités de plusieurs sortes, blocs de côté."""
    sections = "".join(
        f"<li id=section-{n} class='semaine principal' data-semaine={n + 880}><div class='d-flex tete'><a role=button data-toggle=collapse class='btn btn-icon icone-pli' href='#semaine-corps-{n}' "
        f"aria-label='Replier {title}'>▾</a><h3 class=sectionname><a href='https://cours.example.org/cours/semaine.php?id={n + 880}'>{title}</a></h3></div><ul class='section img-text'>"
        + "".join(
            f"<li class='activite {kind} sorte_{kind}' data-id={n * 10 + at + 5000}><div class=activity-item data-nom='{name}'><a href='/act/{kind}/voir.php?id={n * 10 + at + 5000}' class='lien-activite'><span "
            f"class=nom-activite>{name}</span></a><button class='btn btn-outline-secondary btn-sm' data-action=achever data-numero={n * 10 + at + 5000}>Marquer comme terminé</button></div></li>"
            for at, (kind, name) in enumerate(items)
        )
        + "</ul></li>"
        for n, (title, items) in enumerate(
            (
                ("Présentation", (("forum", "Annonces"), ("resource", "Plan du cours"))),
                (
                    "Semaine 1 : sources et archives",
                    (
                        ("resource", "Diapositives, séance 1"),
                        ("url", "Catalogue des Archives départementales"),
                        ("assign", "Fiche de lecture"),
                    ),
                ),
                (
                    "Semaine 2 : paléographie",
                    (
                        ("resource", "Diapositives, séance 2"),
                        ("quiz", "Exercice de transcription"),
                        ("forum", "Questions sur l’écriture gothique"),
                    ),
                ),
                ("Évaluation", (("assign", "Dossier final"), ("choice", "Choix du sujet d’exposé"))),
            )
        )
    )
    index = "".join(
        f"<li class=sommaire-item><a class=sommaire-link href='/cours/semaine.php?id={n + 880}#tabs'>{title}</a></li>"
        for n, title in enumerate(
            ("Présentation", "Semaine 1 : sources et archives", "Semaine 2 : paléographie", "Évaluation")
        )
    )
    days = "".join(
        f"<td class='day text-center' data-day={day}><a href='/calendar/voir.php?view=day&time={1760000000 + day * 86400}'>{day}</a></td>"
        for day in (9, 10, 11, 12, 13)
    )
    return f"""<div id=page-wrapper><a class=sr-only href='#maincontent'>Passer au contenu principal</a><nav class='navbar fixed-top' aria-label='Navigation du site'><a href=/ class=navbar-brand>Université de Brévane</a><ul class='nav
    nav-large'><li class=nav-item><a class=nav-link href=/my/>Tableau de bord</a></li><li class=nav-item><a class=nav-link href=/my/courses.php>Mes cours</a></li><li class=nav-item><a class=nav-link
    href=/bibliotheque>Bibliothèque</a></li></ul><div id=usernavigation><a class='nav-link bulle' role=button tabindex=0 aria-label='Afficher les notifications'>🔔</a><a class=nav-link href=/message/index.php
    title=Messages>✉</a><button class='btn dropdown-toggle' id=user-menu-toggle aria-label='Menu utilisateur'>ÉM</button></div></nav><div id=page class=drawers><div class='drawer drawer-left'><button class='btn tiroir-clef'
    data-action=fermer title='Fermer l’index du cours'>×</button><ul id=course-index>{index}</ul></div><div id=topofscroll><header id=page-header><h1>Histoire moderne, L2</h1><div class=onglets><ul class='nav
    nav-tabs'><li><a role=menuitem href='/cours/voir.php?id=88'>Cours</a></li><li><a role=menuitem href='/cours/inscrits.php?id=88'>Participants</a></li><li><a role=menuitem
    href='/cours/notes.php?id=88'>Notes</a></li><li><a role=menuitem href='/cours/competences.php?id=88'>Compétences</a></li></ul></div></header><section id=region-main><a id=collapsesections
    class='tout-plier' href='#' role=button>Tout replier</a><ul class=topics>{sections}</ul></section></div><div class='drawer drawer-right'><section class='block bloc_recherche'><h5>Recherche dans les
    forums</h5><form action=/act/forum/chercher.php><input type=text name=search id=recherche_texte aria-label='Rechercher dans les forums'><button class='btn btn-submit' type=submit title=Rechercher>🔍</button><a
    href='/act/forum/chercher.php?id=88'>Recherche avancée</a></form></section><section class='block bloc_mois'><h5>Calendrier</h5><a class='arrow_link previous' href='#' title='Mois précédent'>◄ octobre</a><a
    class='arrow_link next' href='#' title='Mois suivant'>décembre ►</a><table><tr>{days}</tr></table></section><section class='block bloc_dates'><h5>Prochaines échéances</h5><a
    href='/act/assign/voir.php?id=5012'>Fiche de lecture à rendre</a> <a href='/act/assign/voir.php?id=5030'>Dossier final à rendre</a></section></div></div><footer id=page-footer><a
    href=/aide>Documentation</a><a href=/assistance>Contacter l’assistance</a><a href=/login/logout.php>Déconnexion</a></footer></div>"""
