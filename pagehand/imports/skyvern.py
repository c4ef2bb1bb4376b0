"""Workflows of Skyvern, as the YAML (or JSON) that it exports.

Instructions in words become blocks where our own grammar understands them; other goals become Multistep
blocks, which need a model. Credentials are not in such a file: a sign-in takes the login that an execution is
started with.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

from pagehand.blocks import Registry
from pagehand.errors import InvalidRequest
from pagehand.imports.playwright import import_playwright
from pagehand.imports.reading import field, objects, read_python, text_of
from pagehand.imports.skyvern_templates import Names
from pagehand.imports.steps import COMMENT, NotMapped, Steps, reference
from pagehand.instructions.grammar import Grammar, NotUnderstood
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.words import by_word, word_set

_TYPES: Final = by_word({"string": "string|file_url", "number": "integer|float", "boolean": "boolean"})
_CREDENTIALS: Final = ("credential", "bitwarden_login_credential", "onepassword", "azure_vault_credential")
_OF_ALL: Final = word_set(
    "block_type label next_block_label parameters parameter_keys title model engine engine_pinned "
    "disable_cache output_parameter complete_verification llm_key ai_fallback "
    "include_action_history_in_verification ignore_workflow_system_prompt prompt_llm_key"
)
"""Fields that need no counterpart: how Skyvern's own agent works, and what is read elsewhere."""
_MOST_DEPTH: Final = 15
_MOST_ROUNDS: Final = 100
_METHODS: Final = word_set("GET POST PUT PATCH DELETE HEAD OPTIONS")


def is_skyvern(given: Any) -> bool:
    """Whether it looks like a workflow of this tool."""
    if not is_object(given):
        return False
    inner = given.get("workflow_definition")
    return is_object(inner) or (
        is_array(blocks := given.get("blocks")) and any("block_type" in b for b in blocks)
    )


def import_skyvern(given: Json, kinds: Registry) -> tuple[str, Steps]:
    """The title of a workflow and its steps."""
    definition: Json = field(given, "workflow_definition", dict, "the workflow") or given
    reader = _Reader(kinds)
    reader.declare(objects(definition, "parameters", "the workflow"))
    reader.sequence(objects(definition, "blocks", "the workflow"), 0)
    for name in ("webhook_callback_url", "proxy_location", "totp_verification_url", "extra_http_headers"):
        if given.get(name):
            reader.steps.where = "the workflow"
            reader.steps.comment(f"{name}: {_json(given[name])}", "it is not part of a workflow here")
    return text_of(given, "title", "the workflow"), reader.steps


class _Reader:
    def __init__(self, kinds: Registry) -> None:
        self.steps = Steps()
        self._grammar = Grammar(kinds)
        self._names = Names(self.steps)
        self._credential = ""

    def declare(self, parameters: list[Json]) -> None:
        """Parameters by their keys; those for credentials are the login that an execution is started with."""
        for given in parameters:
            key = text_of(given, "key", "parameters")
            kind = text_of(given, "parameter_type", "parameters") or "workflow"
            of_workflow = text_of(given, "workflow_parameter_type", "parameters")
            if kind == "output" or not key:
                continue
            if kind in _CREDENTIALS or of_workflow == "credential_id":
                self._names.credentials.add(key)
                continue
            self._names.parameters[key] = self._declared(key, kind, of_workflow, given)

    def _declared(self, key: str, kind: str, of_workflow: str, given: Json) -> str:
        is_secret = kind not in ("workflow", "context")
        default = given.get("default_value")
        fields: Json = {
            "type": _type_of(default) if of_workflow == "json" else _TYPES.get(of_workflow, "string")
        }
        if is_secret:
            fields |= {"type": "string", "secret": True, "required": True}
        elif default is not None and (fitted := _fitted(default, fields["type"])) is not None:
            fields["default"] = fitted
        if description := text_of(given, "description", f"the parameter `{key}`"):
            fields["description"] = description
        return self.steps.parameter(reference(key), fields)

    def sequence(self, blocks: list[Json], depth: int) -> None:
        """Read blocks in the order in which they run."""
        if depth > _MOST_DEPTH:
            raise InvalidRequest(f"blocks are nested more than {_MOST_DEPTH} deep.")
        by_label = {text_of(block, "label", "a block"): block for block in blocks}
        is_chained = any(block.get("next_block_label") for block in blocks)
        if is_chained and len(by_label) == len(blocks):
            seen: set[str] = set()
            self._chain(text_of(blocks[0], "label", "a block"), None, by_label, seen, depth)
            for label, block in by_label.items():
                if label not in seen:
                    self.steps.where = f"block {label}"
                    self.steps.comment(_shown(block), "nothing that was mapped leads to it")
            return
        for block in blocks:
            self._block(block, by_label, set(), depth)

    def _chain(
        self, label: str | None, stop: str | None, blocks: dict[str, Json], seen: set[str], depth: int
    ) -> None:
        while label and label != stop:
            if label not in blocks or label in seen:
                self.steps.where = f"block {label}"
                self.steps.comment(
                    f"next_block_label: {label}", "there is no such block, or it has run already"
                )
                return
            seen.add(label)
            label = self._block(blocks[label], blocks, seen, depth)

    def _block(self, block: Json, blocks: dict[str, Json], seen: set[str], depth: int) -> str | None:
        """Read a block; the label of the one that follows it."""
        label, kind = text_of(block, "label", "a block"), text_of(block, "block_type", "a block")
        self.steps.where = where = f"block {label}"
        following = text_of(block, "next_block_label", where) or None
        self._names.labels[label] = reference(label)
        before, mapped = len(self.steps.blocks), self.steps.mapped
        try:
            if kind == "conditional":
                return self._conditional(block, following, blocks, seen, depth)
            if kind in ("for_loop", "while_loop"):
                self._loop(kind, block, depth)
            else:
                self._plain(kind, block, where)
        except NotMapped as problem:
            del self.steps.blocks[before:]
            self.steps.mapped = mapped
            self.steps.where = where
            self._names.labels.pop(label, None)
            self.steps.comment(_shown(block), str(problem))
        return following

    def _plain(self, kind: str, block: Json, where: str) -> None:
        done = _BLOCKS.get(kind)
        if done is None:
            raise NotMapped("there is no block for it")
        read, names = done
        if (url := text_of(block, "url", where)) and kind not in ("goto_url", "http_request", "login"):
            self.steps.open(self._text(url))
        count = len(self.steps.blocks)
        read(self, block, where)
        made = [step for step in self.steps.blocks[count:] if COMMENT not in step]
        if made:
            made[-1].setdefault("blockReferenceId", reference(text_of(block, "label", where)))
            made[0].setdefault("name", text_of(block, "title", where) or text_of(block, "label", where))
        left = [name for name in block if name not in _OF_ALL and name not in names.split() and block[name]]
        for name in left:
            self.steps.comment(f"{name}: {_json(block[name])}", "it has no counterpart")

    def _text(self, text: str) -> str:
        return self._names.text(text)

    def _filled(self, value: Any) -> Any:
        return self._names.filled(value)

    # blocks

    def goto(self, block: Json, where: str) -> None:
        self.steps.open(self._text(text_of(block, "url", where)))

    def login(self, block: Json, *_: object) -> None:
        keys = [key for key in _keys(block) if key in self._names.credentials]
        wanted = keys[0] if keys else ""
        if self._credential and wanted and wanted != self._credential:
            raise NotMapped("a workflow takes one login; put another one in by its name")
        self._credential = wanted or self._credential
        self.steps.add("Login", isParameter=True)

    def goal(self, block: Json, where: str) -> None:
        """What the grammar understands becomes blocks, anything else is for a model."""
        goal = text_of(block, "navigation_goal", where) or text_of(block, "prompt", where)
        schema = _schema(block.get("data_schema"))
        if not goal and block.get("data_extraction_goal"):
            self.extraction(block, where)
            return
        if not goal:
            raise NotMapped("it has no goal")
        understood = self._understood(goal)
        if understood is not None and not block.get("complete_criterion"):
            self._take(understood)
        else:
            steps = field(block, "max_steps_per_run", int, where) or field(block, "max_steps", int, where)
            self.steps.add("Multistep", goal=self._text(goal), maxSteps=min(steps, 200) if steps else None)
        if block.get("data_extraction_goal"):
            self.steps.add(
                "Extract", prompt=self._text(text_of(block, "data_extraction_goal", where)), schema=schema
            )

    def _understood(self, goal: str) -> list[Json] | None:
        try:
            return self._grammar.read(self._text(goal), parameters=list(self.steps.parameters))
        except (NotUnderstood, InvalidRequest):
            return None

    def _take(self, definitions: list[Json]) -> None:
        for definition in definitions:
            definition["step"] = self.steps.where
            locator = definition.get("locator")
            if locator and "words" not in locator:
                definition["locator"] = {**locator, "strict": True}
            self.steps.append(definition)
            self.steps.mapped += 1

    def text_prompt(self, block: Json, where: str) -> None:
        understood = self._understood(text_of(block, "prompt", where))
        if understood is None:
            raise NotMapped("it asks a model for a text")
        self._take(understood)

    def extraction(self, block: Json, where: str) -> None:
        goal = self._text(text_of(block, "data_extraction_goal", where))
        self.steps.add("Extract", prompt=goal, schema=self._filled(_schema(block.get("data_schema"))))

    def download(self, block: Json, where: str) -> None:
        goal = text_of(block, "navigation_goal", where)
        understood = self._understood(goal)
        if not understood or understood[-1]["type"] not in ("Mouse", "DownloadFile"):
            raise NotMapped("the words do not say what to click")
        last = understood[-1]
        name = text_of(block, "download_suffix", where)
        last["type"], last["data"] = "DownloadFile", {"fileName": self._text(name)} if name else {}
        self._take(understood)

    def code(self, block: Json, where: str) -> None:
        code = text_of(block, "code", where)
        statements = read_python(code).body
        names = {node.id for node in ast.walk(ast.Module(statements, [])) if isinstance(node, ast.Name)}
        if "page" in names:
            made = import_playwright(statements)
            for step in made.blocks:
                step.setdefault("step", f"{where}, {step.get('step', '')}")
            self.steps.blocks += made.blocks
            self.steps.mapped += made.mapped
            self.steps.parameters |= made.parameters
            return
        inputs = self._names.inputs_of(_keys(block))
        self.steps.add("CodeV2", code=_function(code, statements, list(inputs)), inputs=inputs)

    def email(self, block: Json, where: str) -> None:
        recipients: list[Any] = field(block, "recipients", list, where) or []
        self.steps.add(
            "SendEmail",
            toAddresses=self._filled(recipients),
            subject=self._text(text_of(block, "subject", where)),
            ccAddresses=self._filled(block.get("cc")) or None,
            bccAddresses=self._filled(block.get("bcc")) or None,
            body=self._text(text_of(block, "body", where)),
            isCommit=True,
        )

    def http(self, block: Json, where: str) -> None:
        method = (text_of(block, "method", where) or "GET").upper()
        body = self._filled(block.get("body"))
        if method not in _METHODS:
            raise NotMapped(f"`{method}` is not a method")
        is_read = method in ("GET", "HEAD")
        timeout = field(block, "timeout", int, where)
        saved = text_of(block, "download_filename", where) or (
            "answer" if block.get("save_response_as_file") else ""
        )
        self.steps.add(
            "API",
            method=method,
            route=self._text(text_of(block, "url", where)),
            headers=self._names.filled(block.get("headers"), secret_values=True) or None,
            data=None if is_read else body,
            query=body if is_read and is_object(body) else None,
            timeoutMs=timeout * 1000 if timeout else None,
            saveAs=self._text(saved) or None,
        )

    def wait(self, block: Json, where: str) -> None:
        self.steps.add("Wait", durationMs=(field(block, "wait_sec", int, where) or 0) * 1000)

    def print_page(self, block: Json, where: str) -> None:
        name = text_of(block, "custom_filename", where)
        name = name if not name or name.endswith(".pdf") else f"{name}.pdf"
        self.steps.add(
            "SaveAsPdf",
            fileName=self._text(name) or None,
            format=text_of(block, "format", where) or None,
            landscape=field(block, "landscape", bool, where),
            printBackground=field(block, "print_background", bool, where),
        )

    def parse_file(self, block: Json, where: str) -> None:
        file = self._text(text_of(block, "file_url", where))
        if "://" in file:
            made = self.steps.add("DownloadFile", url=file)
            made["blockReferenceId"] = f"{reference(text_of(block, 'label', where))}_file"
            file = f"{{{{blocks.{made['blockReferenceId']}}}}}"
        self.steps.add("ParseDocument", file=file, schema=self._filled(block.get("json_schema")))

    def validation(self, block: Json, where: str) -> None:
        if stop := text_of(block, "terminate_criterion", where):
            self.steps.add("FailOnCondition", condition={"prompt": self._text(stop)})
        if done := text_of(block, "complete_criterion", where):
            self.steps.wait_for({"prompt": self._text(done)})
        if not stop and not done:
            raise NotMapped("it has no criterion")

    def terminate(self, block: Json, where: str) -> None:
        self.steps.add(
            "FailOnCondition", condition="True", message=self._text(text_of(block, "reason", where))
        )

    # control flow

    def _loop(self, kind: str, block: Json, depth: int) -> None:
        where = self.steps.where
        if kind == "for_loop":
            made = self.steps.add("LoopV2", over={"items": self._names.items(block, where)})
        else:
            made = self.steps.add("LoopV2", over={"times": _MOST_ROUNDS})
        made["blockReferenceId"] = reference(text_of(block, "label", where))
        made["name"] = text_of(block, "label", where)
        inner = objects(block, "loop_blocks", where)
        with self.steps.within(made, "sequence"), self._names.in_loop():
            if kind == "while_loop":
                self._leave_unless(block, inner, where)
            self.sequence(inner, depth + 1)

    def _leave_unless(self, block: Json, inner: list[Json], where: str) -> None:
        """A condition may read outputs of the round before: it is judged where a round begins."""
        labels = {label: reference(label) for label in (text_of(nested, "label", where) for nested in inner)}
        self._names.labels |= labels
        holds = self._criteria(field(block, "condition", dict, where) or {}, where)
        if not isinstance(holds, str):
            raise NotMapped("the condition of a loop is an expression")
        self.steps.add("ExitFromLoop", condition=f"not ({holds})")

    def _conditional(
        self, block: Json, following: str | None, blocks: dict[str, Json], seen: set[str], depth: int
    ) -> str | None:
        where = self.steps.where
        branches = objects(block, "branch_conditions", where)
        targets = [text_of(branch, "next_block_label", where) or None for branch in branches]
        merge = following or _merge(targets, blocks)
        self._branch(list(zip(branches, targets, strict=True)), merge, blocks, seen, depth, where)
        return merge

    def _branch(
        self,
        branches: list[tuple[Json, str | None]],
        merge: str | None,
        blocks: dict[str, Json],
        seen: set[str],
        depth: int,
        where: str,
    ) -> None:
        if not branches:
            return
        if depth > _MOST_DEPTH:
            raise InvalidRequest(f"{where}: blocks are nested more than {_MOST_DEPTH} deep.")
        (branch, target), rest = branches[0], branches[1:]
        criteria: Json | None = field(branch, "criteria", dict, where)
        if criteria is None:
            self._chain(target, merge, blocks, seen, depth + 1)
            return
        made = self.steps.add("If", condition=self._criteria(criteria, where))
        with self.steps.within(made, "trueSequence"):
            self._chain(target, merge, blocks, seen, depth + 1)
        with self.steps.within(made, "falseSequence"):
            self._branch(rest, merge, blocks, seen, depth + 1, where)

    def _criteria(self, criteria: Json, where: str) -> Any:
        expression = text_of(criteria, "expression", where)
        if text_of(criteria, "criteria_type", where) == "prompt":
            return {"prompt": self._text(expression)}
        return self._names.expression(expression)


def _merge(targets: list[str | None], blocks: dict[str, Json]) -> str | None:
    """The block in which all branches come together again."""
    chains = [list(_followed(target, blocks)) for target in targets if target]
    if not chains:
        return None
    return next(
        (label for label in chains[0] if all(label in chain for chain in chains[1:]) and chains[1:]), None
    )


def _followed(label: str | None, blocks: dict[str, Json]) -> Iterator[str]:
    seen: set[str] = set()
    while label and label in blocks and label not in seen:
        seen.add(label)
        yield label
        label = str(blocks[label].get("next_block_label") or "")


def _keys(block: Json) -> list[str]:
    given = block.get("parameter_keys")
    return [str(key) for key in given] if is_array(given) else []


def _schema(given: Any) -> Json | None:
    if isinstance(given, str):
        try:
            given = orjson.loads(given)
        except orjson.JSONDecodeError:
            return None
    return given if is_object(given) else None


def _function(code: str, statements: list[ast.stmt], inputs: list[str]) -> str:
    """A function of the program: its parameters are inputs, the variables it sets are the output."""
    if any(
        isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
        for statement in statements
        for node in ast.walk(statement)
    ):
        raise NotMapped("it waits for something, and code here works on data alone")
    names = dict.fromkeys(
        name.id
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    )
    lines = [f"{name} = inputs[{name!r}]" for name in inputs if name.isidentifier()]
    returned = ", ".join(f"{name!r}: {name}" for name in names)
    body = [*lines, *code.strip("\n").splitlines(), f"return {{{returned}}}"]
    return "def main(inputs):\n" + "\n".join(f"    {line}".rstrip() for line in body) + "\n"


def _type_of(default: Any) -> str:
    return "array" if is_array(default) else "object"


def _fitted(default: Any, kind: str) -> Any:
    """A default of the type that its parameter has; None if it has another."""
    if isinstance(default, str) and kind in ("number", "boolean", "array", "object"):
        try:
            default = orjson.loads(default)
        except orjson.JSONDecodeError:
            return None
    fits: dict[str, Callable[[Any], bool]] = {
        "string": lambda value: isinstance(value, str),
        "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
        "boolean": lambda value: isinstance(value, bool),
        "array": is_array,
        "object": is_object,
    }
    return default if fits[kind](default) else None


_HIDDEN: Final = re.compile(
    r"password|secret|access_key|account_key|private_key|token|passphrase", re.IGNORECASE
)


def _shown(block: Json) -> str:
    kept = {
        key: "***" if _HIDDEN.search(key) and isinstance(value, str) else value
        for key, value in block.items()
        if value not in (None, "", [], {}) and key not in ("next_block_label", "parameter_keys")
    }
    return _json(kept)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


_OF_GOALS: Final = (
    "url navigation_goal prompt data_extraction_goal data_schema max_steps_per_run max_steps max_iterations"
)
_BLOCKS: Final[dict[str, tuple[Callable[[_Reader, Json, str], None], str]]] = {
    "goto_url": (_Reader.goto, "url"),
    "login": (_Reader.login, "url navigation_goal"),
    **dict.fromkeys(("navigation", "action", "task", "task_v2"), (_Reader.goal, _OF_GOALS)),
    "text_prompt": (_Reader.text_prompt, "prompt"),
    "extraction": (_Reader.extraction, "url data_extraction_goal data_schema"),
    "file_download": (_Reader.download, "url navigation_goal download_suffix"),
    "code": (_Reader.code, "code prompt steps"),
    "send_email": (_Reader.email, "recipients subject body body_format cc bcc sender transport"),
    "http_request": (
        _Reader.http,
        "method url headers body timeout follow_redirects download_filename save_response_as_file",
    ),
    "wait": (_Reader.wait, "wait_sec"),
    "print_page": (_Reader.print_page, "custom_filename format landscape print_background include_timestamp"),
    "file_url_parser": (_Reader.parse_file, "file_url json_schema file_type"),
    "pdf_parser": (_Reader.parse_file, "file_url json_schema"),
    "validation": (_Reader.validation, "complete_criterion terminate_criterion"),
    "terminate": (_Reader.terminate, "reason"),
}
"""What reads each kind of block, and the fields that it reads."""
