"""Text in pictures, with a program in tesseract's place: how it is called, and how its failures read."""

import stat
from pathlib import Path

import pytest

from pagehand.documents import ocr
from pagehand.errors import BlockFailed
from support.documents import pages_of


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Prints how it was called and what it was given; exits with 1 for a picture that says so."""
    path = tmp_path / "tesseract"
    path.write_text(
        '#!/bin/sh\npicture=$(cat)\nif [ "$picture" = broken ]; then echo "bad  image" >&2; exit 1; fi\n'
        'printf "%s|%s|%s\\f" "$*" "$picture" "$OMP_THREAD_LIMIT"\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(("language", "called"), [(None, "eng"), ("deu", "deu"), ("deu+eng", "deu+eng")])
def test_the_picture_is_read_in_the_language_that_is_asked_for(
    program: Path, language: str | None, called: str
) -> None:
    text = ocr.read_picture(b"pixels", str(program), language)
    assert text == f"stdin stdout -l {called}|pixels|1"


@pytest.mark.parametrize("language", ["", "e", "eng;rm", "-l", "eng+", "../eng", "a" * 30])
def test_a_language_that_is_none_never_reaches_the_program(program: Path, language: str) -> None:
    with pytest.raises(BlockFailed, match="is not a language of tesseract"):
        ocr.read_picture(b"pixels", str(program), language)


def test_a_failure_of_the_program_is_passed_on(program: Path) -> None:
    with pytest.raises(BlockFailed, match=r"could not read the picture: bad image$"):
        ocr.read_picture(b"broken", str(program), None)


@pytest.mark.parametrize("given", [None, ""])
def test_without_the_program_the_failure_says_how_to_install_it(given: str | None) -> None:
    with pytest.raises(BlockFailed, match="apt-get install tesseract-ocr"):
        ocr.read_picture(b"pixels", given, None)


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    with pytest.raises(BlockFailed, match=r"cannot be started where documents are opened"):
        ocr.read_picture(b"pixels", str(tmp_path / "missing"), None)


def test_a_picture_is_a_document_of_one_page(program: Path) -> None:
    [page] = pages_of(ocr.read, b"pixels", tesseract=str(program), language="fra")
    assert page["text"].startswith("stdin stdout -l fra")
