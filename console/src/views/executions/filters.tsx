/** The filters above the table; they live in the address. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { query, setQuery } from "../../app/router";
import { Button } from "../../design/button";
import { SelectField, TextField } from "../../design/field";

export type Filter = Schemas["ListExecutions"];
const STATUSES = ["InProgress", "Completed", "Enqueued", "Failed", "Paused"] as const;
const NAMES = ["status", "workflow", "tag", "from", "to", "tests"] as const;
const TYPING_MS = 250;

/** The request that an address stands for. */
export function readFilters(address: URLSearchParams): Filter {
  const status = STATUSES.find((one) => one === address.get("status"));
  const tests = address.get("tests");
  return {
    ...(status ? { status } : {}),
    ...(address.get("workflow") ? { workflowId: address.get("workflow")! } : {}),
    ...(address.get("tag") ? { tagFilters: [address.get("tag")!] } : {}),
    ...moment("fromTs", address.get("from")),
    ...moment("toTs", address.get("to")),
    ...(address.get("search") ? { search: address.get("search")!.split(",").map((one) => one.trim()).filter(Boolean) } : {}),
    ...(tests ? { isTest: tests === "only" } : {}),
  };
}

/** A moment of the address, in the person's own time zone; nothing where it is not one. */
function moment(field: "fromTs" | "toTs", text: string | null): Partial<Filter> {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? {} : { [field]: at.toISOString() };
}

export function Filters() {
  const workflows = useReading("workflows", () => call("/workflows/list", { limit: 1000 }), { nouns: ["workflow"] }).value?.workflows ?? [];
  const tags = useReading("tags", () => call("/tags/list", {}), { nouns: ["workflow"] }).value?.tags ?? [];
  const at = (name: string) => query.value.get(name) ?? "";
  const count = NAMES.filter((name) => at(name) !== "").length;
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div class={isOpen ? "filters foldable open" : "filters foldable"} role="search" aria-label="Filter executions">
      <Search />
      <div class="filters-fold">
        <Button expanded={isOpen} icon={isOpen ? "up" : "down"} onPress={() => setOpen(!isOpen)}>
          {count > 0 ? `Filters (${count})` : "Filters"}
        </Button>
      </div>
      <SelectField label="Status" value={at("status")} onInput={(status) => setQuery({ status })} options={[["", "Any"], ...STATUSES.map((one) => [one, one === "InProgress" ? "In progress" : one] as const)]} />
      <SelectField label="Workflow" value={at("workflow")} onInput={(workflow) => setQuery({ workflow })} options={[["", "Any"], ...workflows.map((one) => [one.id, one.name] as const)]} />
      <SelectField label="Tag" value={at("tag")} onInput={(tag) => setQuery({ tag })} options={[["", "Any"], ...tags.map((one) => [one.id, one.name] as const)]} />
      <TextField label="From" type="datetime-local" value={at("from")} onInput={(from) => setQuery({ from })} />
      <TextField label="To" type="datetime-local" value={at("to")} onInput={(to) => setQuery({ to })} />
      <SelectField label="Tests" value={at("tests")} onInput={(tests) => setQuery({ tests })} options={[["", "Shown"], ["none", "Hidden"], ["only", "Only"]]} />
    </div>
  );
}

function Search() {
  const kept = query.value.get("search") ?? "";
  const [text, setText] = useState(kept);
  const sent = useRef(kept);
  useEffect(() => {
    if (kept === sent.current) return;
    sent.current = kept; // back, or a link that drops the filters
    setText(kept);
  }, [kept]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      sent.current = text;
      if (text !== (query.value.get("search") ?? "")) setQuery({ search: text });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (query.value.get("focus") !== "search") return;
    box.current?.querySelector("input")?.focus();
    setQuery({ focus: "" });
  }, []);
  return (
    <div ref={box}>
      <TextField label="Search" type="search" value={text} onInput={setText} placeholder="Id, name or parameter" />
    </div>
  );
}
