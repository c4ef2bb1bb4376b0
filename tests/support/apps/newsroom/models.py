"""Articles with rich text, a picture and a related page."""

# pyright: basic, reportMissingTypeStubs=false, reportMissingTypeArgument=false
# (the library has no type hints)

from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.fields import RichTextField
from wagtail.models import Page


class Article(Page):
    """A page that an editor writes."""

    day = models.DateField("Day", null=True, blank=True)
    body = RichTextField(blank=True)
    picture = models.ForeignKey(
        "wagtailimages.Image", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    related = models.ForeignKey("wagtailcore.Page", models.SET_NULL, null=True, blank=True, related_name="+")
    content_panels = (
        *Page.content_panels,
        FieldPanel("day"),
        FieldPanel("body"),
        FieldPanel("picture"),
        FieldPanel("related"),
    )
