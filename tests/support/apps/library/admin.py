"""The library in Django's admin: search, filters, pages, a bulk action and an export."""

# pyright: basic, reportMissingTypeStubs=false, reportMissingTypeArgument=false
# (the library has no type hints)

import csv

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from .models import Author, Book, Copy, Genre


@admin.action(description="Export selected books as CSV")
def export(model_admin: admin.ModelAdmin, request: HttpRequest, books: QuerySet[Book]) -> HttpResponse:
    del model_admin, request
    answer = HttpResponse(
        content_type="text/csv", headers={"Content-Disposition": 'attachment; filename="books.csv"'}
    )
    writer = csv.writer(answer)
    writer.writerow(["title", "status", "price"])
    writer.writerows((book.title, book.status, book.price) for book in books)
    return answer


class Copies(admin.TabularInline):
    model = Copy
    extra = 0


class BookAdmin(admin.ModelAdmin):
    list_display = ("title", "author", "status", "price", "lendable")
    list_filter = ("status", "lendable")
    list_per_page = 10
    search_fields = ("title", "summary")
    autocomplete_fields = ("author",)
    filter_horizontal = ("genres",)
    radio_fields = {"binding": admin.HORIZONTAL}  # noqa: RUF012 - Django's own way to say it
    actions = (export,)
    inlines = (Copies,)


class AuthorAdmin(admin.ModelAdmin):
    search_fields = ("name",)


admin.site.register(Book, BookAdmin)
admin.site.register(Author, AuthorAdmin)
admin.site.register(Genre)
