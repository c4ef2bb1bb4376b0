"""Books with every kind of field that Django's admin draws a widget for."""

# pyright: basic, reportMissingTypeStubs=false, reportMissingTypeArgument=false, reportArgumentType=false
# (the library has no type hints)

from django.db import models


class Named(models.Model):
    """Something that is called by its name."""

    name = models.CharField(max_length=80)

    class Meta:
        abstract = True
        ordering = ("name",)

    def __str__(self) -> str:
        return str(self.name)


class Author(Named):
    pass


class Genre(Named):
    pass


class Book(models.Model):
    title = models.CharField(max_length=120)
    summary = models.TextField(blank=True)
    status = models.CharField(
        max_length=10,
        choices=[("draft", "Draft"), ("listed", "Listed"), ("gone", "Out of stock")],
        default="draft",
    )
    binding = models.CharField(
        max_length=10, choices=[("hard", "Hardcover"), ("soft", "Paperback")], default="soft"
    )
    author = models.ForeignKey(Author, models.CASCADE, null=True, blank=True)
    genres = models.ManyToManyField(Genre, blank=True)
    released = models.DateTimeField(null=True, blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    lendable = models.BooleanField(default=False)
    cover = models.FileField(upload_to="covers", blank=True)

    class Meta:
        ordering = ("title",)

    def __str__(self) -> str:
        return str(self.title)


class Copy(models.Model):
    """One volume on a shelf, edited within its book."""

    book = models.ForeignKey(Book, models.CASCADE)
    shelf = models.CharField(max_length=20)

    def __str__(self) -> str:
        return str(self.shelf)
