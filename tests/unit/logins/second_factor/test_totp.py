import base64

import pytest

from pagehand.errors import InvalidRequest
from pagehand.logins.second_factor.totp import check_seed, code_at

RFC_SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""`12345678901234567890`, the seed of RFC 6238's test vectors."""


@pytest.mark.parametrize(
    ("moment", "code"),
    [(59, "94287082"), (1111111109, "07081804"), (1234567890, "89005924"), (20000000000, "65353130")],
)
def test_codes_are_those_of_the_rfc(moment: int, code: str) -> None:
    assert code_at(f"otpauth://totp/Bank:ada?secret={RFC_SEED}&digits=8", moment).code == code


@pytest.mark.parametrize(
    ("algorithm", "length", "code"), [("SHA256", 32, "46119246"), ("SHA512", 64, "90693936")]
)
def test_an_address_may_name_another_algorithm(algorithm: str, length: int, code: str) -> None:
    seed = base64.b32encode((b"1234567890" * 7)[:length]).decode().rstrip("=")
    address = f"otpauth://totp/Bank:ada?secret={seed}&algorithm={algorithm}&digits=8"
    assert code_at(address, 59).code == code


def test_a_short_seed_is_taken_as_sites_give_it_out() -> None:
    assert code_at("JBSWY3DPEHPK3PXP", 0).code == "282760"


def test_steam_shows_letters() -> None:
    address = f"otpauth://totp/x?secret={RFC_SEED}&encoder=steam"
    assert code_at(address, 59).code == "PV9M4"


def test_a_bare_seed_means_six_digits_every_thirty_seconds() -> None:
    made = code_at(RFC_SEED, 59)
    assert (made.code, made.seconds_remaining) == ("287082", 1)
    assert code_at(RFC_SEED, 60).seconds_remaining == 30


def test_groups_case_and_padding_do_not_matter() -> None:
    assert code_at("gezd gnbv-gy3t qojq GEZD GNBV GY3T QOJQ====", 59).code == "287082"


def test_an_address_may_set_the_period() -> None:
    assert code_at(f"otpauth://totp/x?secret={RFC_SEED}&period=60", 30).seconds_remaining == 30


@pytest.mark.parametrize(
    "seed",
    [
        "",
        "   ",
        "not base32!",
        "18",
        "otpauth://totp/x",
        "otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ&counter=1",
        "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&period=0",
        "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=99",
        "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=six",
        "ÄÖÜ",
    ],
)
def test_a_seed_no_code_can_be_made_from_is_refused_by_field_without_showing_it(seed: str) -> None:
    with pytest.raises(InvalidRequest, match="`totpSecretKey`: expected") as refusal:
        check_seed("totpSecretKey", seed)
    assert not seed.strip() or seed not in str(refusal.value)
