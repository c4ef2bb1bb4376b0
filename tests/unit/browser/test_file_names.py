"""Names and types of files that sites offer."""

import pytest

from pagehand.browser.downloads import mime_type_of, offered_name, safe_name


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("attachment; filename=plain.pdf", "plain.pdf"),
        ('attachment; filename="with blank.pdf"; size=3', "with blank.pdf"),
        (r'attachment; filename="a \"quoted\" name.pdf"', 'a "quoted" name.pdf'),
        ("attachment; filename*=UTF-8''%e2%82%ac%20rates.csv", "€ rates.csv"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates.csv", "£ rates.csv"),
        ("attachment; filename*=no-such-set''%c3%a9t%c3%a9.pdf", "été.pdf"),
        ("attachment; filename=old.csv; filename*=UTF-8''n%C3%BC.csv", "nü.csv"),
        ("attachment; FILENAME=loud.pdf", "loud.pdf"),
        ("inline", "from path.pdf"),
        ("", "from path.pdf"),
    ],
)
def test_a_name_is_read_as_browsers_read_it(disposition: str, name: str) -> None:
    headers = {"content-disposition": disposition} if disposition else {}
    assert offered_name(headers, "https://portal.example/a/from%20path.pdf?x=/y") == name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\y.doc", "y.doc"),
        ("/", "download"),
        ("a:b*c?.txt", "a_b_c_.txt"),
        ("\x00\x1f.pdf", "_.pdf"),
        (" .. ", "download"),
        ("...", "download"),
        ("???", "download"),
        ("", "download"),
        ("x" * 500 + ".pdf", "x" * 196 + ".pdf"),
        ("ä" * 200 + ".pdf", "ä" * 98 + ".pdf"),
        ("no." + "ending" * 100, ("no." + "ending" * 100)[:200]),
    ],
)
def test_a_name_is_one_part_of_a_path_and_fits_any_disk(name: str, safe: str) -> None:
    assert safe_name(name) == safe
    assert len(safe_name(name).encode()) <= 200


def test_a_type_follows_the_name_and_is_plain_bytes_otherwise() -> None:
    assert mime_type_of("claims.PDF") == "application/pdf"
    assert mime_type_of("claims.unknownending") == "application/octet-stream"
