"""What pages call a thing otherwise than a schema does, and German and French labels in English."""

import re
from typing import Final

# left: names in schemas; right: labels on pages; without `<` each of them may be either;
# behind `+` only beside a column of quantities
OTHER_NAMES: Final = """
hire date, start date, joining date, join date, employment date < joined, hired, date joined, employed since,\
 employee since, hire date, start date, joining date
member since, registration date, registered = joined, customer since
issue date, issued = date issued, invoice date, billing date
issue date < date
line total, line amount, item total, extended price, row total < total, amount, total price, extension
amount < total, line total, total price
total, grand total, total amount, total due, total price < grand total, total, total due, amount due,\
 total amount, total price, total payable, total to pay
amount due, balance due, total due, outstanding amount, outstanding balance = outstanding, total to pay
unit price < rate, each, price each, unit cost
+ unit price < price
product, item, article, product name, item name, article name = goods
price < unit price, each, price each
+ item, product, item description, description, product name, item name, article, service\
 < description, item, product, article, service, item description, product name, goods, designation
sku, product code, item number, article number, item code, part number, product id = article code,\
 material number, stock code
job title, position, role < position, role, title, designation, occupation, function, job title
full name < name
employee name, employee, staff name < employee, name, staff member, staff, member
office < location, branch, site
location < office, venue, room, city, site
venue, room = hall
department, team = division
manager, reports to, supervisor, line manager = manager name
money out, debit, paid out, withdrawal = withdrawn, debit amount, amount out
money in, credit, paid in, deposit = credit amount, amount in
description, details, transaction, narrative, particulars, memo = transaction description
confirmation number, booking reference, booking number, reservation number, booking id, confirmation code,\
 booking code, reservation code, reservation reference < confirmation number, booking reference,\
 booking number, reservation number, confirmation code, booking code, reference, reservation reference,\
 reservation code
order number, order id, order reference < order, order reference
po number, purchase order number, purchase order = po
tracking number, tracking id, tracking code = waybill, consignment number, parcel number
customer, client, customer name, client name < bill to, billed to, invoice to, sold to, account name
vendor, supplier, seller, vendor name, seller name, supplier name < seller, supplier, issued by, sold by, from
status < stage
priority, severity, urgency = importance
assignee, assigned to, owner, responsible, agent = handled by, responsible person
reporter, requester, requested by, created by, raised by, submitted by, reported by = opened by
created date, created at, created, opened, opened date, submitted date, reported date < created, created on,\
 opened, date opened, raised, submitted, logged, reported
updated date, updated, last updated, last modified = modified, last change
subject, summary, headline, topic < subject, summary, title, issue, topic, headline
title < subject, headline, issue, topic
duration = length, running time
departure time, departure < departs, dep, leaves, departure
arrival time, arrival < arrives, arr, arrival
origin, departure city, departure station, departure airport < from, origin
destination, arrival city, arrival station, arrival airport < to, destination
origin, departure airport = departure station
date of birth, birthday < born
phone, phone number < contact number, direct line, direct dial, landline, cell phone
website, url < web, www, site
size, area, floor area, living area = floor space, surface, living space
cashier < served by
servings, portions, serves, yield = serves
value, measured value = result
sample date = sample taken, collected, sample collected
application deadline = apply deadline
venue, location, place = where
deadline, closing date, application deadline = closes, last date
company, employer, company name, organization name < company, employer
instructor, teacher, lecturer, trainer, tutor = professor, taught by
speaker, presenter = speakers
course, course name, class, class name, module < course, class, module, course title
grade, result = mark
start time, start < starts, begins, start
end time, end < ends, until, finish, finishes, end
sum insured, coverage amount, coverage limit = insured amount, sum assured, cover amount
deductible = excess
plan, subscription plan, plan name = current plan, package, subscription, tariff
amount paid, paid amount, paid < payments received, payment received, paid, amount paid
payment method, payment type = paid with, paid by
shipping cost, shipping, delivery fee, shipping fee, delivery cost < delivery, postage, freight, shipping,\
 delivery charge, shipping and handling, postage and packing
tax, tax amount = sales tax
subtotal, net total, net amount = total net, total excl tax, total before tax
opening balance, starting balance, previous balance, beginning balance = balance brought forward
closing balance, ending balance, new balance, final balance = balance carried forward
statement period, billing period < period
statement period = billing period
snippet, summary, excerpt, abstract, teaser < description
year, model year < year of manufacture, built, year built, year of construction
registration number, license plate, registration, plate number = number plate
fuel < fuel type
extension < ext
attendees, participants = delegates
"""

_WORDS: Final = """
rechnung facture=invoice bestellung bestell auftrag commande=order kunde client=customer lieferung liefer
livraison=delivery versand=shipping nummer nr numéro=number datum=date betrag montant=amount preis prix=price
gesamt=total summe=sum menge anzahl quantité=quantity artikel=article
beschreibung bezeichnung désignation=description anschrift adresse=address
telefon téléphone=phone straße strasse=street
abteilung=department ansprechpartner=contact lieferant fournisseur=supplier
konto compte=account vertrag contrat=contract zahlung paiement=payment
fällig fälligkeit échéance=due währung devise=currency mwst tva=vat nom=name vorname prénom=firstname
nachname=lastname ort ville=city einzel unitaire=unit zwischensumme=subtotal referenz référence=reference
beginn début=start raum salle=room uhrzeit zeit heure=time geburt naissance=birth statut=status
mitarbeiter employé=employee firma entreprise société=company ausstellung émission=issue gewicht poids=weight
"""


def _english_words() -> dict[str, str]:
    found: dict[str, str] = {}
    waiting: list[str] = []
    for word in _WORDS.split():
        foreign, _, english = word.partition("=")
        waiting.append(foreign)
        if english:
            found.update(dict.fromkeys(waiting, english))
            waiting = []
    return found


_ENGLISH: Final = _english_words()
_ANY: Final = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_COMPOUND: Final = re.compile(rf"\b({_ANY})(?:s|n|en|es)?-?({_ANY}|name)?n?\b")
_FRENCH: Final = re.compile(rf"\b({_ANY}|date|total) (?:du |des |de la |de |d['\u2019]|de l['\u2019])(\w+)")
_BEGINS: Final = re.compile(_ANY)


def in_english(text: str) -> str:
    """A folded label with German and French words in English: "numéro de facture", "Lieferdatum"."""
    if _BEGINS.search(text) is None:
        return text
    text = re.sub(r"\b(?:zahlbar bis|fällig am|payable avant le)\b", "due date", text)
    text = _FRENCH.sub(r"\2 \1", text)
    text = re.sub(r"\b(prix) (unitaire)\b", r"\2 \1", text)
    return _COMPOUND.sub(
        lambda found: " ".join(_ENGLISH.get(word, word) for word in found.groups() if word), text
    )
