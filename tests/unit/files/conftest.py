"""Object storage on a real S3 server on loopback."""

from collections.abc import Iterator

import httpx2
import pytest

from pagehand.files.object_storage import ObjectStorage


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - slow to load, and few tests need it

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def storage(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStorage:
    """As an operator configures it: a URL, and credentials in the environment."""
    assert httpx2.put(f"{endpoint}/bucket").status_code in (200, 409)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    return ObjectStorage("s3://bucket/kept/here")
