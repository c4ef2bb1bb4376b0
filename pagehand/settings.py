"""Every setting with its default; the environment variable is `PAGEHAND_` and the name."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "PAGEHAND_"


def _default_data_dir() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "pagehand"


def _lower(given: object) -> object:
    """Accept `INFO` for `info`, as other programs write it."""
    return given.lower() if isinstance(given, str) else given


LogLevel = Annotated[Literal["debug", "info", "warning", "error", "critical"], BeforeValidator(_lower)]


class Settings(BaseSettings):
    """The operator's settings; read once at the start and passed to what needs them."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", env_ignore_empty=True)

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8700, ge=0, le=65535, description="Port to listen on.")
    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Folder for the database, files and keys."
    )
    database: str | None = Field(
        default=None, description="Database URL; SQLite in the data folder without one."
    )
    public_url: str | None = Field(
        default=None, description="Address under which clients reach the service; put into file URLs."
    )

    require_key: bool = Field(
        default=False, description="Refuse requests without an API key, also on loopback."
    )
    allow_keyless: bool = Field(
        default=False, description="Serve keyless requests even when not listening on loopback."
    )
    max_body_bytes: int = Field(default=10 * 1024 * 1024, gt=0, description="Largest request body.")
    max_upload_bytes: int = Field(
        default=100 * 1024 * 1024, gt=0, description="Largest upload sent as `multipart/form-data`."
    )
    max_bytes_in_flight: int | None = Field(
        default=None,
        gt=0,
        description="Memory for request bodies and answers that are being sent, of all clients together; one "
        "organization may have half of it. Default: a quarter of the memory that the machine or container "
        "has, at most 256 MiB.",
    )
    max_connections: int = Field(
        default=2500, gt=0, description="Connections to the service that may be open at once."
    )
    max_queued: int = Field(
        default=100_000, gt=0, description="Executions one organization may have waiting."
    )
    max_per_minute: int = Field(
        default=0,
        ge=0,
        description="Executions one organization may start within any minute; 0 for any number.",
    )

    worker: bool = Field(default=True, description="Run executions in this process.")
    engine: Literal["local", "postgres"] | None = Field(
        default=None,
        description="How executions are handed out: `local` to this process alone, `postgres` to every "
        "`pagehand worker` on the database. Without one: `postgres` for `pagehand worker` and for "
        "`serve --no-worker` on PostgreSQL, `local` for everything else.",
    )
    listen: str = Field(
        default="127.0.0.1:0",
        description="Where a `pagehand worker` is reached by the services that relay live views to it.",
    )
    worker_nice: int = Field(
        default=5,
        ge=0,
        le=19,
        description="How far a `pagehand worker` and its browsers stand back from other processes of their "
        "machine, such as API nodes: its niceness.",
    )
    concurrency: int = Field(
        default=4,
        gt=0,
        description="Executions with a browser that run at once in one worker, and as many without one.",
    )
    max_output_bytes: int = Field(
        default=100 * 1024 * 1024,
        gt=0,
        description="How large the outputs of one execution may be, as bytes of JSON. When it ends, it takes "
        "up to twice as much memory.",
    )
    max_value_bytes: int = Field(
        default=10 * 1024 * 1024,
        gt=0,
        description="A larger output becomes a file, which the response shows in its place.",
    )
    max_events: int = Field(
        default=20_000, gt=0, description="Events kept of one execution; what follows is counted only."
    )
    max_paused: int = Field(
        default=24,
        gt=0,
        description="Paused executions whose browsers are kept open; one organization may have half of them.",
    )
    live_session_idle_seconds: float = Field(
        default=900, gt=0, description="How long nobody may use a live session before it ends by itself."
    )
    stop_grace_seconds: float = Field(
        default=30, ge=0, description="How long running executions may go on after a request to stop."
    )

    browser_path: Path | None = Field(
        default=None, description="Chromium to use instead of searching for one."
    )
    browser_provider: Literal[
        "local", "cdp", "browserless", "browserbase", "steel", "selenium", "kubernetes"
    ] = Field(default="local", description="Where browsers run; see docs/remote-browsers.md.")
    browser_url: str = Field(default="", description="Address of the browser provider, or of the browser.")
    browser_key: str = Field(default="", description="Credential of the browser provider.")
    browser_project: str = Field(
        default="", description="Project at Browserbase, or namespace in the Kubernetes cluster."
    )
    browser_image: str = Field(
        default="", description="Image of the pod that holds a browser with its debugging port on 9222."
    )
    browser_pool: int = Field(default=2, ge=0, description="Browsers kept launched ahead of need.")
    browser_uses: int = Field(
        default=25,
        gt=0,
        description="Executions of one organization that a browser serves, one at a time, before it ends.",
    )
    browser_install: bool = Field(
        default=True, description="Let `pagehand` install a browser if none is found."
    )
    max_tabs: int = Field(default=20, gt=0, description="Tabs one execution may have open; more are closed.")
    proxy: str | None = Field(
        default=None,
        description="Upstream proxy for executions with `useProxy` whose organization has none of its own.",
    )
    egress_allow: str = Field(
        default="",
        description="Addresses that are not public but may be reached, e.g. `localhost:3000,10.0.0.0/8`.",
    )

    egress_proxy_listen: str = Field(
        default="127.0.0.1:0", description="Where the proxy that browsers go through listens."
    )
    egress_proxy_url: str | None = Field(
        default=None, description="How remote browsers reach that proxy, e.g. `http://10.0.0.5:8701`."
    )

    heal: bool = Field(default=True, description="Find elements again by likeness when a locator fails.")
    heal_after_seconds: float = Field(
        default=5, ge=0, description="How long a locator has before its element is looked for by likeness."
    )
    heal_probability: float = Field(
        default=0.3, ge=0, le=1, description="Least probability to take an element by likeness."
    )
    heal_margin: float = Field(
        default=0.1, ge=0, le=1, description="Least lead in probability over the next best."
    )
    heal_gap: float = Field(
        default=1.5, description="Least lead in likeness over the neighbours it once had."
    )
    heal_risky_probability: float = Field(
        default=0.9, ge=0, le=1, description="The same for commit points and words like delete, pay, send."
    )
    screenshots: bool = Field(
        default=True, description="Take a picture after each block that changes the page."
    )
    file_url_seconds: int = Field(default=900, gt=0, description="How long a file's URL stays valid.")
    master_key: SecretStr | None = Field(
        default=None, description="Key that wraps all others; a file in the data folder without one."
    )
    previous_master_keys: SecretStr | None = Field(
        default=None, description="Keys used before the master key, until `pagehand keys rotate` is through."
    )
    imap_host: str | None = Field(
        default=None, description="Mail server where codes sent to a login's `twoFactorAuthEmail` are read."
    )
    imap_port: int = Field(default=993, gt=0, le=65535, description="Its port.")
    imap_security: Literal["none", "starttls", "tls"] = Field(
        default="tls", description="How the connection to it is protected: none, starttls or tls."
    )
    imap_username: str | None = Field(
        default=None,
        description="Account for logins that have none of their own; see `PAGEHAND_IMAP_ADDRESSES`.",
    )
    imap_password: SecretStr | None = Field(default=None, description="That account's password.")
    imap_addresses: str = Field(
        default="",
        description="Which organization's codes that account receives: `acme=codes@mail.example, "
        "acme=*@acme.example`. Other addresses are for the organization `default` alone; "
        "`<account>+<login id>@…` is every login's own.",
    )
    imap_folder: str = Field(default="INBOX", description="Folder in which codes arrive.")
    mail_domain: str | None = Field(
        default=None,
        description="Take mail for `<login id>@` this domain, so that sites can send codes there.",
    )
    mail_host: str = Field(default="127.0.0.1", description="Address on which that mail is taken.")
    mail_port: int = Field(default=2525, ge=0, le=65535, description="Port on which that mail is taken.")
    mail_code_seconds: float = Field(
        default=180, gt=0, description="How long a sign-in waits for a code or a link to come by mail."
    )
    captcha_solver: str | None = Field(
        default=None,
        description="Address that answers captchas: gets `{kind, siteKey, url}`, returns `{token}`.",
    )
    search_engine: str | None = Field(
        default=None,
        description="Search engine for Search and Navigate: a URL with `{query}` in the query's place.",
    )
    model: str | None = Field(
        default=None, description="Language model as `provider:model`; none by default."
    )
    model_base_url: str | None = Field(
        default=None, description="Address of a model service that speaks OpenAI's protocol."
    )
    model_api_key: SecretStr | None = Field(
        default=None, description="Key of the model's provider; its own variable is read without one."
    )
    model_fallbacks: str = Field(
        default="", description="Models to ask when the first does not answer, separated by commas."
    )
    model_organizations: str = Field(
        default="",
        description="Other models for some organizations: `acme=anthropic:claude-sonnet-5,beta=none`.",
    )
    model_output: Literal["tool", "schema"] = Field(
        default="tool",
        description="How answers in a shape are asked for: as a tool call, or as a response format.",
    )
    model_reports: bool = Field(
        default=True, description="Let the model add to the analysis of failures and to summaries."
    )
    model_seconds: float = Field(default=60, gt=0, description="Longest time of one call of the model.")
    model_retries: int = Field(default=2, ge=0, description="Tries after the first while a model is down.")
    model_answer_tokens: int = Field(
        default=4096, gt=0, description="Longest answer of the model, in tokens."
    )
    model_material_characters: int = Field(
        default=120_000, gt=0, description="Most text of a page or document that one call shows the model."
    )
    model_execution_tokens: int = Field(
        default=1_000_000, gt=0, description="Tokens that one execution may spend on the model."
    )
    model_execution_seconds: float = Field(
        default=1800, gt=0, description="Time that one execution may spend on the model."
    )
    model_execution_cost: float | None = Field(
        default=None, gt=0, description="US dollars that one execution may spend on the model."
    )

    smtp_host: str | None = Field(
        default=None, description="Mail server that Send Email blocks use; without one they say so."
    )
    smtp_port: int | None = Field(
        default=None, gt=0, le=65535, description="Its port; 587 for starttls, 465 for tls, 25 for none."
    )
    smtp_username: str | None = Field(default=None, description="Account on the mail server, if it asks.")
    smtp_password: SecretStr | None = Field(default=None, description="Password of that account.")
    smtp_from: str | None = Field(
        default=None, description="Address that mail is from; the user name when that is an address."
    )
    smtp_security: Literal["none", "starttls", "tls"] = Field(
        default="starttls", description="How the connection is kept private: none, starttls or tls."
    )

    embeddings_url: str | None = Field(
        default=None,
        description="OpenAI-compatible endpoint (`…/v1`) to find passages of knowledge by meaning too.",
    )
    embeddings_model: str = Field(
        default="text-embedding-3-small", description="Model to ask that endpoint for."
    )
    embeddings_key: SecretStr | None = Field(default=None, description="Key for that endpoint.")

    files: str | None = Field(
        default=None,
        description="Object storage for files, such as `s3://bucket/prefix`, or a folder that several "
        "processes share, such as `file:///srv/files`; the data folder without one.",
    )
    max_stored_bytes: int | None = Field(
        default=None, gt=0, description="Bytes of files one organization may keep; no limit without one."
    )
    keep_days: float | None = Field(
        default=None,
        gt=0,
        description="Days after which finished executions, their events, pictures and files, and uploads are "
        "deleted; never without one.",
    )

    demo: bool = Field(default=True, description="Serve the demo portal and create its workflow.")
    demo_port: int = Field(default=8701, ge=0, le=65535, description="Port of the demo portal.")
    log_level: LogLevel = Field(
        default="info", description="How much to log: debug, info, warning, error or critical."
    )

    def allowing(self, entries: Sequence[str]) -> Self:
        """These settings with more addresses that may be reached."""
        every = [entry for entry in (self.egress_allow, *entries) if entry]
        return self.model_copy(update={"egress_allow": ",".join(every)})

    @property
    def is_shared(self) -> bool:
        """Whether this is one of several processes that share a queue on PostgreSQL."""
        if self.engine is not None:
            return self.engine == "postgres"
        return not self.worker and self.database_url.startswith("postgresql")

    @property
    def database_url(self) -> str:
        """The database as a URL for SQLAlchemy."""
        if self.database is None:
            return f"sqlite+aiosqlite:///{self.data_dir / 'pagehand.db'}"
        for scheme, with_driver in (
            ("postgres://", "postgresql+psycopg://"),
            ("postgresql://", "postgresql+psycopg://"),
            ("sqlite://", "sqlite+aiosqlite://"),
        ):
            if self.database.startswith(scheme):
                return with_driver + self.database.removeprefix(scheme)
        return self.database
